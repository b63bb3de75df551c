"""Indices that repeat on a CUDA device. The host reads how many there are, and waits for that."""

from __future__ import annotations

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.moving import UINT32, numbers, over_elements, pinned_reader
from ...cuda.launching.scans import scan
from ...kernels.cuda.moving.places import OFFSETS
from ...kernels.cuda.moving.searching import bisecting
from ..reduction.cuda_argreduce import min_all
from . import cpu

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


@pinned_reader(cpu.repeated_indices)
def repeated_indices(repeats: DeviceArray, output_size: int | None) -> DeviceArray:
    """The index i, repeats[i] times, for each i: how many repetitions end before each place."""
    if not repeats.size:
        return _checked(0, output_size, repeats)
    min_value = int(memory.to_host(min_all(repeats)))
    if min_value < 0:
        raise RuntimeError(f"repeat_interleave(): repeats can not be negative, got {min_value}")
    ends = memory.empty(repeats.shape, INT64, repeats.device)
    scan("sum", INT64, [memory.contiguous(repeats)], [ends], (1, repeats.size, 1))
    result = _checked(int(memory.to_host(ends[repeats.size - 1 :])[0]), output_size, repeats)
    indices = memory.empty(result.shape, INT32, repeats.device)
    over_elements(OFFSETS, indices.size, indices, numbers(1), (), UINT32(0))
    kernel = bisecting(INT64, False)
    over_elements(kernel, result.size, ends, indices, (), result, *numbers(repeats.size, result.size, 1, 0))
    return result


def _checked(total: int, output_size: int | None, repeats: DeviceArray) -> DeviceArray:
    if output_size not in (None, total):
        raise RuntimeError(f"repeat_interleave(): allocated size {output_size} does not match required size {total}")
    return memory.empty((total,), INT64, repeats.device)
