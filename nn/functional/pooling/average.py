"""Average pooling with PyTorch's signatures: stride may be None."""

from __future__ import annotations

from collections.abc import Sequence

from ....generated import ops
from ....generated.tensor import Tensor

Size = int | Sequence[int]


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
    return ops.avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


def avg_pool3d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window of the last three dimensions.

    Args:
        input: volumes.
        kernel_size, stride, padding: as of `avg_pool2d`, each one number or three.
        ceil_mode, count_include_pad, divisor_override: as of `avg_pool2d`.

    Shape:
        Input (N, C, D, H, W) or (C, D, H, W); the output has D, H and W replaced by the number of windows.

    Raises:
        RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.avg_pool3d(sg.arange(8.0).view(1, 2, 2, 2), 2)
        tensor([[[[3.5000]]]])
    """
    return ops.avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)
