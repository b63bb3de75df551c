"""Losses of what should be above or below a margin: scores of classes and labels, and of pairs."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from .base import Loss


class _MarginLoss(Loss):
    """A loss with a margin."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


@completed_from(Loss)
class HingeEmbeddingLoss(_MarginLoss):
    """Distances: near zero for like things, above a margin for unlike ones.

    Formula: l_n = x_n if y_n = 1, max(0, margin - x_n) if y_n = -1

    Args:
        margin: how far unlike things should be apart.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.HingeEmbeddingLoss()(sg.tensor([0.25, 0.25]), sg.tensor([1, -1]))
        tensor(0.5000)
    """

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


@completed_from(Loss)
class MarginRankingLoss(_MarginLoss):
    """Pairs of scores of which one should rank above the other.

    Formula: l_n = max(0, margin - y_n (x1_n - x2_n)), with y_n = 1 if x1_n should rank above x2_n, else -1

    Args:
        margin: by how much.

    Shape:
        Input1, input2, target: (N) or (). Output: (), or that of the inputs with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: inputs and target that differ in their number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.MarginRankingLoss(0.5)(sg.tensor([1.0]), sg.tensor([3.0]), sg.tensor([1]))
        tensor(2.5000)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


@completed_from(Loss)
class SoftMarginLoss(Loss):
    """The logistic loss of two classes, 1 and -1.

    Formula: l_n = log(1 + exp(-y_n x_n))

    Example:
        >>> import specgrad as sg
        >>> sg.nn.SoftMarginLoss()(sg.tensor([0.0, 3.0]), sg.tensor([1.0, -1.0]))
        tensor(1.8709)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


@completed_from(Loss)
class CosineEmbeddingLoss(_MarginLoss):
    """Pairs of vectors: of one direction for like things, not so for unlike ones.

    Formula: l_n = 1 - cos(x1_n, x2_n) if y_n = 1, max(0, cos(x1_n, x2_n) - margin) if y_n = -1

    Args:
        margin: how large the cosine of unlike things may be, from -1 to 1.

    Shape:
        Input1, input2: (N, D) or (D). Target: (N) or (). Output: (), or that of the target with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: inputs that do not have one dimension more than the target.

    Example:
        >>> import specgrad as sg
        >>> x1, x2 = sg.tensor([[3.0, 4.0]]), sg.tensor([[4.0, 3.0]])
        >>> sg.nn.CosineEmbeddingLoss(margin=0.5)(x1, x2, sg.tensor([-1]))
        tensor(0.4600)
    """

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)
