"""Losses as modules: each compares an input with a target and reduces to a mean, a sum, or not at all."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ....runtime.functions.loss_reduction import reduction_of_flags
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module


class Loss(Module):
    """A loss of each element, which is then reduced.

    Args:
        reduction: 'mean', 'sum' or 'none'.
        size_average, reduce: older ways to say reduction.

    Shape:
        Input, target: any, the same. Output: (), or that of the input with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = reduction_of_flags(size_average, reduce)
        self.reduction = reduction


@completed_from(Loss)
class L1Loss(Loss):
    """The mean absolute error.

    Formula: l_n = |x_n - y_n|

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: shapes that do not broadcast (those that do, but differ, give a warning).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.L1Loss()(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 4.0]))
        tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


@completed_from(L1Loss)
class MSELoss(Loss):
    """The mean squared error.

    Formula: l_n = (x_n - y_n)^2

    Example:
        >>> import specgrad as sg
        >>> sg.nn.MSELoss()(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 4.0]))
        tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)
