"""Losses that compare scores or probabilities with classes, and with sequences of labels."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import warn_user
from ... import functional as F
from ...docstrings import completed_from
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


@completed_from(Loss)
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
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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


@completed_from(Loss)
class BCELoss(_WeightedLoss):
    """The binary cross entropy of probabilities.

    Formula: l_n = -w_n (y_n log x_n + (1 - y_n) log(1 - x_n)), logarithms not below -100

    Args:
        weight: w, broadcast against the input; ones when left out.

    Raises:
        ValueError: an unknown reduction, or input and target of different shapes.
        RuntimeError: an input outside [0, 1].

    Example:
        >>> import specgrad as sg
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

    Raises:
        ValueError: an unknown reduction, or input and target of different shapes.

    Example:
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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
