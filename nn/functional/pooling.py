"""Maximum and average pooling, over sliding windows and to a given size, with PyTorch's signatures."""

from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.autograd.inplace import write_out
from ...runtime.dispatch import argument_checks
from ...runtime.ops.pooling.formulas import windows_max
from ...runtime.tensor.observers import autocast_as, interceptable
from ...runtime.tensor.overrides import NOT_HANDLED, overridden_in, plain
from ...runtime.tracebacks import hide_internal_frames
from ..docstrings import completed_from

Size = int | Sequence[int]
Pooled = Any  # a Tensor, or with return_indices a pair of them


def max_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """The largest value of each window of the last dimension.

    Args:
        input: signals.
        kernel_size: length of the window.
        stride: the step from window to window; kernel_size when left out.
        padding: how far windows start outside, at most half of kernel_size; values there never win.
        dilation: the step inside a window.
        ceil_mode: whether the last window may hang over the end.
        return_indices: whether to return also where in its signal each maximum stands.

    Shape: Input (N, C, L) or (C, L); the output has L replaced by the number of windows.

    Raises: RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        tensor([[5., 3.]])
    """
    if input.__class__ not in plain and (result := overridden_in(max_pool1d, locals())) is not NOT_HANDLED:
        return result
    value = windows_max(input, kernel_size, stride, padding, dilation, ceil_mode, 1)
    return value if return_indices else value[0]


@completed_from(max_pool1d)
def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """The largest value of each window of the last two dimensions.

    Example:
        >>> sg.nn.functional.max_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2)
        tensor([[[4.]]])
    """
    try:
        if input.__class__ not in plain and (result := overridden_in(max_pool2d, locals())) is not NOT_HANDLED:
            return result
        value = windows_max(input, kernel_size, stride, padding, dilation, ceil_mode, 2)
        return value if return_indices else value[0]
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(max_pool1d)
def max_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """The largest value of each window of the last three dimensions.

    Example:
        >>> sg.nn.functional.max_pool3d(sg.arange(8.0).view(1, 2, 2, 2), 2)
        tensor([[[[7.]]]])
    """
    if input.__class__ not in plain and (result := overridden_in(max_pool3d, locals())) is not NOT_HANDLED:
        return result
    if return_indices:
        return windows_max(input, kernel_size, stride, padding, dilation, ceil_mode, 3)
    return _max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


@autocast_as(cpu="float32")  # as PyTorch, which casts only without indices
@interceptable("composite")
def _max_pool3d(
    input: Tensor, kernel_size: Size, stride: Size | None, padding: Size, dilation: Size, ceil_mode: bool
) -> Tensor:
    return windows_max(input, kernel_size, stride, padding, dilation, ceil_mode, 3)[0]


def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of each window of the last two dimensions.

    Args:
        input: images.
        kernel_size: height and width, or one number for both, of the window.
        stride: the step from window to window; kernel_size when left out.
        padding: how many zeros surround the plane, at most half of kernel_size.
        ceil_mode: whether the last window may hang over the end.
        count_include_pad: whether these zeros count in the mean.
        divisor_override: what to divide the sum of a window by, instead of its size.
        out: a tensor to write to.

    Shape: Input (N, C, H, W) or (C, H, W); the output has H and W replaced by the number of windows.

    Raises: RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> sg.nn.functional.avg_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2)
        tensor([[[2.5000]]])
    """
    try:
        if input.__class__ not in plain and (result := overridden_in(avg_pool2d, locals())) is not NOT_HANDLED:
            return result
        value = ops.avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)
        return value if out is None else write_out("avg_pool2d", out, value)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(avg_pool2d)
def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of each window of the last three dimensions.

    Example:
        >>> sg.nn.functional.avg_pool3d(sg.arange(8.0).view(1, 2, 2, 2), 2)
        tensor([[[[3.5000]]]])
    """
    if input.__class__ not in plain and (result := overridden_in(avg_pool3d, locals())) is not NOT_HANDLED:
        return result
    value = ops.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return value if out is None else write_out("avg_pool3d", out, value)


AdaptiveSize = int | Sequence[int | None]


