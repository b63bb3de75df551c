"""Kernels of scans: what the elements of a line up to each one come to.

A line has a state after each element, a pair of numbers; two states in a row are joined to one (`scan_states.py`). A
thread has a line (`by_thread`), or a block has a part of one (`by_block`): its threads have four elements each, join
what all threads before have, and go on from there. Arrays are seen as (before, along, after).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .indexed import with_helpers
from .kernel import Kernel, Signature, Target
from .scan_states import names_of_state
from .vocabulary import cuda, uint32

MAX_THREADS = 256  # of a block
PER_THREAD = 4

# Texts name these; a kernel has its own in their place.
read: Any = None
write: Any = None
nothing: Any = None
join: Any = None
carry_in: Any = None
A: Any = None
B: Any = None


def line_at(line: Any, along: Any, after: Any, reverse: Any) -> Any:
    """Where a line begins, and the step from one element to the next."""
    q = uint32(line // after)
    start = uint32(uint32(uint32(q * along) * after) + uint32(line - uint32(q * after)))
    step = after
    if reverse > uint32(0):
        start = uint32(start + uint32(uint32(along - uint32(1)) * after))
        step = uint32(uint32(0) - after)
    return start, step


def lesser(x: Any, y: Any) -> Any:
    return uint32(x if x < y else y)


def folded(sources: Any, start: Any, step: Any, first: Any, last: Any) -> Any:
    """What the elements of a line from `first` on, and before `last`, come to; nothing where there are none."""
    a, b = nothing()
    if first < last:
        a, b = read(sources, uint32(start + uint32(first * step)), first)
        i = uint32(first + uint32(1))
        while i < last:
            c, d = read(sources, uint32(start + uint32(i * step)), i)
            a, b = join(a, b, c, d)
            i = uint32(i + uint32(1))
    return a, b


def block_scan(firsts: Any, seconds: Any, threads: Any, has: Any, a: Any, b: Any) -> None:
    """Leave for each thread of a block the state of all up to it; those that have something come first."""
    t = uint32(cuda.threadIdx.x)
    if has:
        firsts[t] = a
        seconds[t] = b
    cuda.syncthreads()
    distance = uint32(1)
    while distance < threads:
        e, f = nothing()
        takes = has and t >= distance
        if takes:
            e, f = firsts[uint32(t - distance)], seconds[uint32(t - distance)]
        cuda.syncthreads()
        if takes:
            a, b = join(e, f, a, b)
            firsts[t] = a
            seconds[t] = b
        cuda.syncthreads()
        distance = uint32(distance << uint32(1))


def written(
    sources: Any, results: Any, start: Any, step: Any, first: Any, last: Any, known: Any, a: Any, b: Any
) -> None:
    """Write the state after each element; (a, b) is the one before them, where one is known."""
    i = first
    while i < last:
        at = uint32(start + uint32(i * step))
        c, d = read(sources, at, i)
        if known:
            c, d = join(a, b, c, d)
        a, b = c, d
        known = True
        write(results, at, a, b)
        i = uint32(i + uint32(1))


def before_thread(firsts: Any, seconds: Any, t: Any, known: Any, x: Any, y: Any) -> Any:
    """Whether something comes before a thread's elements, and the state that it leaves: (x, y) before the block's."""
    a, b = x, y
    if t > uint32(0):
        a, b = firsts[uint32(t - uint32(1))], seconds[uint32(t - uint32(1))]
        if known:
            a, b = join(x, y, a, b)
        known = True
    return known, a, b


def by_thread(sources: Any, results: Any, along: Any, after: Any, reverse: Any, size: Any) -> None:
    """One of `size` lines."""
    line = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if line < size:
        start, step = line_at(line, along, after, reverse)
        a, b = nothing()
        written(sources, results, start, step, uint32(0), along, False, a, b)


def by_block(
    sources: Any, results: Any, totals: Any, along: Any, after: Any, reverse: Any, parts: Any, length: Any
) -> None:
    """A part of a line, of `length` elements at most; `totals` are the states after parts, where there are several."""
    firsts, seconds = cuda.shared.array(256, A), cuda.shared.array(256, B)
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    part = uint32(uint32(cuda.blockIdx.x) - uint32(line * parts))
    start, step = line_at(line, along, after, reverse)
    base = uint32(part * length)
    end = lesser(uint32(base + length), along)
    known, x, y = carry_in(totals, part)
    while base < end:
        first = uint32(base + uint32(t * uint32(4)))
        last = lesser(uint32(first + uint32(4)), end)
        a, b = folded(sources, start, step, first, last)
        block_scan(firsts, seconds, threads, first < end, a, b)
        if first < end:
            before, a, b = before_thread(firsts, seconds, t, known, x, y)
            written(sources, results, start, step, first, last, before, a, b)
        full = lesser(uint32(uint32(uint32(end - base) + uint32(3)) >> uint32(2)), threads)
        known, x, y = before_thread(firsts, seconds, full, known, x, y)
        cuda.syncthreads()
        base = uint32(base + uint32(threads * uint32(4)))


def by_part(sources: Any, totals: Any, along: Any, after: Any, reverse: Any, parts: Any, length: Any) -> None:
    """What a part of a line comes to, into the place of the block: a thread has elements side by side."""
    firsts, seconds = cuda.shared.array(256, A), cuda.shared.array(256, B)
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    start, step = line_at(line, along, after, reverse)
    base = uint32(uint32(uint32(cuda.blockIdx.x) - uint32(line * parts)) * length)
    end = lesser(uint32(base + length), along)
    own = uint32(uint32(uint32(length + threads) - uint32(1)) // threads)
    first = uint32(base + uint32(t * own))
    a, b = folded(sources, start, step, first, lesser(uint32(first + own), end))
    if first < end:
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
def scanning(function: Any, name: str, computed: np.dtype, phase: str = "full") -> Kernel:
    """The kernel of one way of joining; `function` is `by_thread`, `by_block` or `by_part`.

    Args:
        name: of scan_states.STATES.
        computed: the dtype of the elements in registers.
        phase: of long lines, which several blocks have; see `names_of_state`.
    """

    def make(target: Target, signature: Signature) -> Any:
        names = names_of_state(target, name, computed, phase, signature[0], signature[1])
        return target.kernel(function, **with_helpers(target, function, names, False))

    return Kernel(f"{name} {function.__name__} {phase}", make)
