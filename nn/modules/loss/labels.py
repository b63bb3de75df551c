"""Margin losses of the scores of classes, where one class or several labels are right."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from .base import Loss
from .classification import _WeightedLoss


@completed_from(Loss)
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
        >>> import specgrad as sg
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


@completed_from(Loss)
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
        >>> import specgrad as sg
        >>> sg.nn.MultiLabelMarginLoss()(sg.tensor([[0.1, 0.2, 0.4, 0.8]]), sg.tensor([[3, 0, -1, 1]]))
        tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


@completed_from(MultiMarginLoss)
class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The binary cross-entropy of all labels, averaged over them.

    Formula: l_n = -sum_c w_c (y[n, c] log sigmoid(x[n, c]) + (1 - y[n, c]) log sigmoid(-x[n, c])) / C

    Shape:
        Input, target: (N, C). Output: (), or (N) with reduction='none'.

    Raises:
        ValueError: an unknown reduction.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.MultiLabelSoftMarginLoss()(sg.zeros(1, 2), sg.tensor([[0.0, 1.0]]))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)
