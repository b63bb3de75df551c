"""References of convolutions, pooling and normalisation: see references.py."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from .references_losses import transposed

Reference = Callable[..., Any]


def convolution(self: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """Sums of products of windows with the weight, one window at a time."""
    dims = weight.ndim - 2
    if self.ndim == dims + 1:
        return convolution(self[None], weight, bias, stride, padding, dilation, groups)[0]
    pads = [(p, p) for p in padding] if len(padding) == dims else list(zip(padding[::2], padding[1::2], strict=True))
    x = np.pad(self, [(0, 0), (0, 0), *pads])
    kernel = weight.shape[2:]
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    sizes = [(n - span) // s + 1 for n, span, s in zip(x.shape[2:], spans, stride, strict=True)]
    result = np.zeros((len(x), len(weight), *sizes), np.result_type(self, weight))
    per_group, outs = weight.shape[1], len(weight) // groups
    for place, out in product(np.ndindex(*sizes), range(len(weight))):
        group = out // outs
        window = tuple(
            slice(i * s, i * s + span, d) for i, s, span, d in zip(place, stride, spans, dilation, strict=True)
        )
        seen = x[(slice(None), slice(group * per_group, (group + 1) * per_group), *window)]
        result[(slice(None), out, *place)] = np.sum(seen * weight[out], axis=tuple(range(1, dims + 2)))
    return result if bias is None else result + bias.reshape(-1, *(1,) * dims)


def convolution_input_grad(grad_output: Any, weight: Any, input_shape: Any, **rest: Any) -> Any:
    """The transpose of convolution as a function of the input."""
    return transposed(lambda x: convolution(x, weight, None, **rest), input_shape, grad_output)


def convolution_weight_grad(grad_output: Any, self: Any, weight_shape: Any, **rest: Any) -> Any:
    """The transpose of convolution as a function of the weight."""
    return transposed(lambda w: convolution(self, w, None, **rest), weight_shape, grad_output)


def conv(dims: int) -> Reference:
    """conv1d and conv2d: one number stands for all dimensions, padding may be a word."""

    def reference(
        self: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
    ) -> Any:
        steps, dilations = several(stride, dims), several(dilation, dims)
        if padding == "same":
            totals = [d * (k - 1) for d, k in zip(dilations, weight.shape[2:], strict=True)]
            pads = [p for total in totals for p in (total // 2, total - total // 2)]
        else:
            pads = several(0 if padding == "valid" else padding, dims)
        return convolution(self, weight, bias, steps, pads, dilations, groups)

    return reference


def several(value: Any, count: int) -> list[int]:
    """A number as `count` equal ones; a list as it is."""
    return [value] * count if isinstance(value, int) else list(value)


def windows(sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> list[list[range]]:
    """For each dimension the indices that each pooling window covers, also those in the padding."""
    found = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (count - 1) * s >= n + p:
            count -= 1
        found.append([range(i * s - p, i * s - p + d * (k - 1) + 1, d) for i in range(count)])
    return found


def max_pool(
    self: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """The greatest of each window, and its place in the plane."""
    dims = 2 if not isinstance(kernel_size, int) else self.ndim - 2
    kernel = several(kernel_size, dims)
    shapes = [kernel if stride is None else several(stride, dims), several(padding, dims), several(dilation, dims)]
    planes = windows(self.shape[-dims:], kernel, *shapes, ceil_mode)
    values = np.empty((*self.shape[:-dims], *map(len, planes)), self.dtype)
    indices = np.empty(values.shape, np.int64)
    for place in np.ndindex(*values.shape):
        lead, window = place[:-dims], [w[i] for w, i in zip(planes, place[-dims:], strict=True)]
        inside = [c for c in product(*window) if all(0 <= i < n for i, n in zip(c, self.shape[-dims:], strict=True))]
        best = max(inside, key=lambda c: self[(*lead, *c)])
        values[place], indices[place] = self[(*lead, *best)], np.ravel_multi_index(best, self.shape[-dims:])
    return values, indices


def avg_pool(
    self: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The mean of each window; what hangs over the padded end never counts, the padding only if asked."""
    dims = 2 if not isinstance(kernel_size, int) else self.ndim - 2
    kernel, pads = several(kernel_size, dims), several(padding, dims)
    steps = kernel if stride is None else several(stride, dims)
    planes = windows(self.shape[-dims:], kernel, steps, pads, [1] * dims, ceil_mode)
    result = np.empty((*self.shape[:-dims], *map(len, planes)), self.dtype)
    for place in np.ndindex(*result.shape):
        cells = list(product(*(w[i] for w, i in zip(planes, place[-dims:], strict=True))))
        sizes = self.shape[-dims:]
        inside = [c for c in cells if all(0 <= i < n for i, n in zip(c, sizes, strict=True))]
        padded = [c for c in cells if all(i < n + p for i, n, p in zip(c, sizes, pads, strict=True))]
        count = divisor_override or len(padded if count_include_pad else inside)
        result[place] = sum(self[(*place[:-dims], *c)] for c in inside) / count
    return result


