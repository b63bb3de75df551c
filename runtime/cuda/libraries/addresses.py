"""Where the matrices of a batch lie, as libraries want to know it: their addresses, in memory of the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.cuda.vocabulary import cuda
from .. import memory
from ..array import DeviceArray
from ..launching import indexed

# A text names these; a kernel has its own in their place.
index: Any = None
put_result: Any = None

INT64 = np.dtype(np.int64)


def addresses_of(first: int, step: int, count: int, device: Any) -> DeviceArray:
    """`first` and what lies `step` bytes after each other; a kernel writes them, so that graphs can be captured."""
    result = memory.empty((count,), INT64, device)
    indexed.run(progression, count, INT64, result, np.int64(first), np.int64(step))
    return result


def progression(result: Any, first: Any, step: Any, total: Any) -> None:
    """result[i] = first + i step."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        put_result(result, i, first + i * step)
