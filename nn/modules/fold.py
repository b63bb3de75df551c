"""Layers that take images apart into windows, and put them together."""

from collections.abc import Sequence

from ...generated.tensor import Tensor
from .. import functional as F
from ..docstrings import completed_from
from .module.base import Module

__all__ = ["Fold", "Unfold"]

Pair = int | Sequence[int]


class _Windows(Module):
    _shown = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding = kernel_size, dilation, padding
        self.stride = stride


@completed_from(F.unfold)
class Unfold(_Windows):
    """Each window of an image as a column.

    Formula: y[(c kh + i) kw + j, l] = x[c, h_l + i d_h - p_h, w_l + j d_w - p_w], windows l from (h_l, w_l) on

    Args:
        dilation: the distance of its elements, d.
        padding: how many zeros are added at every side, p.

    Shape: Input: (N, C, H, W) or (C, H, W). Output: (N, C kh kw, L) or (C kh kw, L), one column for each window.

    Example:
        >>> sg.nn.Unfold((1, 2))(sg.arange(3.0).reshape(1, 1, 3))
        tensor([[0., 1.],
                [1., 2.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


@completed_from(F.fold)
class Fold(_Windows):
    """Columns added up to an image, each where its window lies: the transpose of `Unfold`.

    Formula: y[c, h, w] = sum of x[(c kh + i) kw + j, l] over the windows l that have (h, w) at their place (i, j)

    Args:
        kernel_size: height and width of the window, or one number for both.
        dilation: the distance of its elements.
        padding: how many zeros were added at every side.
        stride: the step of the window.

    Shape: Input: (N, C kh kw, L) or (C kh kw, L), one column for each window. Output: (N, C, H, W) or (C, H, W).

    Example:
        >>> sg.nn.Fold((1, 3), (1, 2))(sg.ones(2, 2))
        tensor([[[1., 2., 1.]]])
    """

    def __init__(
        self, output_size: Pair, kernel_size: Pair, dilation: Pair = 1, padding: Pair = 0, stride: Pair = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        geometry = self.dilation, self.padding, self.stride
        return F.fold(input, self.output_size, self.kernel_size, *geometry)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, {super().extra_repr()}"
