"""The loops of softmax and log-softmax, as plans call them: over rows, and over BLOCK columns side by side.

Columns are those of (before, along, after), so that memory is read as it lies. The last two arguments are the range of
rows, or of columns counted through (before, after).
"""

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...kernels.cpu.loops import (
    beside_infinity,
    copy_row,
    exponential_sum,
    exponentials,
    has_infinity,
    infinities,
    is_infinity,
    scale,
)
from ...kernels.cpu.sums import plain_sum
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.float16_rows import buffer_for, reading, writing, written
from ...kernels.llvm.reduce import range_of
from ...kernels.scalar import exp, log

_BLOCK = 256
_LOGS, _BATCH_ELEMENTS = 16, 2048  # short rows have their logarithms taken together: so many, of so many elements
_ROWS = 256  # that are added one after the other before their sums are added up, in float64
REORDER = {"reassoc"}  # without `contract`: g - exp(y) t has its product ready before it is its turn
Array = np.ndarray


@jit
def infinite_columns(x: Array, start: int, tops: Array, out: Array) -> bool:
    """Whether a column has maximum inf. If so `out` has the columns, those less their maximum, which becomes 0."""
    infinite = has_infinity(tops)
    if infinite:
        for i in range(x.shape[0]):
            row, to = x[i, start : start + tops.size], out[i, start : start + tops.size]
            for j in range(tops.size):
                to[j] = beside_infinity(row[j]) if tops[j] == np.inf else row[j]
        for j in range(tops.size):
            tops[j] = 0 if tops[j] == np.inf else tops[j]
    return infinite


@jit(halves=WRITTEN)
def softmax_rows(x: Array, result: Array, along: int, first: int, last: int) -> None:
    row_buffer = buffer_for(result, along)
    for i in range(first, last):
        row, out = part_of(x, i * along, along), writing(result, i * along, along, row_buffer)
        low, top = range_of(row)
        if top == np.inf:
            for j in range(out.size):
                out[j] = is_infinity(row[j])
        else:
            exponentials(row, low, top, out)
        scale(out, out.dtype.type(1 / plain_sum(out)), part_of(result, i * along, along))


