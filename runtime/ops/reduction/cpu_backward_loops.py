"""Gradients of reductions, one loop each, as plans call them: on contiguous floats seen as (before, along, after).

Of gradients, and of what else there is one of for each result, there are before * after; they are counted through
(before, after). The last two arguments are the range of these that a loop is for, and for `broadcast_divided` a range
of rows of (before, along).
"""

import math

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...compiler.passes.primitives import choose
from ...kernels.cpu.loops import (
    EXACT_SHIFT,
    copy_row,
    copy_run,
    exponential_sum,
    infinities,
    is_infinity,
    lines_of,
)
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import column_sums, fill, plain_sum, scaled_sum
from ...kernels.llvm.addresses import clear, empty_row, part_of
from ...kernels.llvm.reduce import product_of, range_of
from ...kernels.scalar import exp
from .cpu_exponentials import add_exponentials, infinite_columns

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
def centered_backward(
    grads: Array, x: Array, results: Array, out: Array, scale: float, centered: int, divided: int, before: int,
    along: int, after: int, first: int, last: int,
) -> None:  # fmt: skip
    """grad scale (x - mean) of variances; of deviations that over the result; and grad scale x / result of norms."""
    to, k = x.dtype.type, first
    while k < last:
        start, width = k // after * along * after + k % after, min(_WIDTH, lines_of(after, k, last))
        if after == 1:
            row, line = part_of(x, start, along), part_of(out, start, along)
            center = to(plain_sum(row) / along) if centered else to(0)
            factor = to(factor_of(grads[k], scale, results[k] if divided else to(1)))
            for i in range(row.size):
                line[i] = factor * (row[i] - center)
            if not (in_safe_range(factor, grads[k]) & (abs(center) < math.inf)):
                scaled_row(x, out, start, along, 1, grads[k] * scale, results[k] if divided else to(1), centered)
        else:
            totals, centers, factors = empty_row(0.0, width), empty_row(to(0), width), empty_row(to(0), width)
            clear(totals)
            if centered:
                column_sums(x, along, after, start, totals)
            outside = 0
            for j in range(width):
                centers[j] = totals[j] / along
                factors[j] = factor_of(grads[k + j], scale, results[k + j] if divided else to(1))
                outside += not (in_safe_range(factors[j], grads[k + j]) & (abs(centers[j]) < math.inf))
            for i in range(along):
                row, line = part_of(x, start + i * after, width), part_of(out, start + i * after, width)
                for j in range(centers.size):
                    line[j] = factors[j] * (row[j] - centers[j])
            for j in range(width if outside else 0):
                if not (in_safe_range(factors[j], grads[k + j]) & (abs(centers[j]) < math.inf)):
                    result = results[k + j] if divided else to(1)
                    scaled_row(x, out, start + j, along, after, grads[k + j] * scale, result, centered)
        k += width


@jit
def factor_of(grad: float, scale: float, result: float) -> float:
    return 0.0 if result == 0 else grad * scale / result


@jit
def in_safe_range(factor: float, grad: float) -> bool:
    """Whether products with a factor, of this gradient, are as exact as their other operand allows."""
    low, high = choose(factor, 2.0**-100, 2.0**-900), choose(factor, 2.0**100, 2.0**900)
    return ((low <= abs(factor)) & (abs(factor) <= high)) | (grad == 0)


@jit
def scaled_row(
    x: Array, out: Array, start: int, along: int, stride: int, grad: float, result: float, centered: int
) -> None:
    """grad (x / result - mean / result), in double precision; 0 where the result is."""
    center = scaled_sum(x, start, along, stride, along) / result if centered else 0.0
    for i in range(along):
        at = start + i * stride
        out[at] = (float(x[at]) / result - center) * grad if result != 0 else 0.0


@jit
def amax_backward_loop(
    grads: Array, x: Array, tops: Array, out: Array, before: int, along: int, after: int, first: int, last: int
) -> None:
    """g / n for the n elements equal to the extremum, 0 for the others; where it is nan, those are that are nan."""
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
            if equal == 0:
                shared_by_nans(x, out, k * along, along, 1, grads[k])
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
            for j in range(shares.size):
                if best_row[j] != best_row[j]:
                    shared_by_nans(x, out, b * along * after + start + j, along, after, grads[k + j])
        k += width


@jit
def shared_by_nans(x: Array, out: Array, start: int, along: int, stride: int, grad: float) -> None:
    count = 0
    for i in range(along):
        count += x[start + i * stride] != x[start + i * stride]
    share = grad / x.dtype.type(count)
    for i in range(along):
        at = start + i * stride
        out[at] = share if x[at] != x[at] else x.dtype.type(0)


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
            if shift == math.inf:
                one = one / infinities(row)
                for i in range(row.size):
                    line[i] = one * is_infinity(row[i])
                k += 1
                continue
            if abs(shift) > EXACT_SHIFT:
                one = one / exponential_sum(row, range_of(row)[0], shift)
            for i in range(row.size):
                line[i] = one * exp(row[i] - shift)
        else:
            top, grad, outside = results[k : k + width].copy(), grads[k : k + width].copy(), 0
            for j in range(top.size):
                top[j] = top[j] if top[j] != -math.inf else 0
                outside += abs(top[j]) > EXACT_SHIFT
            source = table
            if outside:
                rough, sums = np.abs(top) > EXACT_SHIFT, np.zeros(width, x.dtype)
                source = result if infinite_columns(table[b], start, top, result[b]) else table
                add_exponentials(source[b], start, top, sums)
                for j in range(top.size):
                    grad[j] = grad[j] / sums[j] if rough[j] else grad[j]
            for i in range(along):
                row, line = source[b, i, start : start + width], result[b, i, start : start + width]
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
