"""Losses that compare scores or probabilities with classes, or with sequences of labels."""

from math import prod
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import ShapeError, warn_user
from ... import functional as F
from ...docstrings import completed_from
from ...functional.linear_cross_entropy import LinearCrossEntropyOptions
from ..linear import Linear
from .base import Loss


class _WeightedLoss(Loss):
    """A loss with a weight that moves with the module; a buffer, and so part of the state_dict."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class NLLLoss(_WeightedLoss):
    """The negative log likelihood of the target classes, given log probabilities.

    Formula: l_n = -w[y_n] x[n, y_n]; 'mean' divides the sum by the sum of w[y_n]

    Args:
        weight: w, one number per class; ones when left out.
        ignore_index: a target class that is left out.

    Shape:
        Input: (N, C, *) or (C). Target: (N, *) or (), class numbers. Output: (), or the target's with
        reduction='none'.

    Raises:
        ValueError: an unknown reduction, or input and target of different batch sizes.
        IndexError: a target that is no class.

    Example:
        >>> sg.nn.NLLLoss()(sg.tensor([[-0.5, -1.0]]), sg.tensor([1]))
        tensor(1.)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


@completed_from(NLLLoss, F.cross_entropy)
class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy of target classes, or of target probabilities, given unnormalised scores.

    Formula: l_n = -w[y_n] log(exp(x[n, y_n]) / sum_c exp(x[n, c]))

    Shape:
        Input: (N, C, *) or (C). Target: (N, *) or (), class numbers; or the input's, probabilities. Output: (), or
        that of class-number targets with reduction='none'.

    Raises:
        ValueError: an unknown reduction, or input and target of different batch sizes.
        IndexError: a target that is no class.
        RuntimeError: label_smoothing outside [0, 1].

    Example:
        >>> sg.nn.CrossEntropyLoss()(sg.zeros(1, 4), sg.tensor([2]))
        tensor(1.3863)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCELoss(_WeightedLoss):
    """The binary cross entropy of probabilities.

    Formula: l_n = -w_n (y_n log x_n + (1 - y_n) log(1 - x_n)), logarithms not below -100

    Args:
        weight: w, broadcast against the input; ones when left out.

    Raises:
        ValueError: an unknown reduction, or input and target of different shapes.
        RuntimeError: an input outside [0, 1].

    Example:
        >>> sg.nn.BCELoss()(sg.tensor([0.5]), sg.tensor([1.0]))
        tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


@completed_from(BCELoss)
class BCEWithLogitsLoss(Loss):
    """The binary cross entropy of sigmoid(x), computed without overflow.

    Formula: l_n = -w_n (p y_n log sigmoid(x_n) + (1 - y_n) log(1 - sigmoid(x_n)))

    Args:
        pos_weight: p, broadcast against the input; ones when left out.

    Raises: ValueError: an unknown reduction, or input and target of different shapes.

    Example:
        >>> sg.nn.BCEWithLogitsLoss()(sg.tensor([0.0]), sg.tensor([1.0]))
        tensor(0.6931)
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


@completed_from(NLLLoss)
class NLLLoss2d(NLLLoss):
    """`NLLLoss` under the older name for images.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     loss = sg.nn.NLLLoss2d()
        >>> loss(sg.full((1, 3, 2, 2), -1.0), sg.zeros(1, 2, 2).long())
        tensor(1.)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warn_user("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead.", FutureWarning)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


Lengths = Any  # two tensors, or two lists of integers


class CTCLoss(Loss):
    """Connectionist temporal classification: minus the log-probability of labels, over all their alignments.

    Formula: l_n = -log sum over alignments a of the labels y_n of prod_t p[t, n, a_t]

    Args:
        blank: the class that stands between labels.
        reduction: 'mean' (over the labels of each sample, then over the samples), 'sum' or 'none'.
        zero_infinity: whether labels that do not fit into the steps have a loss of zero.

    Shape:
        Log_probs: (T, N, C) or (T, C). Targets: (N, S), or all labels one after another. Input_lengths, target_lengths:
        (N) or (), tensors or lists. Output: (), or (N) with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: lengths that do not fit, a label that is no class, or a blank that is none.

    Source: Graves, Fernandez, Gomez and Schmidhuber, Connectionist temporal classification (2006).

    Example:
        >>> log_probs = sg.log_softmax(sg.zeros(4, 1, 3), 2)
        >>> sg.nn.CTCLoss()(log_probs, sg.tensor([[1, 2]]), sg.tensor([4]), sg.tensor([2]))
        tensor(0.8432)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(None, None, reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Lengths, target_lengths: Lengths) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


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
