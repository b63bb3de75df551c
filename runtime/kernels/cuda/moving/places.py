"""Kernels that give each result one element, or zero, by the place of the result."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..kernel import Kernel, Signature, Target
from ..loops import multi_index_of, offset_of
from ..storage import getter, putter
from ..vocabulary import T, cuda, int32, uint32

# Texts name these; a kernel has its own in their place.
get: Any = None
put: Any = None
multi_index: Any = None
offset: Any = None
source_of: Any = None
rest: Any = None
keeps: Any = None


def flipped(x: Any, out: Any, flips: Any, sizes: Any, size: Any) -> None:
    """Each index is counted from another end, or from another start on and around."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        put(out, i, get(x, source_of(flips, multi_index(sizes, i))))


def source_outermost(flips: Any, p: Any) -> Any:
    n, sign, shift, step = flips[0]
    q = uint32(uint32(p[0] * sign) + shift)
    if q >= n:
        q = uint32(q - n)
    return uint32(q * step)


def source_inner(flips: Any, p: Any) -> Any:
    n, sign, shift, step = flips[0]
    q = uint32(uint32(p[0] * sign) + shift)
    if q >= n:
        q = uint32(q - n)
    return uint32(uint32(q * step) + rest(flips[1:], p[1:]))


def source_function(target: Target, dims: int) -> Any:
    """The function (turns, place) that gives an element's offset; a turn is (size, 1 or -1, first index, step)."""
    made = target.device(source_outermost)
    for _ in range(dims - 1):
        made = target.device(source_inner, rest=made)
    return made


@cache
def flip_kernel(computed: np.dtype) -> Kernel:
    """The kernel of flips and rolls, whose elements go through a dtype."""

    def make(target: Target, signature: Signature) -> Any:
        x, out, flips, _, _ = signature
        names = {"get": getter(target, x.dtype, computed), "put": putter(target, out.dtype)}
        names |= {"multi_index": multi_index_of(target, len(flips)), "source_of": source_function(target, len(flips))}
        return target.kernel(flipped, **names)

    return Kernel(f"turned by {computed.name}", make)


def triangle(x: Any, out: Any, rows: Any, columns: Any, diagonal: Any, size: Any) -> None:
    """Elements of matrices on one side of a diagonal, zeros on the other."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        line = uint32(i // columns)
        column = uint32(i - uint32(line * columns))
        row = uint32(line - uint32(uint32(line // rows) * rows))
        if keeps(int32(int32(column) - int32(row)), diagonal):
            put(out, i, get(x, i))
        else:
            put(out, i, T(0))


def above(distance: Any, diagonal: Any) -> Any:
    return distance >= diagonal


def below(distance: Any, diagonal: Any) -> Any:
    return distance <= diagonal


@cache
def triangles(computed: np.dtype, upper: bool) -> Kernel:
    """The kernel of triu, or of tril."""

    def make(target: Target, signature: Signature) -> Any:
        x, out = signature[:2]
        names = {"get": getter(target, x.dtype, computed), "put": putter(target, out.dtype), "T": computed.type}
        return target.kernel(triangle, keeps=target.device(above if upper else below), **names)

    return Kernel(f"{'triu' if upper else 'tril'} by {computed.name}", make)


def offsets(out: Any, steps: Any, sizes: Any, first: Any, size: Any) -> None:
    """Where the elements of a layout lie whose first one is at a place."""
    i = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if i < size:
        out[i] = int32(uint32(first + offset(steps, multi_index(sizes, i))))


def _offsets(target: Target, signature: Signature) -> Any:
    dims = len(signature[1])
    return target.kernel(offsets, multi_index=multi_index_of(target, dims), offset=offset_of(target, dims))


OFFSETS = Kernel("offsets", _offsets)
