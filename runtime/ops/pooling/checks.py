"""Argument checks of pooling over the last `spatial` dimensions, one to three."""

import functools
from collections.abc import Sequence
from math import prod
from typing import Any

from ...dispatch.shape_rules import require_index_dtype, require_shape
from ...errors import ShapeError
from ...shapes import Shape, pool_size
from ...tensor import dtypes


class EmptyWindowError(ShapeError):
    """A window has no element, and so no maximum."""


MAX_ELEMENTS = 2**59  # 16 bytes of each are 2**63
Ints = Sequence[int]
Window = tuple[Shape, Shape, Shape, Shape]  # kernel size, stride, padding, dilation


def max_pool(
    op: str, input: Any, kernel_size: Ints, stride: Ints | None, padding: Ints, dilation: Ints, ceil_mode: bool,
    spatial: int,
) -> tuple[Any, ...]:  # fmt: skip
    """A number for each dimension, or one for all; stride is kernel_size unless given."""
    op = f"max_pool{spatial}d"
    window = _window(op, spatial, kernel_size, stride, padding, dilation)
    shape = _output_shape(op, input._shape, window, ceil_mode)
    _require_elements(op, input._shape[-spatial:], shape[-spatial:], window)
    return input, *window, ceil_mode, spatial


def max_pool_backward(op: str, grad_output: Any, indices: Any, input_shape: Ints, spatial: int) -> tuple[Any, ...]:
    """An index for each gradient, and planes for both."""
    require_index_dtype(op, "indices", indices, (dtypes.int64,))
    require_shape(op, "indices", indices, grad_output._shape)
    _require_planes(op, grad_output._shape, input_shape, spatial)
    return grad_output, indices, tuple(input_shape), spatial


def max_unpool(
    op: str, self: Any, indices: Any, kernel_size: Ints, stride: Ints | None, padding: Ints, output_size: Ints | None
) -> tuple[Any, ...]:
    """An index for each maximum; an output_size, of all dimensions or those of the plane, that pooling leaves open."""
    spatial = int(op.removeprefix("max_unpool")[0])
    if len(self._shape) <= spatial:
        raise ShapeError(f"{op}(): expected channels of {spatial} dimensions, but got shape {list(self._shape)}")
    if indices.dtype is not dtypes.int64:
        raise RuntimeError(f"{op}(): elements in indices should be type int64 but got: {indices.dtype.name}")
    if indices._shape != self._shape:
        raise ShapeError(
            f"{op}(): Expected shape of indices to be same as that of the input tensor ({list(self._shape)}) but got "
            f"indices tensor with shape: {list(indices._shape)}"
        )
    kernel, pads = _sizes(op, spatial, "kernel_size", kernel_size), _sizes(op, spatial, "padding", padding)
    step = kernel if stride is None else _sizes(op, spatial, "stride", stride)
    sides = zip(self._shape[-spatial:], step, kernel, pads, strict=True)
    default_sizes = [(n - 1) * s + k - 2 * pad for n, s, k, pad in sides]
    if min(default_sizes) < 0:
        raise ShapeError(f"{op}(): the sizes before pooling would be {default_sizes}")
    sizes = default_sizes if output_size is None else _chosen_sizes(op, tuple(output_size), default_sizes, step)
    return self, indices, kernel, step, pads, tuple(sizes)


def _chosen_sizes(op: str, requested: Shape, default_sizes: Ints, step: Shape) -> Shape:
    """output_size, of a whole shape its end, which may differ from the usual sizes by less than a step."""
    spatial = len(default_sizes)
    if len(requested) == spatial + 2:
        requested = requested[2:]
    if len(requested) != spatial:
        raise ValueError(
            f"{op}(): output_size should be a sequence containing {spatial} or {spatial + 2} elements, but it has a "
            f"length of '{len(requested)}'"
        )
    for dim, (size, n, s) in enumerate(zip(requested, default_sizes, step, strict=True)):
        if not n - s < size < n + s:
            allowed = f"dim {dim} must be between {n - s} and {n + s}"
            raise ValueError(f'{op}(): invalid output_size "{requested}" ({allowed})')
    return requested


