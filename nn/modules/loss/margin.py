"""Margin losses: of scores of classes and labels, of pairs and of triplets."""

from collections.abc import Callable

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from ..distance import PairwiseDistance
from .base import Loss
from .classification import _WeightedLoss


class _MarginLoss(Loss):
    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(_MarginLoss):
    """Distances: near zero for like things, above a margin for unlike ones.

    Formula: l_n = x_n if y_n = 1, max(0, margin - x_n) if y_n = -1

    Args:
        margin: how far unlike things should be apart.

    Example:
        >>> sg.nn.HingeEmbeddingLoss()(sg.tensor([0.25, 0.25]), sg.tensor([1, -1]))
        tensor(0.5000)
    """

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_MarginLoss):
    """Pairs of scores of which one should rank above the other.

    Formula: l_n = max(0, margin - y_n (x1_n - x2_n)), with y_n = 1 if x1_n should rank above x2_n, else -1

    Args:
        margin: by how much.

    Shape: Input1, input2, target: (N) or (). Output: (), or that of the inputs with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: inputs and target that differ in their number of dimensions.

    Example:
        >>> sg.nn.MarginRankingLoss(0.5)(sg.tensor([1.0]), sg.tensor([3.0]), sg.tensor([1]))
        tensor(2.5000)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(Loss):
    """The logistic loss of two classes, 1 and -1.

    Formula: l_n = log(1 + exp(-y_n x_n))

    Example:
        >>> sg.nn.SoftMarginLoss()(sg.tensor([0.0, 3.0]), sg.tensor([1.0, -1.0]))
        tensor(1.8709)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CosineEmbeddingLoss(_MarginLoss):
    """Pairs of vectors: of one direction for like things, not so for unlike ones.

    Formula: l_n = 1 - cos(x1_n, x2_n) if y_n = 1, max(0, cos(x1_n, x2_n) - margin) if y_n = -1

    Args:
        margin: how large the cosine of unlike things may be, from -1 to 1.

    Shape: Input1, input2: (N, D) or (D). Target: (N) or (). Output: (), or that of the target with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: inputs that do not have one dimension more than the target.

    Example:
        >>> x1, x2 = sg.tensor([[3.0, 4.0]]), sg.tensor([[4.0, 3.0]])
        >>> sg.nn.CosineEmbeddingLoss(margin=0.5)(x1, x2, sg.tensor([-1]))
        tensor(0.4600)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """The scores of all classes should be below that of the right one by a margin.

    Formula: l_n = sum_i w[y_n] max(0, margin - x[n, y_n] + x[n, i])^p / C over the classes i other than y_n

    Args:
        p: the power, 1 or 2.
        margin: by how much.
        weight: w, one number per class; ones when left out.

    Shape:
        Input: (N, C) or (C). Target: (N) or (), class numbers. Output: (), or that of the target with reduction='none'.

    Raises:
        ValueError: an unknown reduction, p other than 1 and 2, or a weight that is no vector.
        RuntimeError: a target that is no class, or inputs of other shapes.

    Example:
        >>> sg.nn.MultiMarginLoss()(sg.tensor([[0.1, 0.2, 0.4, 0.8]]), sg.tensor([3]))
        tensor(0.3250)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError(f"MultiMarginLoss(): only p == 1 and p == 2 supported, got p = {p}")
        if weight is not None and weight.ndim != 1:
            raise ValueError(f"MultiMarginLoss(): weight must be one-dimensional, got shape {list(weight.shape)}")
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(Loss):
    """The scores of all classes should be below those of the right labels by 1.

    Formula: l_n = sum_ij max(0, 1 - x[n, j] + x[n, i]) / C over labels j and classes i that are no label

    Shape:
        Input: (N, C) or (C). Target: the same, the labels of each row in front and -1 behind. Output: (), or (N) with
        reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: a label that is no class, or a target of another shape.

    Example:
        >>> sg.nn.MultiLabelMarginLoss()(sg.tensor([[0.1, 0.2, 0.4, 0.8]]), sg.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


@completed_from(MultiMarginLoss)
class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The binary cross-entropy of all labels, averaged over them.

    Formula: l_n = -sum_c w_c (y[n, c] log sigmoid(x[n, c]) + (1 - y[n, c]) log sigmoid(-x[n, c])) / C

    Shape: Input, target: (N, C). Output: (), or (N) with reduction='none'.

    Raises: ValueError: an unknown reduction.

    Example:
        >>> sg.nn.MultiLabelSoftMarginLoss()(sg.zeros(1, 2), sg.tensor([[0.0, 1.0]]))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class TripletMarginLoss(Loss):
    """An anchor should be nearer to a positive example than to a negative one, by a margin.

    Formula: l_n = max(0, margin + d(a_n, p_n) - d(a_n, n_n)) with d the p-norm of the difference

    Args:
        margin: how much nearer, more than 0.
        p: which norm.
        eps: keeps norms away from zero, where their gradient is undefined.
        swap: whether d(positive, negative) counts where it is less than d(anchor, negative).

    Shape: Anchor, positive, negative: (N, D) or (D). Output: (), or (N) with reduction='none'.

    Raises:
        ValueError: an unknown reduction, or a margin of 0 or less.
        RuntimeError: inputs that differ in their number of dimensions.

    Source: Balntas, Riba, Ponsa and Mikolajczyk, Learning local feature descriptors with triplets (2016).

    Example:
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

    Shape: Anchor, positive, negative: (N, *), as d takes them. Output: (), or that of d with reduction='none'.

    Example:
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
