"""Layers that add a border of one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from . import functional as F
from .module import Module

Padding = int | Sequence[int]


class _ConstantPadNd(Module):
    """A subclass sets `spatial_dims`."""

    spatial_dims: int

    def __init__(self, padding: Padding, value: float) -> None:
        super().__init__()
        self.padding = checks.integer_list(type(self).__name__, "padding", padding, 2 * self.spatial_dims)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _Zeros:
    """What the layers that pad with zeros show of themselves."""

    padding: Any

    def extra_repr(self) -> str:
        """The padding alone."""
        return f"{self.padding}"


class ConstantPad1d(_ConstantPadNd):
    """A signal with a border of one number.

    Formula: y_i = x_(i - padding), `value` where that is outside

    Args:
        padding: (before, after), or one number for all sides; negative ones cut.
        value: the number.

    Shape:
        Input: (N, C, L) or (C, L). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an odd number of sides, or more than input has dimensions for.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ConstantPad1d(1, 7.0)(sg.zeros(1, 2))
        tensor([[7., 0., 0., 7.]])
    """

    spatial_dims = 1


class ConstantPad2d(_ConstantPadNd):
    """An image with a border of one number.

    Formula: y_i = x_(i - padding), `value` where that is outside

    Args:
        padding: (left, right, top, bottom), or one number for all sides; negative ones cut.
        value: the number.

    Shape:
        Input: (N, C, H, W) or (C, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an odd number of sides, or more than input has dimensions for.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ConstantPad2d((0, 1, 1, 0), 7.0)(sg.zeros(1, 1, 2))
        tensor([[[7., 7., 7.],
                 [0., 0., 7.]]])
    """

    spatial_dims = 2


class ConstantPad3d(_ConstantPadNd):
    """A volume with a border of one number.

    Formula: y_i = x_(i - padding), `value` where that is outside

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all sides; negative ones cut.
        value: the number.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an odd number of sides, or more than input has dimensions for.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ConstantPad3d(1, 7.0)(sg.zeros(1, 1, 1, 2)).shape
        specgrad.Size([1, 3, 3, 4])
    """

    spatial_dims = 3


class ZeroPad1d(_Zeros, ConstantPad1d):
    """A signal with a border of zeros.

    Formula: y_i = x_(i - padding), 0 where that is outside

    Args:
        padding: (before, after), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, L) or (C, L). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an odd number of sides, or more than input has dimensions for.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ZeroPad1d((2, 0))(sg.ones(1, 2))
        tensor([[0., 0., 1., 1.]])
    """

    def __init__(self, padding: Padding) -> None:
        super().__init__(padding, 0.0)


class ZeroPad2d(_Zeros, ConstantPad2d):
    """An image with a border of zeros.

    Formula: y_i = x_(i - padding), 0 where that is outside

    Args:
        padding: (left, right, top, bottom), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, H, W) or (C, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an odd number of sides, or more than input has dimensions for.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ZeroPad2d((0, 1, 1, 0))(sg.ones(1, 1, 2))
        tensor([[[0., 0., 0.],
                 [1., 1., 0.]]])
    """

    def __init__(self, padding: Padding) -> None:
        super().__init__(padding, 0.0)


class ZeroPad3d(_Zeros, ConstantPad3d):
    """A volume with a border of zeros.

    Formula: y_i = x_(i - padding), 0 where that is outside

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all sides; negative ones cut.

    Shape:
        Input: (N, C, D, H, W) or (C, D, H, W). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: an odd number of sides, or more than input has dimensions for.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ZeroPad3d(1)(sg.ones(1, 1, 1, 2)).shape
        specgrad.Size([1, 3, 3, 4])
    """

    def __init__(self, padding: Padding) -> None:
        super().__init__(padding, 0.0)
