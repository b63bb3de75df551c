"""Gradients of reductions, one loop each, as plans call them: on contiguous floats seen as (before, along, after).

Of gradients, and of what else there is one of for each result, there are before * after; they are counted through
(before, after). The last two arguments are the range of these that a loop is for, and for `broadcast_divided` a range
of rows of (before, along).
"""

import math

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...kernels.cpu.loops import copy_row, copy_run, lines_of
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import column_sums, fill, plain_sum
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.reduce import product_of
from ...kernels.scalar import exp

_WIDTH = 1024  # columns that are worked on side by side


@jit(halves=WRITTEN)  # what it reads of its result has been rounded
def broadcast_divided(
    grads: Array, out: Array, divisor: float, before: int, along: int, after: int, first: int, last: int
) -> None:
    k = first
    while k < last:
        b, rows = k // along, min(last - k, along - k % along)
        lines = part_of(out, k * after, rows * after)
        if after == 1:
            value = grads.dtype.type(grads[b] / divisor)
            for i in range(lines.size):
                lines[i] = value
        else:
            line = part_of(lines, 0, after)
            for j in range(after):
                line[j] = grads[b * after + j] / divisor
            for i in range(1, rows):
                copy_run(line, 0, lines, i * after, after)
        k += rows


@jit
def var_backward_loop(
    grads: Array, x: Array, out: Array, scale: float, before: int, along: int, after: int, first: int, last: int
) -> None:
    to, k = x.dtype.type, first
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
        if after == 1:
            row, line = part_of(x, k * along, along), part_of(out, k * along, along)
            center, factor = to(plain_sum(row) / along), to(grads[k] * scale)
            for i in range(row.size):
                line[i] = factor * (row[i] - center)
        else:
            totals, centers, factors = empty_row(0.0, width), empty_row(to(0), width), empty_row(to(0), width)
            column_sums(x, along, after, b * along * after + start, totals)
            for j in range(width):
                centers[j], factors[j] = totals[j] / along, grads[k + j] * scale
            for i in range(along):
                at = (b * along + i) * after + start
                row, line = part_of(x, at, width), part_of(out, at, width)
                for j in range(centers.size):
                    line[j] = factors[j] * (row[j] - centers[j])
        k += width


@jit
def amax_backward_loop(
    grads: Array, x: Array, tops: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    """g / n for the n elements equal to the extremum, 0 for the others."""
    k = first
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
        if after == 1:
            row, line, top, equal = part_of(x, k * along, along), part_of(out, k * along, along), tops[k], 0
            for i in range(row.size):
                equal += row[i] == top
            share = grads[k] / x.dtype.type(equal)
            for i in range(row.size):
                line[i] = share * (row[i] == top)
        else:
            best_row, shares = part_of(tops, k, width), empty_row(x.dtype.type(0), width)
            fill(shares, 0.0)
            for i in range(along):
                row = part_of(x, (b * along + i) * after + start, width)
                for j in range(shares.size):
                    shares[j] += row[j] == best_row[j]
            for j in range(shares.size):
                shares[j] = grads[k + j] / shares[j]
            for i in range(along):
                at = (b * along + i) * after + start
                row, line = part_of(x, at, width), part_of(out, at, width)
                for j in range(shares.size):
                    line[j] = shares[j] * (row[j] == best_row[j])
        k += width


@jit
def scale_by_result(
    factors: Array, x: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    shape, k = (before, along, after), first
    table, result = x.reshape(shape), out.reshape(shape)
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
        if after == 1:
            row, line, one = part_of(x, k * along, along), part_of(out, k * along, along), factors[k]
            for i in range(row.size):
                line[i] = one * row[i]
        else:
            factor = part_of(factors, k, width)
            for i in range(along):
                row, line = table[b, i, start : start + width], result[b, i, start : start + width]
                for j in range(factor.size):
                    line[j] = factor[j] * row[j]
        k += width


@jit
def shares_of_results(grads: Array, results: Array, out: Array, scale: float) -> None:
    to = grads.dtype.type
    for i in range(out.size):
        out[i] = grads[i] / (to(math.inf) if results[i] == 0 else to(scale) * results[i])


@jit
def signed_gradients(
    grads: Array, x: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    """g with the sign of x: 0 where x is 0, nan where it is nan."""
    to = x.dtype.type
    for k in range(first, last):
        b, j, one = k // after, k % after, grads[k]
        for i in range(along):
            at = (b * along + i) * after + j
            sign = to(1) if x[at] > 0 else to(-1) if x[at] < 0 else x[at]  # nan stays nan, and 0 is 0
            out[at] = (sign if sign else to(0)) * one


@jit
def logsumexp_backward_loop(
    grads: Array, x: Array, results: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    shape, k = (before, along, after), first
    table, result = x.reshape(shape), out.reshape(shape)
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
        if after == 1:
            row, line, one = part_of(x, k * along, along), part_of(out, k * along, along), grads[k]
            shift = results[k] if results[k] != -math.inf else x.dtype.type(0)
            for i in range(row.size):
                line[i] = one * exp(row[i] - shift)
        else:
            top, grad = results[k : k + width].copy(), part_of(grads, k, width)
            for j in range(top.size):
                top[j] = top[j] if top[j] != -math.inf else 0
            for i in range(along):
                row, line = table[b, i, start : start + width], result[b, i, start : start + width]
                for j in range(top.size):
                    line[j] = grad[j] * exp(row[j] - top[j])
        k += width


@jit
def prod_backward_loop(
    grads: Array, x: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    """g times the product of the others: that of all over x where it is an ordinary number, else step by step."""
    to, shape, k = x.dtype.type, (before, along, after), first
    table, result = x.reshape(shape), out.reshape(shape)
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
        if after == 1:
            row, line = part_of(x, k * along, along), part_of(out, k * along, along)
            total = grads[k] * product_of(row)
            if 1e-280 < abs(total) < 1e280:
                for i in range(row.size):
                    line[i] = to(total / row[i])
            else:
                _product_row(row, grads[k], line)
        else:
            _product_columns(table[b], grads[k : k + width], result[b], start)
        k += width


@jit
def _product_row(x: Array, grad: float, out: Array) -> None:
    """Each element first gets the product of those before it, then that times the gradient and those behind it."""
    product = 1.0
    for i in range(x.size):
        out[i] = product
        product *= x[i]
    product = np.float64(grad)
    for i in range(x.size - 1, -1, -1):
        out[i] *= product
        product *= x[i]


@jit
def _product_columns(x: Array, grads: Array, out: Array, start: int) -> None:
    """Products of all other elements times the gradient, of columns side by side; see `_product_row`."""
    products, stop = empty_row(0.0, grads.size), start + grads.size
    fill(products, 1.0)
    for i in range(x.shape[0]):
        row, line = x[i, start:stop], out[i, start:stop]
        for j in range(products.size):
            line[j] = products[j]
            products[j] *= row[j]
    copy_row(grads, products)
    for i in range(x.shape[0] - 1, -1, -1):
        row, line = x[i, start:stop], out[i, start:stop]
        for j in range(products.size):
            line[j] *= products[j]
            products[j] *= row[j]
