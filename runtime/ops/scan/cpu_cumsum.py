"""Running sums of real numbers; none loses digits to its length, and no bit depends on the threads.

Arrays are flat memory, seen as (before, along, after); lines are counted through (before, after), and each loop takes
the range of them. float32 is added in double precision. For float64 what rounding takes from a sum is added up beside
it, and given back to every result. (The error of s = a + b is exactly (a - (s - b')) + (b - b') with b' = s - a:
D. Knuth, "The art of computer programming", 4.2.2.) Long lines are shared in chunks, each from the sum of those before.
"""

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from ...device.threads.workers import get_num_threads
from ...kernels.cpu.loops import lines_of
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import REORDER
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.prefix_scan import LANES, running_eights, running_eights_in_two

NARROW = 4  # lines side by side that are better followed one by one
WIDTH = 1024  # lines that are followed side by side
_BLOCK = 8  # elements whose own sums do not wait for what comes before them


@jit
def start_of(line: int, along: int, after: int) -> int:
    """Where a line begins; short ones are soon done, but for a division."""
    return line * along if after == 1 else line // after * along * after + line % after


@jit(forceinline=True)
def lost(a: float, b: float, total: float) -> float:
    """The rounding error of total = a + b (two-sum); 0 where that is not finite."""
    part = total - a
    error = (a - (total - part)) + (b - part)
    return error if error == error else 0.0


@jit
def row_sums_of_integers(a: Array, out: Array, along: int, after: int, reverse: bool, first: int, last: int) -> None:
    """The running sums of lines one by one, modulo 2^64."""
    step = -after if reverse else after
    for k in range(first, last):
        total, at = np.int64(0), start_of(k, along, after) + (along - 1) * after * reverse
        for _ in range(along):
            total += np.int64(a[at])
            out[at] = total
            at += step


@jit
def running_row_sums(
    a: Array, out: Array, like: Array, along: int, after: int, reverse: bool, first: int, last: int
) -> None:
    step = -after if reverse else after
    for k in range(first, last):
        total = like.dtype.type(0)
        at = start_of(k, along, after) + (along - 1) * after * reverse
        for _ in range(along // _BLOCK):
            base = total
            a1 = like.dtype.type(a[at])
            a3, a5 = like.dtype.type(a[at + 2 * step]), like.dtype.type(a[at + 4 * step])
            a2, a4 = a1 + a[at + step], a3 + a[at + 3 * step]
            a6, a8 = a5 + a[at + 5 * step], a[at + 6 * step] + like.dtype.type(a[at + 7 * step])
            a3, a4, a7, a8 = a2 + a3, a2 + a4, a6 + a[at + 6 * step], a6 + a8
            total = base + (a4 + a8)
            out[at], out[at + step], out[at + 2 * step], out[at + 3 * step] = base + a1, base + a2, base + a3, base + a4
            out[at + 4 * step], out[at + 5 * step] = base + (a4 + a5), base + (a4 + a6)
            out[at + 6 * step], out[at + 7 * step] = base + (a4 + a7), total
            at += _BLOCK * step
        for _ in range(along % _BLOCK):
            total += a[at]
            out[at] = total
            at += step


@jit
def row_sums_in_two(a: Array, out: Array, along: int, after: int, reverse: bool, first: int, last: int) -> None:
    """Running sums of lines one by one, with their rounding errors; blocks with inf or nan element by element."""
    step = -after if reverse else after
    for k in range(first, last):
        total = low = 0.0
        at, left = start_of(k, along, after) + (along - 1) * after * reverse, along
        while left:
            block = min(_BLOCK, left)
            left -= block
            if block == _BLOCK:
                a1, a3, a5, a7 = a[at], a[at + 2 * step], a[at + 4 * step], a[at + 6 * step]
                a2, a4, a6, a8 = a1 + a[at + step], a3 + a[at + 3 * step], a5 + a[at + 5 * step], a7 + a[at + 7 * step]
                a3, a4, a7, a8 = a2 + a3, a2 + a4, a6 + a7, a6 + a8
                own = a4 + a8
                if own - own == 0:
                    base = total + low
                    out[at], out[at + step], out[at + 2 * step] = base + a1, base + a2, base + a3
                    out[at + 3 * step], out[at + 4 * step] = base + a4, base + (a4 + a5)
                    out[at + 5 * step], out[at + 6 * step] = base + (a4 + a6), base + (a4 + a7)
                    out[at + 7 * step] = base + own
                    before = total
                    total = before + own
                    low += lost(before, own, total)
                    at += _BLOCK * step
                    continue
            for _ in range(block):
                before = total
                total = before + a[at]
                low += lost(before, a[at], total)
                out[at] = total + low
                at += step


@jit
def running_column_sums(a: Array, out: Array, totals: Array, start: int, along: int, after: int, reverse: bool) -> None:
    totals[:] = 0
    end = along - 1 if reverse else 0
    for i in range(along):
        at = start + abs(i - end) * after  # no sum: else LLVM asks before both loops whether memory overlaps, in vain
        row, to = part_of(a, at, totals.size), part_of(out, at, totals.size)
        for j in range(totals.size):
            totals[j] += row[j]
            to[j] = totals[j]


@jit
def column_sums_in_two(a: Array, out: Array, totals: Array, start: int, along: int, after: int, reverse: bool) -> None:
    lows = np.zeros_like(totals)
    totals[:] = 0
    end = along - 1 if reverse else 0
    for i in range(along):
        at = start + abs(i - end) * after
        row, to = part_of(a, at, totals.size), part_of(out, at, totals.size)
        for j in range(totals.size):
            before = totals[j]
            total = before + row[j]
            lows[j] += lost(before, row[j], total)
            to[j] = total + lows[j]
            totals[j] = total


@jit
def running_sums(
    a: Array, out: Array, like: Array, in_two: bool, along: int, after: int, reverse: bool, first: int, last: int
) -> None:
    if after <= NARROW:
        if like.dtype.type(0.5) == 0:
            row_sums_of_integers(a, out, along, after, reverse, first, last)
        elif in_two:
            row_sums_in_two(a, out, along, after, reverse, first, last)
        else:
            running_row_sums(a, out, like, along, after, reverse, first, last)
        return
    while first < last:
        start, width = start_of(first, along, after), min(WIDTH, lines_of(after, first, last))
        if in_two:
            column_sums_in_two(a, out, np.empty(width, like.dtype), start, along, after, reverse)
        else:
            running_column_sums(a, out, np.empty(width, like.dtype), start, along, after, reverse)
        first += width


CHUNK = 1 << 14  # elements


def running_sums_of_lines(a: Array, out: Array, along: int) -> None:
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
    chunks = (along + CHUNK - 1) // CHUNK
    start = number % chunks * CHUNK
    return number // chunks * along + start, min(CHUNK, along - start)


@jit(fastmath=REORDER)
def total_of(row: Array) -> float:
    total = 0.0
    for i in range(row.size):
        total += row[i]
    return total


@jit
def chunk_totals(a: Array, totals: Array, along: int, first: int, last: int) -> None:
    for k in range(first, last):
        start, count = chunk_of(k, along)
        totals[k] = total_of(part_of(a, start, count))


@jit
def running_chunk(a: Array, out: Array, start: int, count: int, base: float) -> None:
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
