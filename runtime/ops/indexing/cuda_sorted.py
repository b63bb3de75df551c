"""Keys of indices on a CUDA device, brought together so that each place finds its own."""

from __future__ import annotations

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.moving import numbers, over_elements
from ...cuda.launching.sorting import keys_and_order
from ...kernels.cuda.moving.taking import FLATTENED

INT32 = np.dtype(np.int32)


def sorted_by_key(keys: DeviceArray, limit: int) -> tuple[DeviceArray, DeviceArray]:
    """Keys below `limit`, and -1, which comes last, in order, and the places that they had; equal ones keep theirs."""
    bits = 0, limit.bit_length()  # so that no key but -1 has all of them
    found, order = keys_and_order(keys.ravel().view(np.uint32), keys.size, bits)
    return found.view(INT32), order


def flattened(rows: DeviceArray, along: int, after: int, count: int) -> DeviceArray:
    """The places in (before, along, after) of rows of (before, count, after)."""
    result = memory.empty((rows.size,), INT32, rows.device)
    over_elements(FLATTENED, rows.size, rows.ravel(), result, *numbers(along, after, count))
    return result
