"""Softmax and its logarithm, along a dimension."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ....runtime.dispatch import checks
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module
from .base import Activation


class _AlongDim(Activation):
    """An activation whose only argument is a dimension."""

    shown = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


@completed_from(Activation, F.softmax)
class Softmax(_AlongDim):
    """Positive numbers that sum to one along a dimension.

    Formula: y_i = exp(x_i) / sum_j exp(x_j)

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Softmax(dim=0)(sg.tensor([0.0, 0.0]))
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


@completed_from(Softmax)
class LogSoftmax(_AlongDim):
    """The logarithm of Softmax, computed without overflow.

    Formula: y_i = x_i - log sum_j exp(x_j)

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LogSoftmax(dim=0)(sg.tensor([0.0, 0.0]))
        tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


@completed_from(Softmax)
class Softmin(_AlongDim):
    """Positive numbers that sum to one along a dimension, the largest for the smallest x.

    Formula: y_i = exp(-x_i) / sum_j exp(-x_j)

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Softmin(dim=0)(sg.tensor([0.0, 1000.0]))
        tensor([1., 0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of each pixel.

    Formula: y_c = exp(x_c) / sum_k exp(x_k), over the third dimension from the end

    Shape:
        Input: (N, C, H, W) or (C, H, W). Output: the same.

    Raises:
        ValueError: an input of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Softmax2d()(sg.zeros(2, 1, 1)).tolist()
        [[[0.5]], [[0.5]]]
    """

    def forward(self, input: Tensor) -> Tensor:
        if checks.tensor("Softmax2d", "input", input).ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3, _stacklevel=5)
