"""Connectionist temporal classification on a device: a block for each sample, a thread for each state.

`sizes` are samples, classes, labels that a row of the targets holds, and steps of the longest sample.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda.language import T, cuda
from ...kernels.cuda.per_element import indexed_kernel
from ...kernels.cuda_launch import arrays as memory
from ...kernels.cuda_launch.launch import launch
from ...kernels.scalar import exp, log

# Texts name these; a kernel has its own in their place.
index: Any = None
get_scores = get_targets = get_steps = get_labels = get_ahead = get_behind = get_losses = get_grad = get_result = index
put_ahead = put_behind = put_losses = put_result = index


def log_sum(a: Any, b: Any, c: Any, never: Any) -> Any:
    top = b if b > a else a
    top = c if c > top else top
    return top if top == never else T(top + log(T(T(exp(T(a - top)) + exp(T(b - top))) + exp(T(c - top)))))


def state(targets: Any, n: Any, s: Any, longest: Any, blank: Any) -> Any:
    """The class of a state: blanks stand between and around labels."""
    return index(get_targets(targets, index(index(n * longest) + s // 2))) if s % 2 else blank


def ways_ahead(
    scores: Any, targets: Any, steps: Any, labels: Any, ahead: Any, losses: Any, sizes: Any, blank: Any, never: Any
) -> None:
    """For each step and state the logarithm of all ways to there; -log of the probability of all alignments."""
    n, thread, threads = index(cuda.blockIdx.x), index(cuda.threadIdx.x), index(cuda.blockDim.x)
    samples, classes, longest, max_targets = sizes
    count, last = index(get_steps(steps, n)), index(2 * index(get_labels(labels, n)))
    width = index(2 * longest + 1)
    for t in range(count):
        here = index(index(index(n * max_targets) + t) * width)
        row = index(index(index(t * samples) + n) * classes)
        s = thread
        while s <= last:
            own = state(targets, n, s, longest, blank)
            if t == 0:
                result = T(0) if s < 2 else never
            else:
                same_state = get_ahead(ahead, index(here - width + s))
                before = get_ahead(ahead, index(here - width + s - 1)) if s > 0 else never
                jump = never
                if s > 1 and own != state(targets, n, index(s - 2), longest, blank):
                    jump = get_ahead(ahead, index(here - width + s - 2))
                result = log_sum(same_state, before, jump, never)
            put_ahead(ahead, index(here + s), T(result + get_scores(scores, index(row + own))))
            s = index(s + threads)
        cuda.syncthreads()
    if thread == 0:
        end = index(index(index(n * max_targets) + count - 1) * width + last)
        if count > 0:
            other = get_ahead(ahead, index(end - 1)) if last > 0 else never
            put_losses(losses, n, T(-log_sum(get_ahead(ahead, end), other, never, never)))
        else:
            put_losses(losses, n, T(0) if last == 0 else T(-never))


def visits(
    scores: Any, targets: Any, steps: Any, labels: Any, ahead: Any, losses: Any, behind: Any, grad: Any, result: Any,
    sizes: Any, blank: Any, never: Any,
) -> None:  # fmt: skip
    """The ways from each step and state to the end, and to `result` -grad times the probability of each class."""
    n, thread, threads = index(cuda.blockIdx.x), index(cuda.threadIdx.x), index(cuda.blockDim.x)
    samples, classes, longest, max_targets = sizes
    count, last = index(get_steps(steps, n)), index(2 * index(get_labels(labels, n)))
    width = index(2 * longest + 1)
    for back in range(count):
        t = index(count - 1 - back)
        here = index(index(index(n * max_targets) + t) * width)
        row = index(index(index(index(t + 1) * samples) + n) * classes)
        s = thread
        while s <= last:
            if back == 0:
                value = T(0) if s >= last - 1 else never
            else:
                own = state(targets, n, s, longest, blank)
                same_state = T(get_behind(behind, index(here + width + s)) + get_scores(scores, index(row + own)))
                after, jump = never, never
                if s < last:
                    following = state(targets, n, index(s + 1), longest, blank)
                    after = get_behind(behind, index(here + width + s + 1))
                    after = T(after + get_scores(scores, index(row + following)))
                if s < last - 1:
                    second = state(targets, n, index(s + 2), longest, blank)
                    if own != second:
                        jump = get_behind(behind, index(here + width + s + 2))
                        jump = T(jump + get_scores(scores, index(row + second)))
                value = log_sum(same_state, after, jump, never)
            put_behind(behind, index(here + s), value)
            s = index(s + threads)
        cuda.syncthreads()
    total, factor = T(-get_losses(losses, n)), get_grad(grad, n)
    t = thread
    while t < count and factor != T(0):  # all states of a step are one thread's, so that sums have one order
        here = index(index(index(n * max_targets) + t) * width)
        row = index(index(index(t * samples) + n) * classes)
        for s in range(last + 1):
            ways = T(T(get_ahead(ahead, index(here + s)) + get_behind(behind, index(here + s))) - total)
            to = index(row + state(targets, n, index(s), longest, blank))
            put_result(result, to, T(get_result(result, to) - factor * exp(ways)))
        t = index(t + threads)


F64 = np.dtype(np.float64)
MAX_THREADS, WARP = 256, 32
NEVER = np.float64(-np.inf)


def ctc_values(
    log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int], blank: int
) -> Array:
    return losses_of(log_probs, targets, input_lengths, target_lengths, blank)[0].as_read(log_probs.dtype)


def losses_of(
    log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int], blank: int
) -> tuple[Array, tuple[Any, ...]]:
    steps, samples, classes = log_probs.shape
    longest, device = targets.shape[1], log_probs.device
    scores = memory.contiguous(log_probs.as_read(F64))
    lengths = [memory.constant(np.array(each, np.int64), device) for each in (input_lengths, target_lengths)]
    ahead, losses = (memory.empty(s, F64, device) for s in ((samples, steps, 2 * longest + 1), (samples,)))
    labels = memory.contiguous(targets) if targets.size else lengths[0]
    arrays = scores, labels, *lengths, ahead, losses
    sizes = tuple(map(np.int64, (samples, classes, longest, steps)))
    rest = sizes, np.int64(blank), NEVER
    run(ways_ahead, samples, longest, *arrays, *rest)
    return losses, (*arrays, *rest)


def run(text: Any, samples: int, longest: int, *args: Any) -> None:
    if samples:
        threads = min(-(-(2 * longest + 1) // WARP) * WARP, MAX_THREADS)
        launch(indexed_kernel(text, F64, True), samples, threads, *args)


def ctc_backward(
    grad: Array, log_probs: Array, targets: Array, input_lengths: Sequence[int], target_lengths: Sequence[int],
    blank: int,
) -> Array:  # fmt: skip
    _, value = losses_of(log_probs, targets, input_lengths, target_lengths, blank)
    arrays, rest = value[:6], value[6:]
    behind = memory.empty(arrays[4].shape, F64, log_probs.device)
    result = memory.zeros(log_probs.shape, F64, log_probs.device)
    above = memory.contiguous(grad)
    run(visits, log_probs.shape[1], targets.shape[1], *arrays, behind, above, result, *rest)
    return result.as_read(log_probs.dtype)
