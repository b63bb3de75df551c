"""Kernels of runs: neighbours that are equal, in lines whose order is known or as they are.

nan equals nothing. Lines are those of `ranks.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel import Kernel, Signature, Target
from ..storage import getter, in_registers, putter
from ..vocabulary import cuda, int32, int64, uint32
from .radix import position_functions

# Texts name these; a kernel has its own in their place.
get: Any = None
put: Any = None
position_at: Any = None


def begins(x: Any, order: Any, out: Any, along: Any, after: Any, size: Any) -> None:
    """The rank of each element that differs from the one before it in its line, 0 for the others."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        line = uint32(i // along)
        rank = uint32(i - uint32(line * along))
        b = uint32(line // after)
        start = uint32(uint32(uint32(b * along) * after) + uint32(line - uint32(b * after)))
        result = uint32(0)
        if rank > uint32(0):
            own = uint32(start + uint32(uint32(order[i]) * after))
            other = uint32(start + uint32(uint32(order[uint32(i - uint32(1))]) * after))
            if get(x, own) != get(x, other):
                result = rank
        out[i] = int32(result)


def lengths(last: Any, out: Any, along: Any, size: Any) -> None:
    """How many elements of its run are before each one; `last` has where the run began."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        rank = uint32(i - uint32(uint32(i // along) * along))
        out[i] = int32(int32(rank) - int32(last[i]))


def differs(x: Any, order: Any, out: Any, before: Any, after: Any, size: Any) -> None:
    """Whether each slice of (before, size, after) differs from the one before it in an order."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        result = i == uint32(0)
        if not result:
            own = uint32(uint32(position_at(order, i, i)) * after)
            j = uint32(i - uint32(1))
            other = uint32(uint32(position_at(order, j, j)) * after)
            b = uint32(0)
            while b < before and not result:
                a = uint32(0)
                while a < after and not result:
                    result = get(x, uint32(own + a)) != get(x, uint32(other + a))
                    a = uint32(a + uint32(1))
                own = uint32(own + uint32(size * after))
                other = uint32(other + uint32(size * after))
                b = uint32(b + uint32(1))
        out[i] = result


def numbered(order: Any, ends: Any, starts: Any, inverse: Any, size: Any) -> None:
    """Where each run begins, and for each place the number of its run; `ends` count how many have begun."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        count = int64(ends[i])
        before = int64(ends[uint32(i - uint32(1))]) if i > uint32(0) else int64(0)
        if count != before:
            starts[uint32(before)] = int64(i)
        inverse[uint32(position_at(order, i, i))] = int64(count - int64(1))


def counted(starts: Any, counts: Any, total: Any, size: Any) -> None:
    """How long each run is."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        end = int64(total)
        if uint32(i + uint32(1)) < size:
            end = int64(starts[uint32(i + uint32(1))])
        counts[i] = int64(end - int64(starts[i]))


def firsts(x: Any, order: Any, starts: Any, out: Any, along: Any, after: Any, runs: Any, size: Any) -> None:
    """The first slice of each run, as (before, runs, after)."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        q = uint32(i // after)
        b = uint32(q // runs)
        start = uint32(starts[uint32(q - uint32(b * runs))])
        position = uint32(position_at(order, start, start))
        put(
            out, i, get(x, uint32(uint32(uint32(uint32(b * along) + position) * after) + uint32(i - uint32(q * after))))
        )


def _begins(target: Target, signature: Signature) -> Any:
    stored: np.dtype = signature[0].dtype
    return target.kernel(begins, get=getter(target, stored, in_registers(stored)))


def _differs(target: Target, signature: Signature) -> Any:
    stored: np.dtype = signature[0].dtype
    reads = getter(target, stored, in_registers(stored))
    return target.kernel(differs, get=reads, position_at=position_functions(target, signature[1]))


def _numbered(target: Target, signature: Signature) -> Any:
    return target.kernel(numbered, position_at=position_functions(target, signature[0]))


def _counted(target: Target, signature: Signature) -> Any:
    return target.kernel(counted)


def _firsts(target: Target, signature: Signature) -> Any:
    stored: np.dtype = signature[0].dtype
    names = {"get": getter(target, stored, in_registers(stored)), "put": putter(target, signature[3].dtype)}
    return target.kernel(firsts, position_at=position_functions(target, signature[1]), **names)


def _lengths(target: Target, signature: Signature) -> Any:
    return target.kernel(lengths)


BEGINS = Kernel("where runs begin", _begins)
LENGTHS = Kernel("lengths of runs", _lengths)
DIFFERS = Kernel("where slices differ", _differs)
NUMBERED = Kernel("numbers of runs", _numbered)
COUNTED = Kernel("sizes of runs", _counted)
FIRSTS = Kernel("first slices of runs", _firsts)
