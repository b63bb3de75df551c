"""Kernels of runs: neighbours that are equal, in lines whose order is known or as they are.

nan equals nothing. Lines are those of `ranks.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel import Kernel, Signature, Target
from ..storage import getter, in_registers
from ..vocabulary import cuda, int32, uint32

# Texts name these; a kernel has its own in their place.
get: Any = None


def begins(x: Any, order: Any, out: Any, along: Any, after: Any, size: Any) -> None:
    """The rank of each element that differs from the one before it in its line, 0 for the others."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        line = uint32(i // along)
        rank = uint32(i - uint32(line * along))
        b = uint32(line // after)
        start = uint32(uint32(uint32(b * along) * after) + uint32(line - uint32(b * after)))
        found = uint32(0)
        if rank > uint32(0):
            own = uint32(start + uint32(uint32(order[i]) * after))
            other = uint32(start + uint32(uint32(order[uint32(i - uint32(1))]) * after))
            if get(x, own) != get(x, other):
                found = rank
        out[i] = int32(found)


def lengths(last: Any, out: Any, along: Any, size: Any) -> None:
    """How many elements of its run are before each one; `last` has where the run began."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        rank = uint32(i - uint32(uint32(i // along) * along))
        out[i] = int32(int32(rank) - int32(last[i]))


def _begins(target: Target, signature: Signature) -> Any:
    stored: np.dtype = signature[0].dtype
    return target.kernel(begins, get=getter(target, stored, in_registers(stored)))


def _lengths(target: Target, signature: Signature) -> Any:
    return target.kernel(lengths)


BEGINS = Kernel("where runs begin", _begins)
LENGTHS = Kernel("lengths of runs", _lengths)
