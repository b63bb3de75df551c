"""Argument rules of pooling over the last two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..errors import ShapeError
from ..kernels.windows import pool_size
from .network import require_index_dtype, require_shape

Ints = Sequence[int]
Pair = tuple[int, int]


def max_pool2d(
    op: str,
    input: Any,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> tuple[Any, ...]:
    """Pairs of numbers; stride is kernel_size unless given."""
    op = op.removesuffix("_with_indices")
    window = _window(op, kernel_size, stride, padding, dilation)
    _output_shape(op, input.shape, window, ceil_mode)
    return input, *window, ceil_mode


def max_pool2d_backward(op: str, grad_output: Any, indices: Any, input_shape: Ints) -> tuple[Any, ...]:
    """An index for each gradient, and planes for both."""
    require_index_dtype(op, "indices", indices, (dtypes.int64,))
    require_shape(op, "indices", indices, grad_output.shape)
    _require_planes(op, grad_output.shape, input_shape)
    return grad_output, indices, tuple(input_shape)


def avg_pool2d(
    op: str,
    input: Any,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> tuple[Any, ...]:
    """Pairs of numbers; stride is kernel_size unless given."""
    kernel, step, pads, ones = _window(op, kernel_size, stride, padding, (1, 1))
    _output_shape(op, input.shape, (kernel, step, pads, ones), ceil_mode)
    _require_divisor(op, divisor_override)
    return input, kernel, step, pads, ceil_mode, count_include_pad, divisor_override


def avg_pool2d_backward(
    op: str,
    grad_output: Any,
    input_shape: Ints,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> tuple[Any, ...]:
    """The gradient has the shape of the pooled input."""
    kernel, step, pads, ones = _window(op, kernel_size, stride, padding, (1, 1))
    expected = _output_shape(op, tuple(input_shape), (kernel, step, pads, ones), ceil_mode)
    require_shape(op, "grad_output", grad_output, expected)
    _require_divisor(op, divisor_override)
    rest = (ceil_mode, count_include_pad, divisor_override)
    return grad_output, tuple(input_shape), kernel, step, pads, *rest


def adaptive_avg_pool2d(op: str, input: Any, output_size: Ints) -> tuple[Any, ...]:
    """A plane of some size, and the size it shall get."""
    size = _pair(op, "output_size", output_size)
    if min(size) < 0:
        raise RuntimeError(f"{op}(): elements of output_size must be greater than or equal to 0, got {size}")
    _require_dims(op, input.shape)
    return input, size


def adaptive_avg_pool2d_backward(op: str, grad_output: Any, input_shape: Ints) -> tuple[Any, ...]:
    """Planes for both."""
    _require_dims(op, tuple(input_shape))
    _require_planes(op, grad_output.shape, input_shape)
    return grad_output, tuple(input_shape)


def _pair(op: str, name: str, values: Ints) -> Pair:
    if len(values) == 1:
        return values[0], values[0]
    if len(values) != 2:
        raise RuntimeError(f"{op}(): {name} must either be a single int, or a tuple of two ints, got {values}")
    return values[0], values[1]


def _window(
    op: str, kernel_size: Ints, stride: Ints | None, padding: Ints, dilation: Ints
) -> tuple[Pair, Pair, Pair, Pair]:
    kernel = _pair(op, "kernel_size", kernel_size)
    step = _pair(op, "stride", stride) if stride else kernel
    pads, spread = _pair(op, "padding", padding), _pair(op, "dilation", dilation)
    for name, values in (("kernel_size", kernel), ("stride", step), ("dilation", spread)):
        if min(values) < 1:
            raise RuntimeError(f"{op}(): {name} should be greater than zero, but got {values}")
    for pad, k, d in zip(pads, kernel, spread, strict=True):
        if pad < 0 or pad > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"{op}(): pad should be non-negative and at most half of effective kernel size, but got "
                f"pad={pad}, kernel_size={k} and dilation={d}"
            )
    return kernel, step, pads, spread


def _output_shape(
    op: str, shape: tuple[int, ...], window: tuple[Pair, Pair, Pair, Pair], ceil_mode: bool
) -> tuple[int, ...]:
    _require_dims(op, shape)
    sizes = tuple(pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in zip(shape[-2:], *window, strict=True))
    if min(sizes) < 1:
        raise ShapeError(
            f"{op}(): Given input size: {list(shape)}. Calculated output size: {[*shape[:-2], *sizes]}. "
            "Output size is too small"
        )
    return (*shape[:-2], *sizes)


def _require_dims(op: str, shape: tuple[int, ...]) -> None:
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise ShapeError(
            f"{op}(): Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, "
            f"but got: {list(shape)}"
        )


def _require_planes(op: str, grad_shape: Ints, input_shape: Ints) -> None:
    if len(input_shape) < 2 or min(input_shape) < 0 or tuple(grad_shape[:-2]) != tuple(input_shape[:-2]):
        raise ShapeError(f"{op}(): grad_output of shape {list(grad_shape)} does not fit {list(input_shape)}")


def _require_divisor(op: str, divisor: int | None) -> None:
    if divisor == 0:
        raise RuntimeError(f"{op}(): divisor must be not zero")
