"""Running sums of contiguous lines of floats, in vectors; long lines in chunks, so that threads share them.

What comes before a chunk is the sum of the chunks before it, whoever computed these: no bit depends on the threads.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.sums import REORDER
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.prefixes import LANES, running_eights, running_eights_in_two
from ...pool.parallel_for import shared
from ...pool.thread_count import get_num_threads
from .cpu_sums import lost

Array = np.ndarray

CHUNK = 1 << 14  # elements


def running_sums_of_lines(a: Array, out: Array, along: int) -> None:
    """out_i = sum_{j <= i} a_j along each of the lines that lie one behind the other."""
    chunks = -(-along // CHUNK)
    if get_num_threads() == 1:
        running_lines(a, out, along)
        return
    parts, bases = a.size // along * chunks, np.zeros((a.size // along, chunks))
    if chunks > 1:
        totals = np.empty_like(bases)
        shared(chunk_totals, (a, totals.reshape(-1), along), parts, a.size)
        np.cumsum(totals[:, :-1], axis=1, out=bases[:, 1:])
    shared(running_chunks, (a, out, bases.reshape(-1), along), parts, a.size, 1 if chunks > 1 else 4)


@jit
def chunk_of(number: int, along: int) -> tuple[int, int]:
    """Where a chunk begins, and how many elements it has."""
    chunks = (along + CHUNK - 1) // CHUNK
    start = number % chunks * CHUNK
    return number // chunks * along + start, min(CHUNK, along - start)


@jit(fastmath=REORDER)
def total_of(row: Array) -> float:
    """sum_i x_i, in double precision."""
    total = 0.0
    for i in range(row.size):
        total += row[i]
    return total


@jit
def chunk_totals(a: Array, totals: Array, along: int, first: int, last: int) -> None:
    """totals[k] = the sum of chunk k."""
    for k in range(first, last):
        start, count = chunk_of(k, along)
        totals[k] = total_of(part_of(a, start, count))


@jit
def running_chunk(a: Array, out: Array, start: int, count: int, base: float) -> None:
    """The running sums of some elements, from a base on."""
    full = start + count // LANES * LANES
    base = running_eights(a, out, start, full, base)
    for at in range(full, start + count):
        base += a[at]
        out[at] = base


@jit
def running_lines_in_two(a: Array, out: Array, along: int, first: int, last: int) -> None:
    """The running sums of lines, with their rounding errors; eight with inf or nan element by element."""
    for k in range(first, last):
        at, stop, total, low = k * along, (k + 1) * along, 0.0, 0.0
        while at < stop:
            full = at + (stop - at) // LANES * LANES
            at, total, low = running_eights_in_two(a, out, at, full, total, low)
            for position in range(at, min(at + LANES, stop)):
                before = total
                total = before + a[position]
                low += lost(before, a[position], total)
                out[position] = total + low
            at = min(at + LANES, stop)


@jit
def running_chunks(a: Array, out: Array, bases: Array, along: int, first: int, last: int) -> None:
    """The running sums of chunks, each from its base on."""
    for k in range(first, last):
        start, count = chunk_of(k, along)
        running_chunk(a, out, start, count, bases[k])


@jit
def running_lines(a: Array, out: Array, along: int) -> None:
    """The same for all lines by one thread, which reads a chunk from memory once for its sum and its running sums."""
    chunks, base = (along + CHUNK - 1) // CHUNK, 0.0
    for k in range(a.size // along * chunks):
        start, count = chunk_of(k, along)
        base = base if k % chunks else 0.0
        total = total_of(part_of(a, start, count)) if chunks > 1 else 0.0
        running_chunk(a, out, start, count, base)
        base += total
