"""Losses of triplets: what is alike is to be nearer than what is not."""

from __future__ import annotations

from collections.abc import Callable

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from ..distance import PairwiseDistance
from .base import Loss


@completed_from(Loss)
class TripletMarginLoss(Loss):
    """An anchor should be nearer to a positive example than to a negative one, by a margin.

    Formula: l_n = max(0, margin + d(a_n, p_n) - d(a_n, n_n)) with d the p-norm of the difference

    Args:
        margin: how much nearer, more than 0.
        p: which norm.
        eps: keeps norms away from zero, where they have no slope.
        swap: whether d(positive, negative) counts where it is less than d(anchor, negative).

    Shape:
        Anchor, positive, negative: (N, D) or (D). Output: (), or (N) with reduction='none'.

    Raises:
        ValueError: an unknown reduction, or a margin of 0 or less.
        RuntimeError: inputs that differ in their number of dimensions.

    Source: Balntas, Riba, Ponsa and Mikolajczyk, Learning local feature descriptors with triplets (2016).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.TripletMarginLoss()(sg.zeros(1, 2), sg.ones(1, 2), sg.tensor([[0.0, 2.0]]))
        tensor(0.4142)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


@completed_from(TripletMarginLoss)
class TripletMarginWithDistanceLoss(Loss):
    """`TripletMarginLoss` for distances of any kind.

    Formula: l_n = max(0, margin + d(a_n, p_n) - d(a_n, n_n))

    Args:
        distance_function: d, of two tensors; `PairwiseDistance` when left out.

    Shape:
        Anchor, positive, negative: (N, *), as d takes them. Output: (), or that of d with reduction='none'.

    Example:
        >>> import specgrad as sg
        >>> loss = sg.nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))
        >>> loss(sg.zeros(1, 2), sg.ones(1, 2), sg.tensor([[0.0, 2.0]]))
        tensor(1.)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
