"""Keys of indices on a CUDA device, brought together so that each place finds its own."""

from __future__ import annotations

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launch import launch
from ...cuda.moving import UINT32, numbers, over_elements
from ...cuda.scans import scan
from ...kernels.cuda.moving.ordering import BITS, COUNTED, DIGITS, FLATTENED, PER_BLOCK, PLACED, THREADS
from ...kernels.cuda.moving.places import OFFSETS

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


def sorted_by_key(keys: DeviceArray, limit: int) -> tuple[DeviceArray, DeviceArray]:
    """Keys below `limit`, and -1, which comes last, in order, and the places that they had; equal ones keep theirs."""
    size = keys.size
    blocks = -(-size // PER_BLOCK)
    order = memory.empty((size,), INT32, keys.device)
    over_elements(OFFSETS, size, order, numbers(1), (), UINT32(0))
    keys = keys.ravel()
    for shift in range(0, limit.bit_length(), BITS):  # so that no key but -1 has all bits
        counts = memory.empty((DIGITS * blocks,), INT32, keys.device)
        ends = memory.empty((DIGITS * blocks,), INT32, keys.device)
        new = [memory.empty((size,), INT32, keys.device) for _ in range(2)]
        given = numbers(shift, blocks, size)
        launch(COUNTED, blocks, THREADS, keys, counts, *given)
        scan("sum", INT64, [counts], [ends], (1, counts.size, 1))
        launch(PLACED, blocks, THREADS, keys, order, ends, *new, *given)
        keys, order = new
    return keys, order


def flattened(rows: DeviceArray, along: int, after: int, count: int) -> DeviceArray:
    """The places in (before, along, after) of rows of (before, count, after)."""
    result = memory.empty((rows.size,), INT32, rows.device)
    over_elements(FLATTENED, rows.size, rows.ravel(), result, *numbers(along, after, count))
    return result