@jit(halves=WRITTEN)
def log_softmax_rows(x: Array, result: Array, along: int, first: int, last: int) -> None:
    """x - log(sum(exp(x))) of each row; of short rows several logarithms are taken together, as vectors have them."""
    side = max(1, min(_LOGS, _BATCH_ELEMENTS // along))
    row_buffer, tops, shifts = buffer_for(x, along), empty_row(x.dtype.type(0), side), empty_row(x.dtype.type(0), side)
    for k in range(first, last, side):
        count = min(side, last - k)
        for i in range(count):
            row = reading(x, (k + i) * along, along, row_buffer)
            low, tops[i] = range_of(row)
            shifts[i] = infinities(row) if tops[i] == np.inf else exponential_sum(row, low, tops[i])
        for i in range(count):
            shifts[i] = log(shifts[i])
        for i in range(count):
            row, out = reading(x, (k + i) * along, along, row_buffer), part_of(result, (k + i) * along, along)
            top, shift = tops[i], shifts[i]
            if top == np.inf:
                for j in range(row.size):
                    out[j] = beside_infinity(row[j]) - shift
            else:
                for j in range(row.size):
                    out[j] = (row[j] - top) - shift


@jit(fastmath=REORDER, halves=WRITTEN)
def softmax_backward_rows(grad: Array, output: Array, result: Array, along: int, first: int, last: int) -> None:
    """y (g - sum(g y)) of each row."""
    row_buffer, other, third = buffer_for(grad, along), buffer_for(output, along), buffer_for(result, along)
    for i in range(first, last):
        g, y = reading(grad, i * along, along, row_buffer), reading(output, i * along, along, other)
        out = writing(result, i * along, along, third)
        total = grad.dtype.type(0)
        for j in range(g.size):
            total += g[j] * y[j]
        for j in range(g.size):
            out[j] = (g[j] - total) * y[j]
        written(result, i * along, out)


@jit(fastmath=REORDER, halves=WRITTEN)
def log_softmax_backward_rows(grad: Array, output: Array, result: Array, along: int, first: int, last: int) -> None:
    """g - exp(y) sum(g) of each row."""
    row_buffer, other, third = buffer_for(grad, along), buffer_for(output, along), buffer_for(result, along)
    for i in range(first, last):
        g, y = reading(grad, i * along, along, row_buffer), reading(output, i * along, along, other)
        out = writing(result, i * along, along, third)
        total = grad.dtype.type(0)
        for j in range(g.size):
            total += g[j]
        for j in range(g.size):
            out[j] = g[j] - exp(y[j]) * total
        written(result, i * along, out)


@jit
def tops_of(x: Array, start: int, tops: Array) -> None:
    """The greatest of each of the columns from `start` on; what is nan may be passed over."""
    copy_row(x[0, start : start + tops.size], tops)
    for i in range(1, x.shape[0]):
        row = x[i, start : start + tops.size]
        for j in range(tops.size):
            tops[j] = row[j] if row[j] > tops[j] else tops[j]


@jit
def stop_of(after: int, line: int, last: int) -> int:
    start = line % after
    return min(after, start + _BLOCK, start + last - line)


@jit
def collect(part: Array, totals: Array, row: int) -> None:
    """Add up the sums of some rows after every _ROWS of them, so that a sum loses nothing to its length."""
    if row % _ROWS == 0:
        for j in range(totals.size):
            totals[j] += part[j]
            part[j] = 0


@jit
def add_exponentials(x: Array, start: int, tops: Array, sums: Array) -> None:
    totals = np.zeros(sums.size)
    for i in range(x.shape[0]):
        row = x[i, start : start + sums.size]
        for j in range(sums.size):
            sums[j] += exp(row[j] - tops[j])
        collect(sums, totals, i)
    for j in range(sums.size):
        sums[j] += totals[j]


@jit
def softmax_columns(x: Array, result: Array, before: int, along: int, after: int, first: int, last: int) -> None:
    shape, line = (before, along, after), first
    table, out = x.reshape(shape), result.reshape(shape)
    while line < last:
        b, start, stop = line // after, line % after, stop_of(after, line, last)
        tops, part = np.empty(stop - start, x.dtype), np.zeros(stop - start, x.dtype)
        totals = np.zeros(part.size)
        tops_of(table[b], start, tops)
        source = out if infinite_columns(table[b], start, tops, out[b]) else table
        for i in range(along):
            row, to = source[b, i, start:stop], out[b, i, start:stop]
            for j in range(part.size):
                value = exp(row[j] - tops[j])
                to[j] = value
                part[j] += value
            collect(part, totals, i)
        for j in range(part.size):
            part[j] += totals[j]
            part[j] = 1 / part[j]
        for i in range(along):
            to = out[b, i, start:stop]
            for j in range(part.size):
                to[j] *= part[j]
        line += stop - start


@jit
def log_softmax_columns(x: Array, result: Array, before: int, along: int, after: int, first: int, last: int) -> None:
    shape, line = (before, along, after), first
    table, out = x.reshape(shape), result.reshape(shape)
    while line < last:
        b, start, stop = line // after, line % after, stop_of(after, line, last)
        tops, part = np.empty(stop - start, x.dtype), np.zeros(stop - start, x.dtype)
        tops_of(table[b], start, tops)
        source = out if infinite_columns(table[b], start, tops, out[b]) else table
        add_exponentials(source[b], start, tops, part)
        for j in range(part.size):
            part[j] = log(part[j])
        for i in range(along):
            row, to = source[b, i, start:stop], out[b, i, start:stop]
            for j in range(part.size):
                to[j] = (row[j] - tops[j]) - part[j]
        line += stop - start


@jit
def softmax_backward_columns(
    grad: Array, output: Array, result: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    shape, line = (before, along, after), first
    grads, outputs, out = grad.reshape(shape), output.reshape(shape), result.reshape(shape)
    while line < last:
        b, start, stop = line // after, line % after, stop_of(after, line, last)
        part, totals = np.zeros(stop - start, grad.dtype), np.zeros(stop - start)
        for i in range(along):
            g, y = grads[b, i, start:stop], outputs[b, i, start:stop]
            for j in range(part.size):
                part[j] += g[j] * y[j]
            collect(part, totals, i)
        for j in range(part.size):
            part[j] += totals[j]
        for i in range(along):
            g, y, to = grads[b, i, start:stop], outputs[b, i, start:stop], out[b, i, start:stop]
            for j in range(part.size):
                to[j] = (g[j] - part[j]) * y[j]
        line += stop - start


@jit
def log_softmax_backward_columns(
    grad: Array, output: Array, result: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    shape, line = (before, along, after), first
    grads, outputs, out = grad.reshape(shape), output.reshape(shape), result.reshape(shape)
    while line < last:
        b, start, stop = line // after, line % after, stop_of(after, line, last)
        part, totals = np.zeros(stop - start, grad.dtype), np.zeros(stop - start)
        for i in range(along):
            g = grads[b, i, start:stop]
            for j in range(part.size):
                part[j] += g[j]
            collect(part, totals, i)
        for j in range(part.size):
            part[j] += totals[j]
        for i in range(along):
            g, y, to = grads[b, i, start:stop], outputs[b, i, start:stop], out[b, i, start:stop]
            for j in range(part.size):
                to[j] = g[j] - exp(y[j]) * part[j]
        line += stop - start


@jit
def log_totals(x: Array, result: Array, before: int, along: int, after: int, first: int, last: int) -> None:
    """log(sum(exp(x))) along (before, along, after), shifted by the greatest element where that is finite."""
    table, line = x.reshape((before, along, after)), first
    while line < last:
        b, start, stop = line // after, line % after, stop_of(after, line, last)
        if after == 1:
            row = part_of(x, line * along, along)
            low, top = range_of(row)
            if abs(top) == np.inf:
                low, top = x.dtype.type(-np.inf), x.dtype.type(0)
            result[line] = log(exponential_sum(row, low, top)) + top
            line += 1
            continue
        tops, part = np.empty(stop - start, x.dtype), np.zeros(stop - start, x.dtype)
        tops_of(table[b], start, tops)
        for j in range(tops.size):
            tops[j] = tops[j] if abs(tops[j]) < np.inf else 0
        add_exponentials(table[b], start, tops, part)
        out = result[line : line + stop - start]
        for j in range(out.size):
            out[j] = log(part[j]) + tops[j]
        line += stop - start
