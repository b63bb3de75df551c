"""The loss of label sequences that are not aligned to their inputs."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from .base import Loss

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
