"""Padding layers: a constant, reflection, replication of the edge, or circular padding."""

from collections.abc import Sequence

from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from .. import functional as F
from ..docstrings import completed_from
from .module.base import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

Padding = int | Sequence[int]


class BorderPadNd(Module):
    """Padding by elements of the input: a subclass sets `mode` of `functional.pad` and `spatial_dims`."""

    mode: str
    spatial_dims: int

    def __init__(self, padding: Padding) -> None:
        super().__init__()
        self.padding = argument_checks.integer_list(type(self).__name__, "padding", padding, 2 * self.spatial_dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(BorderPadNd):
    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """A signal with its mirror image at the border as a border.

    Formula: y_i = x_j where j = i - padding, mirrored at the ends until it is inside

    Args:
        padding: (before, after), or one number for all sides; negative ones cut.

    Shape: Input: (N, C, L) or (C, L). Output: the same, its spatial sizes larger by the padding.

    Raises:
        RuntimeError: a side as large as input or larger.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> sg.nn.ReflectionPad1d((1, 1))(sg.tensor([[1.0, 2.0, 3.0]]))
        tensor([[2., 1., 2., 3., 2.]])
    """

    spatial_dims = 1


@completed_from(ReflectionPad1d)
class ReflectionPad2d(_ReflectionPadNd):
    """An image with its mirror image at the border as a border.

    Example:
        >>> x = sg.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> sg.nn.ReflectionPad2d((1, 0, 0, 0))(x)
        tensor([[[2., 1., 2.],
                 [4., 3., 4.]]])
    """

    spatial_dims = 2


@completed_from(ReflectionPad1d)
class ReflectionPad3d(_ReflectionPadNd):
    """A volume with its mirror image at the border as a border.

    Example:
        >>> sg.nn.ReflectionPad3d(1)(sg.ones(1, 2, 2, 2)).shape
        specgrad.Size([1, 4, 4, 4])
    """

    spatial_dims = 3


class _ReplicationPadNd(BorderPadNd):
    mode = "replicate"


@completed_from(ReflectionPad1d)
class ReplicationPad1d(_ReplicationPadNd):
    """A signal with the elements at the border repeated as a border.

    Formula: y_i = x_j where j is i - padding, clamped to the indices of x

    Raises:
        RuntimeError: an input of size 0.
        NotImplementedError: input of another number of dimensions.

    Example:
        >>> sg.nn.ReplicationPad1d((2, 0))(sg.tensor([[1.0, 2.0, 3.0]]))
        tensor([[1., 1., 1., 2., 3.]])
    """

    spatial_dims = 1


@completed_from(ReplicationPad1d)
class ReplicationPad2d(_ReplicationPadNd):
    """An image with the elements at the border repeated as a border.

    Example:
        >>> x = sg.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> sg.nn.ReplicationPad2d((1, 0, 0, 0))(x)
        tensor([[[1., 1., 2.],
                 [3., 3., 4.]]])
    """

    spatial_dims = 2


@completed_from(ReplicationPad1d)
class ReplicationPad3d(_ReplicationPadNd):
    """A volume with the elements at the border repeated as a border.

    Example:
        >>> sg.nn.ReplicationPad3d(1)(sg.ones(1, 2, 2, 2)).shape
        specgrad.Size([1, 4, 4, 4])
    """

    spatial_dims = 3


class _CircularPadNd(BorderPadNd):
    """Circular padding, which checks the input's number of dimensions first, as PyTorch does."""

    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        fewest = self.spatial_dims + 1
        if input.ndim not in (fewest, fewest + 1):
            name = type(self).__name__
            raise ValueError(f"{name}(): expected {fewest}D or {fewest + 1}D input (got {input.ndim}D input)")
        return super().forward(input)


@completed_from(ReflectionPad1d)
class CircularPad1d(_CircularPadNd):
    """A signal with what is at its other end as a border.

    Formula: y_i = x_j where j = i - padding, modulo the size of x

    Raises:
        RuntimeError: a side larger than input.
        ValueError: input of another number of dimensions.

    Example:
        >>> sg.nn.CircularPad1d((1, 1))(sg.tensor([[1.0, 2.0, 3.0]]))
        tensor([[3., 1., 2., 3., 1.]])
    """

    spatial_dims = 1


@completed_from(CircularPad1d)
class CircularPad2d(_CircularPadNd):
    """An image with what is at its other end as a border.

    Example:
        >>> x = sg.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> sg.nn.CircularPad2d((1, 0, 0, 0))(x)
        tensor([[[2., 1., 2.],
                 [4., 3., 4.]]])
    """

    spatial_dims = 2


@completed_from(CircularPad1d)
class CircularPad3d(_CircularPadNd):
    """A volume with what is at its other end as a border.

    Example:
        >>> sg.nn.CircularPad3d(1)(sg.ones(1, 2, 2, 2)).shape
        specgrad.Size([1, 4, 4, 4])
    """

    spatial_dims = 3


class _ConstantPadNd(Module):
    spatial_dims: int
    _shown = ("padding", "value")

    def __init__(self, padding: Padding, value: float) -> None:
        super().__init__()
        self.padding = argument_checks.integer_list(type(self).__name__, "padding", padding, 2 * self.spatial_dims)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class _ZeroPad(_ConstantPadNd):
    def __init__(self, padding: Padding) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPadNd):
    """A signal with a border of one number.

    Formula: y_i = x_(i - padding), `value` where that is outside

    Args:
        padding: (before, after), or one number for all sides; negative ones cut.
        value: the number.

    Shape: Input: (N, C, L) or (C, L). Output: the same, its spatial sizes larger by the padding.

    Raises: RuntimeError: an odd number of sides, or more than input has dimensions for.

    Example:
        >>> sg.nn.ConstantPad1d(1, 7.0)(sg.zeros(1, 2))
        tensor([[7., 0., 0., 7.]])
    """

    spatial_dims = 1


@completed_from(ConstantPad1d)
class ConstantPad2d(_ConstantPadNd):
    """An image with a border of one number.

    Example:
        >>> sg.nn.ConstantPad2d((0, 1, 1, 0), 7.0)(sg.zeros(1, 1, 2))
        tensor([[[7., 7., 7.],
                 [0., 0., 7.]]])
    """

    spatial_dims = 2


@completed_from(ConstantPad1d)
class ConstantPad3d(_ConstantPadNd):
    """A volume with a border of one number.

    Example:
        >>> sg.nn.ConstantPad3d(1, 7.0)(sg.zeros(1, 1, 1, 2)).shape
        specgrad.Size([1, 3, 3, 4])
    """

    spatial_dims = 3


@completed_from(ConstantPad1d)
class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """A signal with a border of zeros.

    Formula: y_i = x_(i - padding), 0 where that is outside

    Example:
        >>> sg.nn.ZeroPad1d((2, 0))(sg.ones(1, 2))
        tensor([[0., 0., 1., 1.]])
    """


@completed_from(ZeroPad1d)
class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """An image with a border of zeros.

    Example:
        >>> sg.nn.ZeroPad2d((0, 1, 1, 0))(sg.ones(1, 1, 2))
        tensor([[[0., 0., 0.],
                 [1., 1., 0.]]])
    """


@completed_from(ZeroPad1d)
class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """A volume with a border of zeros.

    Example:
        >>> sg.nn.ZeroPad3d(1)(sg.ones(1, 1, 1, 2)).shape
        specgrad.Size([1, 3, 3, 4])
    """
