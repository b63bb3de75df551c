"""Sums of what is not nan, of contiguous floats in one loop each, and their gradients, as plans call them.

Operands are seen as (before, along, after), and results are counted through (before, after): see cpu_reduce_loops.py.
A sum has the order that `sum` has of as many elements, but that of short rows; what is nan adds nothing to it.
"""

from ...compiler.jit import READ, jit
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import CHUNK, FOUR_BLOCKS, NARROW
from ...kernels.llvm.addresses import address, clear, empty_row, part_of, row_at
from ...kernels.llvm.reduce import nansum_of_blocks, nansum_of_tail

_BLOCK = 1024  # elements that are added in single precision
_ROWS = 128  # rows of columns that are
_WIDTH = 4096  # columns that are added side by side
_SHORT = 128  # elements of rows that are added several at a time


@jit(halves=READ)
def nansum_loop(x: Array, out: Array, before: int, along: int, after: int, first: int, last: int) -> None:
    if after == 1:
        rows, to = part_of(x, first * along, (last - first) * along), part_of(out, first, last - first)
        if along <= _SHORT:
            short_nansum(rows, along, to)
        else:
            for b in range(to.size):
                to[b] = nansum_of_row(part_of(rows, b * along, along))
        return
    k = first
    while k < last:
        b, start = k // after, k % after
        table = part_of(x, b * along * after, along * after)
        totals = empty_row(0.0, min(_WIDTH, after - start, last - k))
        if totals.size == after and 2 * after <= NARROW <= along:
            narrow_nansum_columns(table, totals)
        else:
            nansum_columns(table, after, start, totals)
        for j in range(totals.size):
            out[k + j] = totals[j]
        k += totals.size


@jit(halves=READ)
def nansum_of_chunks(x: Array, totals: Array, first: int, last: int) -> None:
    made = row_at(0.0, address(totals), (x.size + CHUNK - 1) // CHUNK)
    for k in range(first, last, CHUNK):
        made[k // CHUNK] = nansum_of_row(part_of(x, k, min(CHUNK, x.size - k)))


@jit
def nansum_of_row(row: Array) -> float:
    """sum_i x_i of what is not nan; four blocks at a time, as `chunk_sum`."""
    total, k = 0.0, 0
    while k + FOUR_BLOCKS <= row.size:
        total += nansum_of_blocks(row, k)
        k += FOUR_BLOCKS
    while k < row.size:
        total += nansum_of_tail(row, k, min(_BLOCK, row.size - k))
        k += _BLOCK
    return total


@jit
def short_nansum(x: Array, along: int, out: Array) -> None:
    """out[b] = sum_i x[b, i] of what is not nan: four rows side by side, for one alone waits for itself."""
    zero, fours = x.dtype.type(0), out.size // 4 * 4
    for b in range(0, fours, 4):
        one, two = part_of(x, b * along, along), part_of(x, (b + 1) * along, along)
        three, four = part_of(x, (b + 2) * along, along), part_of(x, (b + 3) * along, along)
        s1 = s2 = s3 = s4 = zero
        for i in range(along):
            u, v, w, z = one[i], two[i], three[i], four[i]
            s1 += u if u == u else zero
            s2 += v if v == v else zero
            s3 += w if w == w else zero
            s4 += z if z == z else zero
        out[b], out[b + 1], out[b + 2], out[b + 3] = s1, s2, s3, s4
    for b in range(fours, out.size):
        row, s1 = part_of(x, b * along, along), zero
        for i in range(along):
            s1 += row[i] if row[i] == row[i] else zero
        out[b] = s1


@jit
def nansum_columns(x: Array, after: int, start: int, totals: Array) -> None:
    zero, count, rows = x.dtype.type(0), totals.size, x.size // after
    part = empty_row(zero, count)
    clear(totals)
    for k in range(0, rows, _ROWS):
        clear(part)
        last = min(k + _ROWS, rows)
        fours = k + (last - k) // 4 * 4
        for i in range(k, fours, 4):
            at = i * after + start
            one, two = part_of(x, at, count), part_of(x, at + after, count)
            three, four = part_of(x, at + 2 * after, count), part_of(x, at + 3 * after, count)
            for j in range(part.size):
                first = (one[j] if one[j] == one[j] else zero) + (two[j] if two[j] == two[j] else zero)
                then = (three[j] if three[j] == three[j] else zero) + (four[j] if four[j] == four[j] else zero)
                part[j] += first + then
        for i in range(fours, last):
            row = part_of(x, i * after + start, count)
            for j in range(part.size):
                part[j] += row[j] if row[j] == row[j] else zero
        for j in range(part.size):
            totals[j] += part[j]


@jit
def narrow_nansum_columns(x: Array, totals: Array) -> None:
    """The sums of few columns: as many rows as make a wide one are added as if they were one."""
    after, rows = totals.size, x.size // totals.size
    side = NARROW // after
    tile_rows = rows // side * side
    wide = empty_row(0.0, side * after)
    nansum_columns(part_of(x, 0, tile_rows * after), wide.size, 0, wide)
    nansum_columns(part_of(x, tile_rows * after, (rows - tile_rows) * after), after, 0, totals)
    for k in range(wide.size):
        totals[k % after] += wide[k]