def adaptive_avg_pool2d(input: Tensor, output_size: AdaptiveSize) -> Tensor:
    """Means over output_size windows that cover the plane: window i spans floor(i H / h) to ceil((i + 1) H / h).

    Args:
        input: images.
        output_size: one number or (height, width); None keeps a size.

    Shape: Input (N, C, H, W) or (C, H, W); the output has H and W replaced by output_size.

    Raises: RuntimeError: input is no image, or another number of sizes.

    Example:
        >>> sg.nn.functional.adaptive_avg_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1)
        tensor([[[2.5000]]])
    """
    return ops.adaptive_avg_pool2d(input, _adaptive_sizes("adaptive_avg_pool2d", input, output_size, 2))


@completed_from(adaptive_avg_pool2d)
def adaptive_avg_pool3d(input: Tensor, output_size: AdaptiveSize) -> Tensor:
    """Means over output_size windows that cover the last three dimensions as evenly as may be.

    Example:
        >>> sg.nn.functional.adaptive_avg_pool3d(sg.arange(8.0).view(1, 2, 2, 2), 1)
        tensor([[[[3.5000]]]])
    """
    return ops.adaptive_avg_pool3d(input, _adaptive_sizes("adaptive_avg_pool3d", input, output_size, 3))


def adaptive_max_pool1d(input: Tensor, output_size: AdaptiveSize, return_indices: bool = False) -> Pooled:
    """The largest value of each of output_size windows that cover the last dimension as evenly as may be.

    Args:
        input: signals.
        output_size: how many windows.
        return_indices: whether to return also where in its signal each maximum stands.

    Shape: Input (N, C, L) or (C, L); the output has L replaced by output_size.

    Raises: RuntimeError: input is no signal, or another number of sizes.

    Example:
        >>> sg.nn.functional.adaptive_max_pool1d(sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        tensor([[5., 3.]])
    """
    return _adaptive_max_pool(1, input, output_size, return_indices)


@completed_from(adaptive_max_pool1d)
def adaptive_max_pool2d(input: Tensor, output_size: AdaptiveSize, return_indices: bool = False) -> Pooled:
    """The largest value of each of output_size windows that cover the plane: window i spans floor(i H / h) to
    ceil((i + 1) H / h).

    Example:
        >>> sg.nn.functional.adaptive_max_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1)
        tensor([[[4.]]])
    """
    return _adaptive_max_pool(2, input, output_size, return_indices)


@autocast_as(cpu="float32")
@interceptable("composite")
@completed_from(adaptive_max_pool1d)
def adaptive_max_pool3d(input: Tensor, output_size: AdaptiveSize, return_indices: bool = False) -> Pooled:
    """The largest value of each of output_size windows that cover the last three dimensions as evenly as may be.

    Example:
        >>> sg.nn.functional.adaptive_max_pool3d(sg.arange(8.0).view(1, 2, 2, 2), (2, 1, 1))
        tensor([[[[3.]],
        <BLANKLINE>
                 [[7.]]]])
    """
    return _adaptive_max_pool(3, input, output_size, return_indices)


def _adaptive_max_pool(spatial: int, input: Tensor, output_size: Any, return_indices: bool) -> Pooled:
    sizes = _adaptive_sizes(f"adaptive_max_pool{spatial}d", input, output_size, spatial)
    result = ops.adaptive_max_pool_with_indices(input, sizes, spatial)
    return result if return_indices else result[0]


def _adaptive_sizes(op: str, input: Tensor, output_size: Any, spatial: int) -> tuple[int, ...]:
    own = argument_checks.tensor(op, "input", input).shape[-spatial:]
    requested = tuple(output_size) if isinstance(output_size, (list, tuple)) else (output_size,) * spatial
    if spatial > 1 and isinstance(output_size, (list, tuple)) and input.ndim <= len(requested):
        raise ValueError(f"{op}(): Input dimension should be at least {len(requested) + 1}, but got {input.ndim}")
    if len(requested) == len(own):
        requested = tuple(n if size is None else size for n, size in zip(own, requested, strict=True))
    return argument_checks.integer_list(op, "output_size", requested, spatial)
