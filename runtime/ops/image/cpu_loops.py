"""The loops of resampling and padding, each over a range of independent rows, lines or planes."""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_run
from ...kernels.cpu.matmul import transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at

LINES = 32  # that are resampled at once: so many elements are neighbours where they lie transposed


@jit
def resampled_rows(
    a: Array, starts: Array, columns: Array, weights: Array, out: Array, size: int, length: int, inner: int,
    first: int, last: int,
) -> None:  # fmt: skip
    """out[o, i] = sum_k weights[k] a[o, columns[k]] over the k of row i: rows of `inner` elements."""
    for number in range(first, last):
        o, i = number // length, number % length
        source, row = part_of(a, o * size * inner, size * inner), part_of(out, number * inner, inner)
        _weigh(source, starts[i], starts[i + 1], columns, weights, row)


@jit
def resampled_lines(
    a: Array, starts: Array, columns: Array, weights: Array, out: Array, size: int, length: int, first: int, last: int
) -> None:
    """The same of single elements, in blocks of lines that are transposed, so that each sum is of rows."""
    like, lines = out.dtype.type(0), a.size // size
    source, sums = empty_row(like, size * LINES), empty_row(like, length * LINES)
    for block in range(first, last):
        begin = block * LINES
        count, row = min(LINES, lines - begin), item_size(like)
        transpose_at(like, address(a) + begin * size * row, size * row, count, size, address(source), LINES * row)
        for i in range(length):
            _weigh(source, starts[i], starts[i + 1], columns, weights, part_of(sums, i * LINES, LINES))
        to = address(out) + begin * length * row
        transpose_at(like, address(sums), LINES * row, length, count, to, length * row)


@jit
def resampled(
    a: Array, out: Array, starts: Array, columns: Array, weights: Array, size: int, length: int, inner: int,
    first: int, last: int,
) -> None:  # fmt: skip
    """`resampled_rows`, or `resampled_lines` where rows are single elements, by weights that are float64 as bits."""
    wide, own = row_at(np.float64(0), address(weights), weights.size), empty_row(out.dtype.type(0), weights.size)
    for k in range(own.size):
        own[k] = wide[k]
    if inner == 1:
        resampled_lines(a, starts, columns, own, out, size, length, first, last)
    else:
        resampled_rows(a, starts, columns, own, out, size, length, inner, first, last)


@jit(forceinline=True)
def _weigh(source: Array, first: int, end: int, columns: Array, weights: Array, row: Array) -> None:
    """row = the sum of some rows of the source times their weights; two are added at a time."""
    if (end - first) % 2:
        weight, line = weights[first], part_of(source, columns[first] * row.size, row.size)
        for j in range(row.size):
            row[j] = weight * line[j]
    k = first + (end - first) % 2
    while k < end:
        one, other = weights[k], weights[k + 1]
        line = part_of(source, columns[k] * row.size, row.size)
        after = part_of(source, columns[k + 1] * row.size, row.size)
        if k == first:
            for j in range(row.size):
                row[j] = one * line[j] + other * after[j]
        else:
            for j in range(row.size):
                row[j] += one * line[j] + other * after[j]
        k += 2
    if first == end:
        for j in range(row.size):
            row[j] = 0


@jit
def gathered_boxes(
    a: Array, out: Array, down: Array, along: Array, across: Array, run: Array, sizes: Array, first: int, last: int
) -> None:
    """out[box, i, j, k] = a[box, down[i], along[j], across[k]]; from `run[0]` to `run[1]`, `across` counts up."""
    high, rows, columns = sizes
    width, start, end, to = across.size, run[0], run[1], first * down.size * along.size * across.size
    for box in range(first, last):
        for i in range(down.size):
            for j in range(along.size):
                source = ((box * high + down[i]) * rows + along[j]) * columns
                copy_run(a, source + across[start], out, to + start, end - start)
                for k in range(start):
                    out[to + k] = a[source + across[k]]
                for k in range(end, width):
                    out[to + k] = a[source + across[k]]
                to += width


@jit
def collected_boxes(
    grad: Array, out: Array, down: Array, along: Array, across: Array, run: Array, sizes: Array, first: int, last: int
) -> None:
    """The transpose of `gathered_boxes`: adds each element of some boxes of `grad` to the one that it is a copy of."""
    high, rows, columns = sizes
    width, start, end, source = across.size, run[0], run[1], first * down.size * along.size * across.size
    size = high * rows * columns
    full = part_of(out, first * size, (last - first) * size)
    for k in range(full.size):
        full[k] = 0
    for box in range(first, last):
        for i in range(down.size):
            for j in range(along.size):
                to = ((box * high + down[i]) * rows + along[j]) * columns
                for k in range(start):
                    out[to + across[k]] += grad[source + k]
                center_sum = part_of(out, to + across[start], end - start)
                added = part_of(grad, source + start, end - start)
                for k in range(center_sum.size):
                    center_sum[k] += added[k]
                for k in range(end, width):
                    out[to + across[k]] += grad[source + k]
                source += width
