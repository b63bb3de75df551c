"""The reference of connectionist temporal classification: every alignment, one by one."""

from collections.abc import Callable
from itertools import groupby, product
from typing import Any

import numpy as np


def of_sample(scores: Any, labels: Any, blank: int) -> float:
    """Adds up all sequences of classes that are the labels when repetitions and then blanks are taken away."""
    steps, classes = scores.shape
    total = -np.inf
    for path in product(range(classes), repeat=steps):
        if [c for c, _ in groupby(path) if c != blank] == list(labels):
            total = np.logaddexp(total, sum(scores[t, c] for t, c in enumerate(path)))
    return -total


def values(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0) -> Any:
    """Of each sample."""
    if targets.ndim == 1:
        targets = np.split(targets, np.cumsum(target_lengths)[:-1])
    cases = zip(input_lengths, target_lengths, strict=True)
    return np.array([of_sample(log_probs[:t, n], targets[n][:s], blank) for n, (t, s) in enumerate(cases)])


def loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Reduced; one sample may come alone."""
    scores = log_probs.reshape(len(log_probs), -1, log_probs.shape[-1])
    lengths = np.atleast_1d(target_lengths)
    found = values(scores, targets, np.atleast_1d(input_lengths), lengths, blank)
    found = np.where(np.isinf(found), 0, found) if zero_infinity else found
    if reduction == "none":
        return found.reshape(log_probs.shape[1:-1])
    return found.sum() if reduction == "sum" else (found / np.maximum(lengths, 1)).mean()


CTC: dict[str, Callable[..., Any]] = {"ctc_values": values, "ctc_loss": loss}
