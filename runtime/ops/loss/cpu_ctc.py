"""Connectionist temporal classification: sums over all alignments of labels to steps, in logarithms.

Labels stand in states with blanks between and around them: state 2 k + 1 is label k. A step stays in its state, goes to
the next, or jumps over a blank between different labels. Everything is computed in double precision: sums of many
probabilities are differences of large logarithms in the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import ShapeError
from ...pool.parallel_for import shared
from .cpu_ctc_loops import alignment_gradients, alignment_losses

Array = np.ndarray
SUMS = 100  # elements that cost as much as the sum of ways to one state


def ctc_values(
    log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int], blank: int
) -> Array:
    """-log(sum over alignments of the product of their probabilities) of each sample; inf where there is none.

    Args:
        log_probs: (steps, samples, classes).
        targets: (samples, labels), of which the first target_lengths count.
    """
    lengths, losses = lengths_of(input_lengths, target_lengths), np.empty(log_probs.shape[1])
    arguments = np.ascontiguousarray(log_probs), as_int64(targets), lengths, blank, losses
    shared(alignment_losses, arguments, losses.size, work_of(lengths))
    return losses.astype(log_probs.dtype)


def ctc_backward(
    grad: Array,
    log_probs: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
) -> Array:
    """-grad times the probability of each class at each step, given the labels; nan where there is no alignment."""
    lengths, result = lengths_of(input_lengths, target_lengths), np.zeros(log_probs.shape)
    args = grad.astype(np.float64), np.ascontiguousarray(log_probs), as_int64(targets), lengths, blank
    shared(alignment_gradients, (*args, result), grad.size, 3 * work_of(lengths))
    return result.astype(log_probs.dtype, copy=False)


def lengths_of(input_lengths: Sequence[int], target_lengths: Sequence[int]) -> Array:
    """(samples, 2): the steps and the labels of each sample."""
    return np.array([input_lengths, target_lengths], np.int64).reshape(2, -1).T.copy()


def as_int64(targets: Array) -> Array:
    """Rows of labels as loops read them."""
    if targets.ndim != 2:
        raise ShapeError(f"ctc_values(): expected a row of labels for each sample, but got shape {list(targets.shape)}")
    return np.ascontiguousarray(targets, np.int64)


def work_of(lengths: Array) -> int:
    return SUMS * int((lengths[:, 0] * (2 * lengths[:, 1] + 1)).sum())
