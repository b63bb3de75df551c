"""Layers that add a border of what the input has there itself: its mirror image, or its last elements."""

from __future__ import annotations

from collections.abc import Sequence

from ..generated.tensor import Tensor
from ..runtime import checks
from . import functional as F
from .module import Module

Padding = int | Sequence[int]


class BorderPadNd(Module):
    """A subclass sets `mode` and `spatial_dims`."""

    mode: str
    spatial_dims: int

    def __init__(self, padding: Padding) -> None:
        super().__init__()
        self.padding = checks.integer_list(type(self).__name__, "padding", padding, 2 * self.spatial_dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(BorderPadNd):
    """A signal with its mirror image at the border as a border.

    Formula: y_i = x_j where j = i - padding, mirrored at the ends until it is inside

    Args:
        padding: (before, after), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, L) or (C, L). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: a side as large as input or larger.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ReflectionPad1d((1, 1))(sg.tensor([[1.0, 2.0, 3.0]]))
        tensor([[2., 1., 2., 3., 2.]])
    """

    mode = "reflect"
    spatial_dims = 1


class ReflectionPad2d(BorderPadNd):
    """An image with its mirror image at the border as a border.

    Formula: y_i = x_j where j = i - padding, mirrored at the ends until it is inside

    Args:
        padding: (left, right, top, bottom), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, H, W) or (C, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: a side as large as input or larger.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> sg.nn.ReflectionPad2d((1, 0, 0, 0))(x)
        tensor([[[2., 1., 2.],
                 [4., 3., 4.]]])
    """

    mode = "reflect"
    spatial_dims = 2


class ReflectionPad3d(BorderPadNd):
    """A volume with its mirror image at the border as a border.

    Formula: y_i = x_j where j = i - padding, mirrored at the ends until it is inside

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: a side as large as input or larger.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ReflectionPad3d(1)(sg.ones(1, 2, 2, 2)).shape
        specgrad.Size([1, 4, 4, 4])
    """

    mode = "reflect"
    spatial_dims = 3


class ReplicationPad1d(BorderPadNd):
    """A signal with the elements at the border repeated as a border.

    Formula: y_i = x_j where j is i - padding, limited to the places of x

    Args:
        padding: (before, after), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, L) or (C, L). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an input of size 0.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ReplicationPad1d((2, 0))(sg.tensor([[1.0, 2.0, 3.0]]))
        tensor([[1., 1., 1., 2., 3.]])
    """

    mode = "replicate"
    spatial_dims = 1


class ReplicationPad2d(BorderPadNd):
    """An image with the elements at the border repeated as a border.

    Formula: y_i = x_j where j is i - padding, limited to the places of x

    Args:
        padding: (left, right, top, bottom), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, H, W) or (C, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an input of size 0.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> sg.nn.ReplicationPad2d((1, 0, 0, 0))(x)
        tensor([[[1., 1., 2.],
                 [3., 3., 4.]]])
    """

    mode = "replicate"
    spatial_dims = 2


class ReplicationPad3d(BorderPadNd):
    """A volume with the elements at the border repeated as a border.

    Formula: y_i = x_j where j is i - padding, limited to the places of x

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an input of size 0.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ReplicationPad3d(1)(sg.ones(1, 2, 2, 2)).shape
        specgrad.Size([1, 4, 4, 4])
    """

    mode = "replicate"
    spatial_dims = 3
