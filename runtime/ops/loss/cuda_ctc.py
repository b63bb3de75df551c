"""Connectionist temporal classification on a device, in double precision, as on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.launch import launch
from ...kernels.cuda.indexed import indexed_kernel
from . import cuda_ctc_kernels as kernels

Array = DeviceArray
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
    run(kernels.ways_ahead, samples, longest, *arrays, *rest)
    return losses, (*arrays, *rest)


def run(text: Any, samples: int, longest: int, *args: Any) -> None:
    """A block for each sample, with as many threads as states of the longest, up to a limit."""
    if samples:
        threads = min(-(-(2 * longest + 1) // WARP) * WARP, MAX_THREADS)
        launch(indexed_kernel(text, F64, True), samples, threads, *args)


def ctc_backward(
    grad: Array,
    log_probs: Array,
    targets: Array,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int,
) -> Array:
    _, value = losses_of(log_probs, targets, input_lengths, target_lengths, blank)
    arrays, rest = value[:6], value[6:]
    behind = memory.empty(arrays[4].shape, F64, log_probs.device)
    result = memory.empty(log_probs.shape, F64, log_probs.device)
    memory.fill(result, 0)
    above = memory.contiguous(grad)
    run(kernels.visits, log_probs.shape[1], targets.shape[1], *arrays, behind, above, result, *rest)
    return result.as_read(log_probs.dtype)
