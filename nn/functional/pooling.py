"""Pooling with PyTorch's signatures: stride may be None, and a maximum may come with its indices."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime import checks

Size = int | Sequence[int]


def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest value of each window of the last two dimensions.

    Args:
        input: images.
        kernel_size: the size of a window, one number or (height, width).
        stride: the step from window to window; kernel_size when left out.
        padding: how far windows start outside, at most half of kernel_size; values there never win.
        dilation: the step inside a window.
        ceil_mode: whether the last window may hang over the end.
        return_indices: whether to return also where in its plane (row * width + column) each maximum stands.

    Shape:
        Input (N, C, H, W) or (C, H, W); the output has H and W replaced by the number of windows.

    Raises:
        RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.max_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2)
        tensor([[[4.]]])
    """
    values, indices = ops.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


def max_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest value of each window of the last dimension.

    Args:
        input: signals.
        kernel_size, stride, padding, dilation, ceil_mode: as of `max_pool2d`, each one number.
        return_indices: whether to return also where in its signal each maximum stands.

    Shape:
        Input (N, C, L) or (C, L); the output has L replaced by the number of windows.

    Raises:
        RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        tensor([[5., 3.]])
    """
    checks.tensor("max_pool1d", "input", input)
    found = ops.max_pool2d_with_indices(
        input.unsqueeze(-2),
        (1, _line("kernel_size", kernel_size)),
        None if stride is None else (1, _line("stride", stride)),
        (0, _line("padding", padding)),
        (1, _line("dilation", dilation)),
        ceil_mode,
    )
    values, indices = (tensor.squeeze(-2) for tensor in found)
    return (values, indices) if return_indices else values


def _line(name: str, size: Size) -> int:
    """The number in `size`, which may be wrapped into a list of one."""
    sizes = checks.integer_list("max_pool1d", name, size, 1)
    if len(sizes) != 1:
        raise RuntimeError(f"max_pool1d(): {name} must either be a single int, or a tuple of one int, got {size}")
    return sizes[0]


def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of the last two dimensions.

    Args:
        input: images.
        kernel_size: the size of a window, one number or (height, width).
        stride: the step from window to window; kernel_size when left out.
        padding: how many zeros surround the plane, at most half of kernel_size.
        ceil_mode: whether the last window may hang over the end.
        count_include_pad: whether these zeros count in the mean.
        divisor_override: what to divide the sum of a window by, instead of its size.

    Shape:
        Input (N, C, H, W) or (C, H, W); the output has H and W replaced by the number of windows.

    Raises:
        RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.avg_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2)
        tensor([[[2.5000]]])
    """
    return ops.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None]) -> Tensor:
    """Means over output_size windows that cover the plane: window i spans floor(i H / h) to ceil((i + 1) H / h).

    Args:
        input: images.
        output_size: one number or (height, width); None keeps a size.

    Shape:
        Input (N, C, H, W) or (C, H, W); the output has H and W replaced by output_size.

    Raises:
        RuntimeError: input is no image, or output_size no two sizes.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.adaptive_avg_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1)
        tensor([[[2.5000]]])
    """
    own = checks.tensor("adaptive_avg_pool2d", "input", input).shape[-2:]
    wanted = tuple(output_size) if isinstance(output_size, (list, tuple)) else (output_size, output_size)
    if len(wanted) == 2 == len(own):
        wanted = tuple(n if size is None else size for n, size in zip(own, wanted, strict=True))
    return ops.adaptive_avg_pool2d(input, wanted)
