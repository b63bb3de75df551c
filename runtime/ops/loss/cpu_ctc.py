"""Connectionist temporal classification: sums over all alignments of labels to steps, in logarithms.

Labels stand in states with blanks between and around them: state 2 k + 1 is label k. A step stays in its state, goes to
the next, or jumps over a blank between different labels. Everything is computed in double precision: sums of many
probabilities are differences of large logarithms in the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log

import numpy as np

from ...kernels.jit import jit

Array = np.ndarray


def ctc_values(
    log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int], blank: int
) -> Array:
    """-log(sum over alignments of the product of their probabilities) of each sample; inf where there is none.

    Args:
        log_probs: (steps, samples, classes).
        targets: (samples, labels), of which the first target_lengths count.
    """
    scores = np.ascontiguousarray(log_probs.transpose(1, 0, 2), np.float64)
    losses = np.empty(scores.shape[0])
    for n, (steps, labels) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        states = _states(targets[n, :labels], blank)
        losses[n] = -_ahead(scores[n, :steps], states, np.empty((steps, states.size)))
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
    scores = np.ascontiguousarray(log_probs.transpose(1, 0, 2), np.float64)
    result = np.zeros_like(scores)
    for n, (steps, labels) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        if grad[n] == 0 or not steps:
            continue
        states = _states(targets[n, :labels], blank)
        ahead, behind = np.empty((2, steps, states.size))
        total = _ahead(scores[n, :steps], states, ahead)
        _behind(scores[n, :steps], states, behind)
        _visits(ahead, behind, states, total, float(grad[n]), result[n])
    return np.ascontiguousarray(result.transpose(1, 0, 2), log_probs.dtype)


def _states(labels: Array, blank: int) -> Array:
    """The class of each state."""
    states = np.full(2 * labels.size + 1, blank, np.int64)
    states[1::2] = labels
    return states


@jit
def _log_sum(a: float, b: float, c: float) -> float:
    """log(e^a + e^b + e^c)."""
    top = max(a, b, c)
    return top if top == -inf else top + log(exp(a - top) + exp(b - top) + exp(c - top))


@jit
def _ahead(scores: Array, states: Array, ahead: Array) -> float:
    """For each step and state the logarithm of all ways to there; that of all alignments."""
    steps, last = ahead.shape[0], ahead.shape[1] - 1
    if steps == 0:
        return 0.0 if last == 0 else -inf
    for s in range(last + 1):
        ahead[0, s] = scores[0, states[s]] if s < 2 else -inf
    for t in range(1, steps):
        for s in range(last + 1):
            before = ahead[t - 1, s - 1] if s > 0 else -inf
            jump = ahead[t - 1, s - 2] if s > 1 and states[s] != states[s - 2] else -inf
            ahead[t, s] = _log_sum(ahead[t - 1, s], before, jump) + scores[t, states[s]]
    return _log_sum(ahead[steps - 1, last], ahead[steps - 1, last - 1] if last > 0 else -inf, -inf)


@jit
def _behind(scores: Array, states: Array, behind: Array) -> None:
    """For each step and state the logarithm of all ways from there to the end, without its own probability."""
    steps, last = behind.shape[0], behind.shape[1] - 1
    for s in range(last + 1):
        behind[steps - 1, s] = 0.0 if s >= last - 1 else -inf
    for t in range(steps - 2, -1, -1):
        for s in range(last + 1):
            stay = behind[t + 1, s] + scores[t + 1, states[s]]
            after = behind[t + 1, s + 1] + scores[t + 1, states[s + 1]] if s < last else -inf
            jump = -inf
            if s < last - 1 and states[s] != states[s + 2]:
                jump = behind[t + 1, s + 2] + scores[t + 1, states[s + 2]]
            behind[t, s] = _log_sum(stay, after, jump)


@jit
def _visits(ahead: Array, behind: Array, states: Array, total: float, grad: float, result: Array) -> None:
    """Adds -grad times the probability of each state to its class; nan - nan where the total is -inf."""
    for t in range(ahead.shape[0]):
        for s in range(ahead.shape[1]):
            result[t, states[s]] -= grad * exp(ahead[t, s] + behind[t, s] - total)
