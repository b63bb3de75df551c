"""Layers that add a border of what the input has at its other end."""

from __future__ import annotations

from ..generated.tensor import Tensor
from .border_padding import BorderPadNd


class _CircularPadNd(BorderPadNd):
    """Circles are asked for input of the right number of dimensions first, as PyTorch does it."""

    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        fewest = self.spatial_dims + 1
        if input.ndim not in (fewest, fewest + 1):
            name = type(self).__name__
            raise ValueError(f"{name}(): expected {fewest}D or {fewest + 1}D input (got {input.ndim}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """A signal with what is at its other end as a border.

    Formula: y_i = x_j where j = i - padding, modulo the size of x

    Args:
        padding: (before, after), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, L) or (C, L). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: a side larger than input.
        ValueError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.CircularPad1d((1, 1))(sg.tensor([[1.0, 2.0, 3.0]]))
        tensor([[3., 1., 2., 3., 1.]])
    """

    spatial_dims = 1


class CircularPad2d(_CircularPadNd):
    """An image with what is at its other end as a border.

    Formula: y_i = x_j where j = i - padding, modulo the size of x

    Args:
        padding: (left, right, top, bottom), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, H, W) or (C, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: a side larger than input.
        ValueError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> sg.nn.CircularPad2d((1, 0, 0, 0))(x)
        tensor([[[2., 1., 2.],
                 [4., 3., 4.]]])
    """

    spatial_dims = 2


class CircularPad3d(_CircularPadNd):
    """A volume with what is at its other end as a border.

    Formula: y_i = x_j where j = i - padding, modulo the size of x

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: a side larger than input.
        ValueError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.CircularPad3d(1)(sg.ones(1, 2, 2, 2)).shape
        specgrad.Size([1, 4, 4, 4])
    """

    spatial_dims = 3
