"""Windows of images as columns, and back."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated import ops
from ...generated.tensor import Tensor

Pair = int | Sequence[int]


def unfold(input: Tensor, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1) -> Tensor:
    """Each window of an image as a column.

    Args:
        input: the images.
        kernel_size: height and width of the window, or one number for both.
        dilation: the distance of its elements.
        padding: how many zeros are added at every side.
        stride: the step of the window.

    Shape:
        Input (N, C, H, W) or (C, H, W); output (N, C kh kw, L) or (C kh kw, L), one column for each window.

    Raises:
        RuntimeError: input of other dimensions, no window that fits, or numbers that are too small.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.unfold(sg.arange(6.0).reshape(1, 1, 2, 3), 2)
        tensor([[[0., 1.],
                 [1., 2.],
                 [3., 4.],
                 [4., 5.]]])
    """
    return ops.im2col(input, kernel_size, dilation, padding, stride)


def fold(
    input: Tensor, output_size: Pair, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1
) -> Tensor:
    """Columns added up to an image, each where its window lies: the transpose of `unfold`.

    Args:
        input: the columns.
        output_size: height and width of the image, or one number for both.
        kernel_size, dilation, padding, stride: those of the windows.

    Shape:
        Input (N, C kh kw, L) or (C kh kw, L); output (N, C, H, W) or (C, H, W).

    Raises:
        RuntimeError: input of other dimensions, or not as many columns as windows.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.fold(sg.ones(1, 2, 2), (1, 3), (1, 2))
        tensor([[[[1., 2., 1.]]]])
    """
    return ops.col2im(input, output_size, kernel_size, dilation, padding, stride)