def adaptive_avg_pool2d(self: Any, output_size: Any) -> Any:
    """The means of windows from floor(i n / out) to ceil((i + 1) n / out)."""
    edges = [
        [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]
        for n, out in zip(self.shape[-2:], output_size, strict=True)
    ]
    rows = [[self[..., a:b, c:d].mean((-2, -1)) for c, d in edges[1]] for a, b in edges[0]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def max_pool2d_backward(grad_output: Any, indices: Any, input_shape: Any) -> Any:
    """Each gradient added at the place that was chosen."""
    result = np.zeros(input_shape, grad_output.dtype)
    for place in np.ndindex(*indices.shape):
        result[(*place[:-2], *np.unravel_index(indices[place], input_shape[-2:]))] += grad_output[place]
    return result


def standardize(self: Any, weight: Any, bias: Any, dim: Any, affine_shape: Any, eps: float) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias, the mean and the biased variance."""
    mean, var = self.mean(dim, keepdims=True), self.var(dim, keepdims=True)
    result = (self - mean) / np.sqrt(var + eps)
    result = result if weight is None else result * weight.reshape(affine_shape)
    return (result if bias is None else result + bias.reshape(affine_shape)), mean, var


def standardize_groups(self: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """`standardize` for groups of channels."""
    grouped = self.reshape(self.shape[0], groups, self.shape[1] // groups, -1)
    found = standardize(grouped, weight, bias, (2, 3), (groups, grouped.shape[2], 1), eps)
    return found[0].reshape(self.shape), *found[1:]


def normalize_rms(self: Any, weight: Any, dim: Any, eps: float) -> Any:
    """x / sqrt(mean(x^2) + eps) * weight, and the factor of x."""
    scale = 1 / np.sqrt((self * self).mean(tuple(dim), keepdims=True) + eps)
    return self * scale * (1 if weight is None else weight), scale


NETWORK: dict[str, Callable[..., Any]] = {
    "linear": lambda self, weight, bias=None: self @ weight.T + (0 if bias is None else bias),
    "linear_weight_grad": lambda grad_output, self: (
        np.tensordot(grad_output, self, self.ndim - 1)
        if grad_output.ndim < self.ndim
        else grad_output.reshape(-1, grad_output.shape[-1]).T @ self.reshape(-1, self.shape[-1])
    ),
    "convolution": convolution,
    "convolution_input_grad": convolution_input_grad,
    "convolution_weight_grad": convolution_weight_grad,
    "conv1d": conv(1),
    "conv2d": conv(2),
    "max_pool2d_with_indices": max_pool,
    "max_pool2d": lambda self, *a, **k: max_pool(self, *a, **k)[0],
    "max_pool1d": lambda self, *a, **k: max_pool(self, *a, **k)[0],
    "max_pool2d_backward": max_pool2d_backward,
    "avg_pool2d": avg_pool,
    "avg_pool1d": avg_pool,
    "avg_pool2d_backward": lambda grad_output, input_shape, **k: transposed(
        lambda x: avg_pool(x, **k), input_shape, grad_output
    ),
    "adaptive_avg_pool2d": adaptive_avg_pool2d,
    "adaptive_avg_pool2d_backward": lambda grad_output, input_shape: transposed(
        lambda x: adaptive_avg_pool2d(x, grad_output.shape[-2:]), input_shape, grad_output
    ),
    "standardize": standardize,
    "standardize_groups": standardize_groups,
    "normalize_rms": normalize_rms,
}
