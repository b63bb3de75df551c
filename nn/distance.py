"""Distances between vectors, and the losses of triplets of them."""

from __future__ import annotations

from collections.abc import Callable

from ..generated.tensor import Tensor
from . import functional as F
from .loss import Loss
from .module import Module


class CosineSimilarity(Module):
    """The cosine of the angle between vectors.

    Formula: y = sum(x1 x2) / (max(|x1|, eps) max(|x2|, eps))

    Args:
        dim: the dimension of the vectors.
        eps: the least length to divide by.

    Shape:
        Input1, input2: broadcastable to each other. Output: that of both, without dim.

    Raises:
        IndexError: a dim that the inputs do not have.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.CosineSimilarity()(sg.tensor([[3.0, 4.0]]), sg.tensor([[4.0, 3.0]]))
        tensor([0.9600])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of the difference of vectors.

    Formula: y = |x1 - x2 + eps|_p

    Args:
        p: which norm; may be inf.
        eps: keeps the norm away from zero, where it has no slope.
        keepdim: whether the dimension of the vectors stays, with one element.

    Shape:
        Input1, input2: (N, D) or (D). Output: (N) or (); (N, 1) or (1) with keepdim.

    Raises:
        RuntimeError: shapes that do not broadcast.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.PairwiseDistance(p=1)(sg.tensor([[3.0, 4.0]]), sg.zeros(1, 2))
        tensor([7.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class TripletMarginLoss(Loss):
    """An anchor should be nearer to a positive example than to a negative one, by a margin.

    Formula: l_n = max(0, margin + d(a_n, p_n) - d(a_n, n_n)) with d the p-norm of the difference

    Args:
        margin: how much nearer, more than 0.
        p: which norm.
        eps: keeps norms away from zero, where they have no slope.
        swap: whether d(positive, negative) counts where it is less than d(anchor, negative).
        reduction: 'mean', 'sum' or 'none'.
        size_average, reduce: older ways to say reduction.

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


class TripletMarginWithDistanceLoss(Loss):
    """`TripletMarginLoss` for distances of any kind.

    Formula: l_n = max(0, margin + d(a_n, p_n) - d(a_n, n_n))

    Args:
        distance_function: d, of two tensors; `PairwiseDistance` when left out.
        margin: how much nearer, more than 0.
        swap: whether d(positive, negative) counts where it is less than d(anchor, negative).
        reduction: 'mean', 'sum' or 'none'.

    Shape:
        Anchor, positive, negative: (N, *), as d takes them. Output: (), or that of d with reduction='none'.

    Raises:
        ValueError: an unknown reduction, or a margin of 0 or less.
        RuntimeError: inputs that differ in their number of dimensions.

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
