"""Where elements of arrays on a CUDA device are that are not zero. How many is read by the host, which waits for it."""

from __future__ import annotations

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.moving import numbers, over_elements, pinned_reader
from ...cuda.launching.scans import scan
from ...kernels.cuda.moving.searching import CHOSEN, ORDER
from . import cpu_mask
from .cuda_rows import inner_sizes

BOOL, INT64 = np.dtype(np.bool_), np.dtype(np.int64)


def counts_of(a: DeviceArray, lines: int) -> DeviceArray:
    """For each element how many up to it in its line are not zero."""
    result = memory.empty((a.size,), INT64, a.device)
    value = a if a.strides is None else memory.copied(a)
    scan("count", BOOL, [value], [result], (lines, a.size // lines if lines else 0, 1))
    return result


@pinned_reader(cpu_mask.nonzero)
def nonzero(a: DeviceArray) -> DeviceArray:
    if not a.size:
        return memory.empty((0, a.ndim), INT64, a.device)
    counts = counts_of(a, 1)
    total = int(memory.to_host(counts[a.size - 1 :])[0])
    result = memory.empty((total, a.ndim), INT64, a.device)
    if result.size:
        sizes = tuple(reversed(a.shape))
        over_elements(CHOSEN, a.size, counts, result, inner_sizes(sizes), *numbers(a.ndim))
    return result


def order_from_counts(mask: DeviceArray, counts: DeviceArray) -> DeviceArray:
    """Where a mask is true the count less one, else 0."""
    result = memory.empty(mask.shape, INT64, mask.device)
    value = mask if mask.strides is None else memory.copied(mask)
    over_elements(ORDER, mask.size, value.ravel(), counts, result)
    return result
