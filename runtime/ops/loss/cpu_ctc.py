"""Connectionist temporal classification: sums over all alignments of labels to steps, as logarithms in float64.

Labels stand in states with blanks between and around them: state 2 k + 1 is label k. A step stays in its state, goes to
the next, or jumps over a blank between different labels. `lengths` has the steps and the labels of each sample.
Rows have a number for each state and two of -inf beside them: before those of ways to a state, behind those of ways
from there. States that nothing leads to fill rows up to whole vectors.
"""

from collections.abc import Sequence
from math import inf

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from ...errors import ShapeError
from ...kernels.llvm.addresses import empty_matrix, empty_row, part_of
from ...kernels.scalar import exp, log

Array = np.ndarray
BESIDE = 2  # numbers of -inf beside those of states
FILLED = 32  # rows have a multiple of so many states


@jit
def alignment_losses(
    log_probs: Array, targets: Array, lengths: Array, blank: int, losses: Array, first: int, last: int
) -> None:
    for n in range(first, last):
        steps, count = lengths[n, 0], 2 * lengths[n, 1] + 1
        width = row_length(count)
        states, jumps = empty_row(0, count), empty_row(0.0, width + BESIDE)
        describe(targets[n], blank, states, jumps)
        ahead, emitted = empty_matrix(0.0, 2, width + BESIDE), empty_row(0.0, width)
        begin(ahead)
        for t in range(steps):
            emit(log_probs[t, n], states, emitted)
            advance(ahead[t % 2], jumps, emitted, t == 0, ahead[1 - t % 2])
        losses[n] = -sum_of_alignments(ahead[steps % 2], count, steps)


@jit
def alignment_gradients(
    grad: Array, log_probs: Array, targets: Array, lengths: Array, blank: int, result: Array, first: int, last: int
) -> None:
    """result - grad times the probability of each class at each step; nan where there is no alignment."""
    for n in range(first, last):
        steps, count = lengths[n, 0], 2 * lengths[n, 1] + 1
        if grad[n] == 0 or steps == 0:
            continue
        width = row_length(count)
        states, jumps = empty_row(0, count), empty_row(0.0, width + BESIDE)
        describe(targets[n], blank, states, jumps)
        ahead, emitted = empty_matrix(0.0, steps + 1, width + BESIDE), empty_matrix(0.0, steps, width)
        begin(ahead)
        for t in range(steps):
            emit(log_probs[t, n], states, emitted[t])
            advance(ahead[t], jumps, emitted[t], t == 0, ahead[t + 1])
        total = sum_of_alignments(ahead[steps], count, steps)
        ways, after = empty_row(0.0, width), empty_row(0.0, width + BESIDE)
        for t in range(steps - 1, -1, -1):
            if t == steps - 1:
                finish(ways, count)
            else:
                retreat(ways, emitted[t + 1], jumps, after)
            visit(part_of(ahead[t + 1], BESIDE, width), ways, states, total, grad[n], after, result[t, n])


@jit
def row_length(count: int) -> int:
    return (count + FILLED - 1) // FILLED * FILLED


@jit
def describe(labels: Array, blank: int, states: Array, jumps: Array) -> None:
    """The class of each state; jumps are 0 to a label unlike the last one, else -inf, as behind all states."""
    for s in range(states.size):
        states[s] = labels[s // 2] if s % 2 else blank
        jumps[s] = 0.0 if s > 1 and states[s] != states[s - 2] else -inf
    for s in range(states.size, jumps.size):
        jumps[s] = -inf


@jit
def begin(ahead: Array) -> None:
    for row in range(ahead.shape[0]):
        for s in range(ahead.shape[1]):
            ahead[row, s] = -inf


@jit
def emit(log_probs: Array, states: Array, emitted: Array) -> None:
    for s in range(states.size):
        emitted[s] = log_probs[states[s]]
    for s in range(states.size, emitted.size):
        emitted[s] = -inf


@jit(forceinline=True)
def sum_of_ways(a: float, b: float, c: float) -> float:
    """log(e^a + e^b + e^c); -inf of -inf alone."""
    top = max(max(a, b), c)
    base = top if top > -inf else 0.0
    return base + log(exp(a - base) + exp(b - base) + exp(c - base))


@jit
def advance(before: Array, jumps: Array, emitted: Array, starts: bool, to: Array) -> None:
    """For each state the logarithm of all ways to there, by those of the step before: it stays, goes on or jumps."""
    if starts:
        for s in range(emitted.size):
            to[BESIDE + s] = emitted[s] if s < 2 else -inf
        return
    for s in range(emitted.size):
        to[BESIDE + s] = sum_of_ways(before[BESIDE + s], before[BESIDE + s - 1], before[s] + jumps[s]) + emitted[s]


@jit
def sum_of_alignments(ahead: Array, count: int, steps: int) -> float:
    """The logarithm of all alignments: they end in one of the last two states, or have no step and no label."""
    if steps == 0:
        return 0.0 if count == 1 else -inf
    return sum_of_ways(ahead[BESIDE + count - 1], ahead[BESIDE + count - 2], -inf)


@jit
def finish(ways: Array, count: int) -> None:
    for s in range(ways.size):
        ways[s] = 0.0 if count - 2 <= s < count else -inf


@jit
def retreat(ways: Array, emitted: Array, jumps: Array, after: Array) -> None:
    for s in range(ways.size):
        after[s] = ways[s] + emitted[s]
    for s in range(ways.size, after.size):
        after[s] = -inf
    for s in range(ways.size):
        ways[s] = sum_of_ways(after[s], after[s + 1], after[s + 2] + jumps[s + 2])


@jit
def visit(ahead: Array, ways: Array, states: Array, total: float, grad: float, chances: Array, result: Array) -> None:
    """Takes grad times the states' probabilities, left in `chances`, from result; nan - nan where total is -inf."""
    for s in range(ways.size):
        both = ahead[s] + ways[s] - total
        chances[s] = exp(both)
    for s in range(states.size):
        result[states[s]] -= grad * (chances[s] if total > -inf else total - total)


SUMS = 100  # elements that cost as much as the sum of ways to one state


def ctc_values(
    log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int], blank: int
) -> Array:
    """The loss of each sample, inf where there is no alignment; of (samples, labels) the first target_lengths count."""
    lengths, losses = lengths_of(input_lengths, target_lengths), np.empty(log_probs.shape[1])
    arguments = np.ascontiguousarray(log_probs), as_int64(targets), lengths, blank, losses
    shared(alignment_losses, arguments, losses.size, work_of(lengths))
    return losses.astype(log_probs.dtype)


def ctc_backward(
    grad: Array, log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int],
    blank: int,
) -> Array:  # fmt: skip
    lengths, result = lengths_of(input_lengths, target_lengths), np.zeros(log_probs.shape)
    args = grad.astype(np.float64), np.ascontiguousarray(log_probs), as_int64(targets), lengths, blank
    shared(alignment_gradients, (*args, result), grad.size, 3 * work_of(lengths))
    return result.astype(log_probs.dtype, copy=False)


def lengths_of(input_lengths: Sequence[int], target_lengths: Sequence[int]) -> Array:
    return np.array([input_lengths, target_lengths], np.int64).reshape(2, -1).T.copy()


def as_int64(targets: Array) -> Array:
    if targets.ndim != 2:
        raise ShapeError(f"ctc_values(): expected a row of labels for each sample, but got shape {list(targets.shape)}")
    return np.ascontiguousarray(targets, np.int64)


def work_of(lengths: Array) -> int:
    return SUMS * int((lengths[:, 0] * (2 * lengths[:, 1] + 1)).sum())