def avg_pool(
    op: str, input: Any, kernel_size: Ints, stride: Ints | None, padding: Ints, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None, spatial: int,
) -> tuple[Any, ...]:  # fmt: skip
    """A number for each dimension, or one for all; stride is kernel_size unless given."""
    rest = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, spatial
    return input, *_mean_windows(f"avg_pool{spatial}d", input._shape, *rest)[1:]


def avg_pool_backward(
    op: str, grad_output: Any, input_shape: Ints, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None, spatial: int,
) -> tuple[Any, ...]:  # fmt: skip
    """The gradient has the shape of the pooled input."""
    rest = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, spatial
    shape, *window = _mean_windows(op, tuple(input_shape), *rest)
    require_shape(op, "grad_output", grad_output, shape)
    return grad_output, tuple(input_shape), *window


def _mean_windows(
    op: str, input_shape: Shape, kernel_size: Ints, stride: Ints | None, padding: Ints, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None, spatial: int,
) -> tuple[Any, ...]:  # fmt: skip
    """The shape of the output, and the arguments of avg_pool with complete sizes."""
    window = _window(op, spatial, kernel_size, stride, padding, (1,))
    shape = _output_shape(op, input_shape, window, ceil_mode)
    if divisor_override == 0:
        raise RuntimeError(f"{op}(): divisor must be not zero")
    return shape, *window[:3], ceil_mode, count_include_pad, divisor_override, spatial


def adaptive_pool(op: str, input: Any, output_size: Ints, spatial: int) -> tuple[Any, ...]:
    """A plane of some size, and the size it shall get: a number for each dimension, or one for all."""
    op = op.replace("pool", f"pool{spatial}d").removesuffix("_with_indices")
    size = _sizes(op, spatial, "output_size", output_size)
    if min(size) < 0:
        raise RuntimeError(f"{op}(): elements of output_size must be greater than or equal to 0, got {size}")
    _require_dims(op, input._shape, spatial, channels=op.startswith("adaptive_max"))
    shape = (*input._shape[:-spatial], *size)
    if prod(shape) >= MAX_ELEMENTS:
        raise RuntimeError(f"{op}(): the number of elements of an output of shape {list(shape)} overflows")
    return input, size, spatial


def adaptive_pool_backward(op: str, grad_output: Any, input_shape: Ints, spatial: int) -> tuple[Any, ...]:
    """Planes for both."""
    _require_dims(op, tuple(input_shape), spatial)
    _require_planes(op, grad_output._shape, input_shape, spatial)
    return grad_output, tuple(input_shape), spatial


def _sizes(op: str, spatial: int, name: str, values: Ints) -> Shape:
    if not 1 <= spatial <= 3:
        raise RuntimeError(f"{op}(): argument 'spatial' must be 1, 2 or 3, but got {spatial}")
    if len(values) == 1:
        return (values[0],) * spatial
    if len(values) != spatial:
        count = ("one int", "two ints", "three ints")[spatial - 1]
        raise RuntimeError(f"{op}(): {name} must either be a single int, or a tuple of {count}, got {tuple(values)}")
    return tuple(values)


@functools.lru_cache(maxsize=1024)
def _window(op: str, spatial: int, kernel_size: Ints, stride: Ints | None, padding: Ints, dilation: Ints) -> Window:
    kernel = _sizes(op, spatial, "kernel_size", kernel_size)
    step = _sizes(op, spatial, "stride", stride) if stride else kernel
    pads, dilations = _sizes(op, spatial, "padding", padding), _sizes(op, spatial, "dilation", dilation)
    for name, values in (("kernel_size", kernel), ("stride", step), ("dilation", dilations)):
        if min(values) < 1:
            raise RuntimeError(f"{op}(): {name} should be greater than zero, but got {values}")
    for pad, k, d in zip(pads, kernel, dilations, strict=True):
        if pad < 0 or pad > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"{op}(): pad should be non-negative and at most half of effective kernel size, but got "
                f"pad={pad}, kernel_size={k} and dilation={d}"
            )
    return kernel, step, pads, dilations


