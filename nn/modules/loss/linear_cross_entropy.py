"""A linear map to many classes together with its loss."""

from __future__ import annotations

from math import prod
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import ShapeError
from ... import functional as F
from ...functional.chunking import LinearCrossEntropyOptions
from ..linear import Linear
from .classification import _WeightedLoss


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross-entropy of scores that a linear map of its own gives.

    Formula: cross_entropy(x A^T + b, y)

    Args:
        in_features: the size of each input.
        num_classes: C, the number of classes.
        out_features: the further dimensions d1, ... of the scores.
        bias: whether to add a learned b.
        device, dtype: where the parameters lie, and their dtype.
        reduction: 'mean', 'sum' or 'none'.
        weight: one number per class; ones when left out.
        ignore_index: a target class that is left out; -100 by default.
        label_smoothing: how much of the target goes to all classes alike, in [0, 1].
        options: how to take the input in chunks; by default all scores are computed at once.

    Shape:
        Input: (F) or (N, F). Target: () or (N, d1, ...), class numbers; or (C) or (N, C, d1, ...), probabilities.
        Output: (), or that of class-number targets with reduction='none'.

    Attributes:
        linear: the Linear that holds A and b, with all dimensions of the scores in one.

    Raises:
        RuntimeError: a weight that is not one number per class, or label_smoothing outside [0, 1].
        ValueError: an unknown reduction.

    Example:
        >>> import specgrad as sg
        >>> loss = sg.nn.LinearCrossEntropyLoss(5, 10)
        >>> loss(sg.randn(3, 5), sg.tensor([1, 0, 9])).shape
        specgrad.Size([])
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        if weight is not None and weight.shape != (num_classes,):
            raise ShapeError(
                f"LinearCrossEntropyLoss(): expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}"
            )
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(
                f"LinearCrossEntropyLoss(): expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        super().__init__(weight, None, None, reduction)
        self.num_classes, self.out_features = num_classes, out_features
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.linear = Linear(in_features, prod(out_features, start=num_classes), bias, device, dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, "
            f"bias={self.linear.bias is not None}, reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )
