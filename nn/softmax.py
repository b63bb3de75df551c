"""Softmax and its logarithm, along a dimension."""

from __future__ import annotations

from ..generated.tensor import Tensor
from . import functional as F
from .module import Module


class _AlongDim(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """Positive numbers that sum to one along a dimension.

    Formula: y_i = exp(x_i) / sum_j exp(x_j)

    Args:
        dim: the dimension.

    Shape:
        Input: any. Output: the same.

    Raises:
        IndexError: a dimension that the input does not have.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Softmax(dim=0)(sg.tensor([0.0, 0.0]))
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """The logarithm of Softmax, computed without overflow.

    Formula: y_i = x_i - log sum_j exp(x_j)

    Args:
        dim: the dimension.

    Shape:
        Input: any. Output: the same.

    Raises:
        IndexError: a dimension that the input does not have.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LogSoftmax(dim=0)(sg.tensor([0.0, 0.0]))
        tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)