@functools.lru_cache(maxsize=1024)
def _output_shape(op: str, shape: Shape, window: Window, ceil_mode: bool) -> Shape:
    spatial = len(window[0])
    _require_dims(op, shape, spatial)
    lead, own = shape[:-spatial], shape[-spatial:]
    sizes = tuple(pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in zip(own, *window, strict=True))
    if min(sizes) < 1:
        raise ShapeError(
            f"{op}(): Given input size: {list(shape)}. Calculated output size: {[*lead, *sizes]}. "
            "Output size is too small"
        )
    return (*lead, *sizes)


def _require_elements(op: str, sizes: Shape, counts: Shape, window: Window) -> None:
    """A dilated window that begins in the padding may step over a short dimension."""
    _, stride, padding, dilation = window
    for size, count, step, pad, d in zip(sizes, counts, stride, padding, dilation, strict=True):
        if size < d and any((begin * step - pad) % d >= size for begin in range(min(count, -(-pad // step)))):
            raise EmptyWindowError(
                f"{op}(): a window of dilation={d}, padding={pad} has no element of a dimension of {size}"
            )


def _require_dims(op: str, shape: Shape, spatial: int, channels: bool = True) -> None:
    """`channels`: whether there must be some."""
    if len(shape) not in (spatial + 1, spatial + 2) or 0 in shape[-spatial - channels :]:
        raise ShapeError(
            f"{op}(): Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with optional 0 dim batch size "
            f"for input, but got: {list(shape)}"
        )


def _require_planes(op: str, grad_shape: Ints, input_shape: Ints, spatial: int) -> None:
    lead = tuple(input_shape[:-spatial])
    if len(input_shape) < spatial or min(input_shape) < 0 or tuple(grad_shape[:-spatial]) != lead:
        raise ShapeError(f"{op}(): grad_output of shape {list(grad_shape)} does not fit {list(input_shape)}")


def lp_pool(op: str, input: Any, norm_type: float, kernel_size: Sequence[int], *rest: Any) -> tuple[Any, ...]:
    """The norm's exponent is not 0; a kernel_size of one number stands for all dimensions."""
    if norm_type == 0:
        raise ValueError("lp_pool(): expected norm_type to be a number other than 0")
    spatial = rest[-1]
    return input, norm_type, tuple(kernel_size) * spatial if len(kernel_size) == 1 else kernel_size, *rest


def fractional_max_pool(
    op: str, input: Any, kernel_size: Sequence[int], output_size: Sequence[int], random_samples: Any
) -> tuple[Any, ...]:
    """Two or three dimensions of windows, each of which fits; one random number for each plane and dimension."""
    spatial = len(kernel_size)
    if spatial not in (2, 3) or len(output_size) != spatial or input.ndim not in (spatial + 1, spatial + 2):
        raise ShapeError(
            f"{op}(): expected sizes for 2 or 3 dimensions behind the channels, got {list(kernel_size)}, "
            f"{list(output_size)} for input of shape {list(input._shape)}"
        )
    planes = input._shape[-spatial:]
    for size, kernel, windows in zip(planes, kernel_size, output_size, strict=True):
        if kernel < 1 or windows < 1 or windows + kernel - 1 > size:
            raise RuntimeError(
                f"{op}(): expected windows that fit into {list(planes)}, got kernel_size {list(kernel_size)} and "
                f"output_size {list(output_size)}"
            )
    rows = input._shape[:2] if input.ndim == spatial + 2 else (1, input._shape[0])
    require_shape(op, "_random_samples", random_samples, (*rows, spatial))
    return input, tuple(kernel_size), tuple(output_size), random_samples
