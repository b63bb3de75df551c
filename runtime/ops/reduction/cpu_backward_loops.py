"""The loops of backward of reductions, over float arrays (before, along, after): what each element gets of a gradient.

`grads`, and what else there is one of for each element of the result, are lines of before * after numbers. The loops
take the first of these that they are to spread, and that after the last; `spread_plain` counts rows of (before, along).
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.sums import column_sums, plain_sum
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.scalar import exp
from .cpu_prod import plain_product

_WIDTH = 1024  # columns that are worked on side by side

Array = np.ndarray


@jit
def spread_plain(grads: Array, divisor: float, out: Array, first: int, last: int) -> None:
    """g / divisor."""
    along, after, k = out.shape[1], out.shape[2], first
    while k < last:
        b, rows = k // along, min(last - k, along - k % along)
        lines = part_of(out, k * after, rows * after)
        if after == 1:
            value = grads.dtype.type(grads[b] / divisor)
            for i in range(lines.size):
                lines[i] = value
        else:
            line = lines[:after]
            for j in range(after):
                line[j] = grads[b * after + j] / divisor
            for i in range(1, rows):
                lines[i * after : (i + 1) * after] = line
        k += rows


@jit
def columns_of(out: Array, first: int, last: int) -> int:
    """How many columns from the result `first` on are worked on side by side."""
    after = out.shape[2]
    return min(_WIDTH, after - first % after, last - first)


@jit
def spread_variance(x: Array, grads: Array, scale: float, out: Array, first: int, last: int) -> None:
    """scale g (x - mean)."""
    to, count, after, k = x.dtype.type, x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, columns_of(out, k, last)
        if after == 1:
            row, line = part_of(x, k * count, count), part_of(out, k * count, count)
            center, factor = to(plain_sum(row) / count), to(grads[k] * scale)
            for i in range(row.size):
                line[i] = factor * (row[i] - center)
        else:
            totals = np.empty(width)
            column_sums(x[b], start, totals)
            centers = (totals / count).astype(x.dtype)
            factors = (grads[k : k + width] * scale).astype(x.dtype)
            for i in range(count):
                row, line = x[b, i, start : start + width], out[b, i, start : start + width]
                for j in range(centers.size):
                    line[j] = factors[j] * (row[j] - centers[j])
        k += width


@jit
def spread_over_equals(x: Array, tops: Array, grads: Array, out: Array, first: int, last: int) -> None:
    """g / n for the n elements equal to the extremum, 0 for the others."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, columns_of(out, k, last)
        if after == 1:
            row, line, top, equal = part_of(x, k * count, count), part_of(out, k * count, count), tops[k], 0
            for i in range(row.size):
                equal += row[i] == top
            share = grads[k] / x.dtype.type(equal)
            for i in range(row.size):
                line[i] = share * (row[i] == top)
        else:
            most, shares = part_of(tops, k, width), np.zeros(width, x.dtype)
            for i in range(count):
                row = x[b, i, start : start + width]
                for j in range(shares.size):
                    shares[j] += row[j] == most[j]
            shares[:] = grads[k : k + width] / shares
            for i in range(count):
                row, line = x[b, i, start : start + width], out[b, i, start : start + width]
                for j in range(shares.size):
                    line[j] = shares[j] * (row[j] == most[j])
        k += width


@jit
def spread_to_places(places: Array, grads: Array, out: Array, first: int, last: int) -> None:
    """g at the place along that was chosen, 0 elsewhere."""
    after, k = out.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, columns_of(out, k, last)
        for i in range(out.shape[1]):
            out[b, i, start : start + width] = 0
        for j in range(width):
            out[b, places[k + j], start + j] = grads[k + j]
        k += width


@jit
def spread_scaled(x: Array, factors: Array, out: Array, first: int, last: int) -> None:
    """factor x."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, columns_of(out, k, last)
        if after == 1:
            row, line, one = part_of(x, k * count, count), part_of(out, k * count, count), factors[k]
            for i in range(row.size):
                line[i] = one * row[i]
        else:
            factor = part_of(factors, k, width)
            for i in range(count):
                row, line = x[b, i, start : start + width], out[b, i, start : start + width]
                for j in range(factor.size):
                    line[j] = factor[j] * row[j]
        k += width


@jit
def spread_exponentials(x: Array, tops: Array, grads: Array, out: Array, first: int, last: int) -> None:
    """g exp(x - top)."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, columns_of(out, k, last)
        if after == 1:
            row, line, shift, one = part_of(x, k * count, count), part_of(out, k * count, count), tops[k], grads[k]
            for i in range(row.size):
                line[i] = one * exp(row[i] - shift)
        else:
            top, grad = part_of(tops, k, width), part_of(grads, k, width)
            for i in range(count):
                row, line = x[b, i, start : start + width], out[b, i, start : start + width]
                for j in range(top.size):
                    line[j] = grad[j] * exp(row[j] - top[j])
        k += width


@jit
def spread_product(x: Array, grads: Array, out: Array, first: int, last: int) -> None:
    """g times the product of the others: that of all over x where it is an ordinary number, else step by step."""
    to, count, after, k = x.dtype.type, x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, columns_of(out, k, last)
        if after == 1:
            row, line = part_of(x, k * count, count), part_of(out, k * count, count)
            total = grads[k] * plain_product(row)
            if 1e-280 < abs(total) < 1e280:
                for i in range(row.size):
                    line[i] = to(total / row[i])
            else:
                _spread_row(row, grads[k], line)
        else:
            _spread_columns(x[b], grads[k : k + width], out[b], start)
        k += width


@jit
def _spread_row(x: Array, grad: float, out: Array) -> None:
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
def _spread_columns(x: Array, grads: Array, out: Array, start: int) -> None:
    """The same for columns side by side."""
    products, stop = np.ones(grads.size), start + grads.size
    for i in range(x.shape[0]):
        row, line = x[i, start:stop], out[i, start:stop]
        for j in range(products.size):
            line[j] = products[j]
            products[j] *= row[j]
    products[:] = grads
    for i in range(x.shape[0] - 1, -1, -1):
        row, line = x[i, start:stop], out[i, start:stop]
        for j in range(products.size):
            line[j] *= products[j]
            products[j] *= row[j]
