"""Windows of images as columns, and back; padding."""

from collections.abc import Sequence

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.tensor.observers import autocast_as, interceptable

Pair = int | Sequence[int]


def unfold(input: Tensor, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1) -> Tensor:
    """Each window of an image as a column.

    Args:
        input: the images.
        kernel_size: height and width of the window, or one number for both.
        dilation: the distance of its elements.
        padding: how many zeros are added at every side.
        stride: the step of the window.

    Shape: Input (N, C, H, W) or (C, H, W); output (N, C kh kw, L) or (C kh kw, L), one column for each window.

    Raises: RuntimeError: input of other dimensions, no window that fits, or numbers that are too small.

    Example:
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

    Shape: Input (N, C kh kw, L) or (C kh kw, L); output (N, C, H, W) or (C, H, W).

    Raises: RuntimeError: input of other dimensions, or not as many columns as windows.

    Example:
        >>> sg.nn.functional.fold(sg.ones(1, 2, 2), (1, 3), (1, 2))
        tensor([[[[1., 2., 1.]]]])
    """
    return ops.col2im(input, output_size, kernel_size, dilation, padding, stride)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """input with a border.

    Args:
        input: the tensor.
        pad: how much to add (or, where negative, to cut) before and after the last dimension, then the one
            before it, and so on.
        mode: what the border has: 'constant', one value; 'reflect', what is mirrored at the border; 'replicate', the
            value at the border; 'circular', what is at the other end.
        value: the border's value where the mode is 'constant', 0 when left out.

    Shape:
        Any; dimension -1 - i of the output is larger by pad[2 i] + pad[2 i + 1]. But for 'constant' one to three
        dimensions are padded, before which there are one or two.

    Raises:
        RuntimeError: an odd number of pads, or more than input has dimensions for, or more than input can fill.
        NotImplementedError: another mode, or input with other dimensions than the mode has.

    Example:
        >>> sg.nn.functional.pad(sg.ones(2), (1, 0))
        tensor([0., 1., 1.])
        >>> sg.nn.functional.pad(sg.tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
        tensor([[3., 2., 1., 2., 3., 2.]])
    """
    if argument_checks.string("pad", "mode", mode) == "constant":
        return ops.constant_pad_nd(input, pad, 0 if value is None else value)
    if value is not None:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "replicate" or (mode == "reflect" and len(pad) < 6):
        return _bordered(input, pad, mode)
    return ops.border_pad(input, pad, mode)


@autocast_as(cpu="float32")
@interceptable("composite")
def _bordered(input: Tensor, pad: Sequence[int], mode: str) -> Tensor:
    """A tensor with a border of values that it has near it."""
    return ops.border_pad(input, pad, mode)
