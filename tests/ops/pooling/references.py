"""References of pooling and of padding with borders."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from tests.ops.conv.references import multiple
from tests.ops.loss.references import transposed

Ranges = list[list[range]]


def windows(sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Ranges:
    """For each dimension the indices that each pooling window covers, also those in the padding."""
    found = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        capacity = n + 2 * p - d * (k - 1) - 1
        count = (-(-capacity // s) if ceil_mode else capacity // s) + 1
        if ceil_mode and (count - 1) * s >= n + p:
            count -= 1
        found.append([range(i * s - p, i * s - p + d * (k - 1) + 1, d) for i in range(count)])
    return found


def max_value(self: Any, ranges: Ranges) -> Any:
    """The greatest of each box, and its place in the plane."""
    dims = len(ranges)
    sizes = self.shape[-dims:]
    values = np.empty((*self.shape[:-dims], *map(len, ranges)), self.dtype)
    indices = np.empty(values.shape, np.int64)
    for index in np.ndindex(*values.shape):
        lead, window = index[:-dims], [w[i] for w, i in zip(ranges, index[-dims:], strict=True)]
        inside = [c for c in product(*window) if all(0 <= i < n for i, n in zip(c, sizes, strict=True))]
        best = max(inside, key=lambda c: self[(*lead, *c)])
        values[index], indices[index] = self[(*lead, *best)], np.ravel_multi_index(best, sizes)
    return values, indices


def max_pool(
    self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, spatial: int
) -> Any:
    """The greatest of each window, and its place in the plane."""
    kernel = listed(kernel_size, spatial)
    steps = kernel if stride is None else listed(stride, spatial)
    sizes = self.shape[-spatial:]
    return max_value(
        self, windows(sizes, kernel, steps, listed(padding, spatial), listed(dilation, spatial), ceil_mode)
    )


def listed(value: Any, count: int) -> list[int]:
    """A number, or a list of one, as `count` equal ones."""
    values = multiple(value, count)
    return values * count if len(values) == 1 else values


def max_pool_of(spatial: int) -> Callable[..., Any]:
    """max_pool1d and the others, with PyTorch's defaults."""

    def reference(
        self: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:
        return max_pool(self, kernel_size, stride, padding, dilation, ceil_mode, spatial)[0]

    return reference


def max_pool_backward(grad_output: Any, indices: Any, input_shape: Any, spatial: int) -> Any:
    """Each gradient added at the place that was chosen."""
    result = np.zeros(input_shape, grad_output.dtype)
    for index in np.ndindex(*indices.shape):
        result[(*index[:-spatial], *np.unravel_index(indices[index], input_shape[-spatial:]))] += grad_output[index]
    return result


def avg_pool(
    self: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    spatial: int,
) -> Any:
    """The mean of each window; what hangs over the padded end never counts, the padding only if asked."""
    kernel, pads = listed(kernel_size, spatial), listed(padding, spatial)
    steps = kernel if stride is None else listed(stride, spatial)
    sizes = self.shape[-spatial:]
    planes = windows(sizes, kernel, steps, pads, [1] * spatial, ceil_mode)
    result = np.empty((*self.shape[:-spatial], *map(len, planes)), self.dtype)
    for index in np.ndindex(*result.shape):
        cells = list(product(*(w[i] for w, i in zip(planes, index[-spatial:], strict=True))))
        inside = [c for c in cells if all(0 <= i < n for i, n in zip(c, sizes, strict=True))]
        padded = [c for c in cells if all(i < n + p for i, n, p in zip(c, sizes, pads, strict=True))]
        count = divisor_override or len(padded if count_include_pad else inside)
        result[index] = sum(self[(*index[:-spatial], *c)] for c in inside) / count
    return result


def avg_pool_of(spatial: int) -> Callable[..., Any]:
    """avg_pool1d and the others, with PyTorch's defaults."""

    def reference(
        self: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        return avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, spatial)

    return reference


def covering(sizes: Any, counts: Any) -> Ranges:
    """The windows from floor(i n / out) to ceil((i + 1) n / out)."""
    return [
        [range(i * n // out, -(-(i + 1) * n // out)) for i in range(out)] for n, out in zip(sizes, counts, strict=True)
    ]


def adaptive_avg_pool(self: Any, output_size: Any, spatial: int) -> Any:
    """The means of windows that cover the plane."""
    ranges = covering(self.shape[-spatial:], listed(output_size, spatial))
    result = np.empty((*self.shape[:-spatial], *map(len, ranges)), self.dtype)
    for index in np.ndindex(*result.shape):
        box = tuple(slice(r[i].start, r[i].stop) for r, i in zip(ranges, index[-spatial:], strict=True))
        result[index] = self[(*index[:-spatial], *box)].mean()
    return result


def adaptive_max_pool(self: Any, output_size: Any, spatial: int) -> Any:
    """The greatest of windows that cover the plane, and their places."""
    return max_value(self, covering(self.shape[-spatial:], listed(output_size, spatial)))


def border_pad(self: Any, pad: Any, mode: str) -> Any:
    """NumPy's padding, of what is left where pads are negative; but a mirror sees what is cut."""
    pairs = [(0, 0)] * (self.ndim - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2], strict=True))
    grown = [(max(a, 0), max(b, 0)) for a, b in pairs]
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(self.shape, pairs, strict=True))
    if mode == "circular":
        return np.pad(self[cut], grown, "wrap")
    full = np.pad(self, grown, {"reflect": "reflect", "replicate": "edge"}[mode])
    inner = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(full.shape, pairs, strict=True))
    return full[inner]


POOLING: dict[str, Callable[..., Any]] = {
    "max_pool_with_indices": max_pool,
    "max_pool_backward": max_pool_backward,
    "max_pool1d": max_pool_of(1),
    "max_pool2d": max_pool_of(2),
    "max_pool3d": max_pool_of(3),
    "adaptive_max_pool_with_indices": adaptive_max_pool,
    "adaptive_max_pool1d": lambda self, output_size: adaptive_max_pool(self, output_size, 1),
    "avg_pool": avg_pool,
    "avg_pool_backward": lambda grad_output, input_shape, **k: transposed(
        lambda x: avg_pool(x, **k), input_shape, grad_output
    ),
    "avg_pool1d": avg_pool_of(1),
    "avg_pool2d": avg_pool_of(2),
    "avg_pool3d": avg_pool_of(3),
    "adaptive_avg_pool": adaptive_avg_pool,
    "adaptive_avg_pool_backward": lambda grad_output, input_shape, spatial: transposed(
        lambda x: adaptive_avg_pool(x, grad_output.shape[-spatial:], spatial), input_shape, grad_output
    ),
    "adaptive_avg_pool1d": lambda self, output_size: adaptive_avg_pool(self, output_size, 1),
    "adaptive_avg_pool2d": lambda self, output_size: adaptive_avg_pool(self, output_size, 2),
    "adaptive_avg_pool3d": lambda self, output_size: adaptive_avg_pool(self, output_size, 3),
    "border_pad": border_pad,
    "border_pad_backward": lambda grad_output, input_shape, pad, mode: transposed(
        lambda x: border_pad(x, pad, mode), input_shape, grad_output
    ),
}
