"""Kernels of scans: what the elements of a line up to each one come to.

A line has a state after each element, a pair of numbers; two states in a row are joined to one (`scan_states.py`). A
thread has a line (`by_thread`), or a block has a part of one (`by_block`): its threads have four elements each, join
what all threads before have, and go on from there. Arrays are seen as (before, along, after).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .kernel import Kernel, Signature, Target
from .scan_states import names_of_state
from .vocabulary import cuda, uint32

MOST_THREADS = 256  # of a block
PER_THREAD = 4

# Texts name these; a kernel has its own in their place.
read: Any = None
write: Any = None
nothing: Any = None
join: Any = None
carried: Any = None
A: Any = None
B: Any = None


def by_thread(sources: Any, results: Any, along: Any, after: Any, reverse: Any, size: Any) -> None:
    """One of `size` lines."""
    line = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if line < size:
        q = uint32(line // after)
        at = uint32(uint32(uint32(q * along) * after) + uint32(line - uint32(q * after)))
        step = after
        if reverse > uint32(0):
            at = uint32(at + uint32(uint32(along - uint32(1)) * after))
            step = uint32(uint32(0) - after)
        a, b = read(sources, at, uint32(0))
        write(results, at, a, b)
        i = uint32(1)
        while i < along:
            at = uint32(at + step)
            c, d = read(sources, at, i)
            a, b = join(a, b, c, d)
            write(results, at, a, b)
            i = uint32(i + uint32(1))


def by_block(
    sources: Any, results: Any, totals: Any, along: Any, after: Any, reverse: Any, parts: Any, length: Any
) -> None:
    """A part of a line, of `length` elements at most; `totals` are the states after parts, where there are several."""
    firsts, seconds = cuda.shared.array(256, A), cuda.shared.array(256, B)
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    part = uint32(uint32(cuda.blockIdx.x) - uint32(line * parts))
    q = uint32(line // after)
    start = uint32(uint32(uint32(q * along) * after) + uint32(line - uint32(q * after)))
    step = after
    if reverse > uint32(0):
        start = uint32(start + uint32(uint32(along - uint32(1)) * after))
        step = uint32(uint32(0) - after)
    base = uint32(part * length)
    end = uint32(base + length)
    if end > along:
        end = along
    known, x, y = carried(totals, part)
    while base < end:
        first = uint32(base + uint32(t * uint32(4)))
        last = uint32(first + uint32(4))
        if last > end:
            last = end
        a, b = nothing()
        if first < end:
            a, b = read(sources, uint32(start + uint32(first * step)), first)
            i = uint32(first + uint32(1))
            while i < last:
                c, d = read(sources, uint32(start + uint32(i * step)), i)
                a, b = join(a, b, c, d)
                i = uint32(i + uint32(1))
            firsts[t] = a
            seconds[t] = b
        cuda.syncthreads()
        distance = uint32(1)
        while distance < threads:
            e, f = nothing()
            if first < end and t >= distance:
                e, f = firsts[uint32(t - distance)], seconds[uint32(t - distance)]
            cuda.syncthreads()
            if first < end and t >= distance:
                a, b = join(e, f, a, b)
                firsts[t] = a
                seconds[t] = b
            cuda.syncthreads()
            distance = uint32(distance << uint32(1))
        if first < end:
            a, b = x, y
            before = known
            if t > uint32(0):
                a, b = firsts[uint32(t - uint32(1))], seconds[uint32(t - uint32(1))]
                if known:
                    a, b = join(x, y, a, b)
                before = True
            i = first
            while i < last:
                at = uint32(start + uint32(i * step))
                c, d = read(sources, at, i)
                if before:
                    c, d = join(a, b, c, d)
                a, b = c, d
                before = True
                write(results, at, a, b)
                i = uint32(i + uint32(1))
        tile = uint32(uint32(end - base) + uint32(3)) >> uint32(2)
        whole = uint32(tile if tile < threads else threads)
        c, d = firsts[uint32(whole - uint32(1))], seconds[uint32(whole - uint32(1))]
        if known:
            c, d = join(x, y, c, d)
        x, y = c, d
        known = True
        cuda.syncthreads()
        base = uint32(base + uint32(threads * uint32(4)))


def by_part(sources: Any, totals: Any, along: Any, after: Any, reverse: Any, parts: Any, length: Any) -> None:
    """What a part of a line comes to, into the place of the block: a thread has elements side by side."""
    firsts, seconds = cuda.shared.array(256, A), cuda.shared.array(256, B)
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    q = uint32(line // after)
    start = uint32(uint32(uint32(q * along) * after) + uint32(line - uint32(q * after)))
    step = after
    if reverse > uint32(0):
        start = uint32(start + uint32(uint32(along - uint32(1)) * after))
        step = uint32(uint32(0) - after)
    base = uint32(uint32(uint32(cuda.blockIdx.x) - uint32(line * parts)) * length)
    end = uint32(base + length)
    if end > along:
        end = along
    own = uint32(uint32(uint32(length + threads) - uint32(1)) // threads)
    first = uint32(base + uint32(t * own))
    last = uint32(first + own)
    if last > end:
        last = end
    a, b = nothing()
    if first < end:
        a, b = read(sources, uint32(start + uint32(first * step)), first)
        i = uint32(first + uint32(1))
        while i < last:
            c, d = read(sources, uint32(start + uint32(i * step)), i)
            a, b = join(a, b, c, d)
            i = uint32(i + uint32(1))
        firsts[t] = a
        seconds[t] = b
    cuda.syncthreads()
    distance = uint32(1)
    while distance < threads:
        other = uint32(t + distance)
        begins = uint32(t & uint32(uint32(distance << uint32(1)) - uint32(1))) == uint32(0)
        if begins and other < threads and uint32(base + uint32(other * own)) < end:
            a, b = join(a, b, firsts[other], seconds[other])
            firsts[t] = a
            seconds[t] = b
        cuda.syncthreads()
        distance = uint32(distance << uint32(1))
    if t == uint32(0):
        totals[0][uint32(cuda.blockIdx.x)] = a
        totals[1][uint32(cuda.blockIdx.x)] = b


@cache
def scanning(function: Any, name: str, computed: np.dtype, phase: str = "whole") -> Kernel:
    """The kernel of one way of joining; `function` is `by_thread`, `by_block` or `by_part`.

    Args:
        name: of scan_states.STATES.
        computed: the dtype of the elements in registers.
        phase: of long lines, which several blocks have; see `names_of_state`.
    """

    def make(target: Target, signature: Signature) -> Any:
        names = names_of_state(target, name, computed, phase, signature[0], signature[1])
        return target.kernel(function, **names)

    return Kernel(f"{name} {function.__name__} {phase}", make)
