"""The loops of backward of reductions, over float arrays (before, along, after): what each element gets of a gradient.

`grads`, and what else there is one of for each element of the result, are lines of before * after numbers.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..places import part_of
from ..scalar import exp
from .products import plain_product
from .reducing import column_sums, plain_sum

_WIDTH = 1024  # columns that are worked on side by side

Array = np.ndarray


@jit
def spread_plain(grads: Array, divisor: float, out: Array) -> None:
    """g / divisor."""
    after = out.shape[2]
    for b in range(out.shape[0]):
        if after == 1:
            line, value = part_of(out, b * out.shape[1], out.shape[1]), grads.dtype.type(grads[b] / divisor)
            for i in range(line.size):
                line[i] = value
            continue
        first = out[b, 0]
        for j in range(after):
            first[j] = grads[b * after + j] / divisor
        for i in range(1, out.shape[1]):
            out[b, i] = first


@jit
def spread_variance(x: Array, grads: Array, scale: float, out: Array) -> None:
    """scale g (x - mean)."""
    to, count, after = x.dtype.type, x.shape[1], x.shape[2]
    for b in range(x.shape[0]):
        if after == 1:
            row, line = part_of(x, b * count, count), part_of(out, b * count, count)
            center, factor = to(plain_sum(row) / count), to(grads[b] * scale)
            for i in range(row.size):
                line[i] = factor * (row[i] - center)
            continue
        for start in range(0, after, _WIDTH):
            totals = np.empty(min(_WIDTH, after - start))
            column_sums(x[b], start, totals)
            centers = (totals / count).astype(x.dtype)
            factors = (grads[b * after + start : b * after + start + totals.size] * scale).astype(x.dtype)
            for i in range(count):
                row, line = x[b, i, start : start + totals.size], out[b, i, start : start + totals.size]
                for j in range(centers.size):
                    line[j] = factors[j] * (row[j] - centers[j])


@jit
def spread_over_equals(x: Array, tops: Array, grads: Array, out: Array) -> None:
    """g / n for the n elements equal to the extremum, 0 for the others."""
    count, after = x.shape[1], x.shape[2]
    for b in range(x.shape[0]):
        top, grad = part_of(tops, b * after, after), part_of(grads, b * after, after)
        if after == 1:
            row, line, equal = part_of(x, b * count, count), part_of(out, b * count, count), 0
            for i in range(row.size):
                equal += row[i] == top[0]
            share = grad[0] / x.dtype.type(equal)
            for i in range(row.size):
                line[i] = share * (row[i] == top[0])
            continue
        shares = np.zeros(after, x.dtype)
        for i in range(count):
            row = x[b, i]
            for j in range(after):
                shares[j] += row[j] == top[j]
        shares[:] = grad / shares
        for i in range(count):
            row, line = x[b, i], out[b, i]
            for j in range(after):
                line[j] = shares[j] * (row[j] == top[j])


@jit
def spread_to_places(places: Array, grads: Array, out: Array) -> None:
    """g at the place along that was chosen, 0 elsewhere."""
    after = out.shape[2]
    for b in range(out.shape[0]):
        out[b] = 0
        for j in range(after):
            out[b, places[b * after + j], j] = grads[b * after + j]


@jit
def spread_scaled(x: Array, factors: Array, out: Array) -> None:
    """factor x."""
    count, after = x.shape[1], x.shape[2]
    for b in range(x.shape[0]):
        factor = part_of(factors, b * after, after)
        if after == 1:
            row, line, one = part_of(x, b * count, count), part_of(out, b * count, count), factor[0]
            for i in range(row.size):
                line[i] = one * row[i]
            continue
        for i in range(x.shape[1]):
            row, line = x[b, i], out[b, i]
            for j in range(after):
                line[j] = factor[j] * row[j]


@jit
def spread_exponentials(x: Array, tops: Array, grads: Array, out: Array) -> None:
    """g exp(x - top)."""
    count, after = x.shape[1], x.shape[2]
    for b in range(x.shape[0]):
        top, grad = part_of(tops, b * after, after), part_of(grads, b * after, after)
        if after == 1:
            row, line, last, one = part_of(x, b * count, count), part_of(out, b * count, count), top[0], grad[0]
            for i in range(row.size):
                line[i] = one * exp(row[i] - last)
            continue
        for i in range(x.shape[1]):
            row, line = x[b, i], out[b, i]
            for j in range(after):
                line[j] = grad[j] * exp(row[j] - top[j])


@jit
def running_sums_back(grads: Array, out: Array) -> None:
    """out[b, i, j] = sum_{k >= i} g[b, k, j]."""
    last, count, after = grads.shape[1] - 1, grads.shape[1], grads.shape[2]
    for b in range(grads.shape[0]):
        if after == 1:
            g, line = part_of(grads, b * count, count), part_of(out, b * count, count)
            total = g.dtype.type(0)
            for i in range(last, -1, -1):
                total += g[i]
                line[i] = total
            continue
        out[b, last] = grads[b, last]
        for i in range(last - 1, -1, -1):
            g, behind, line = grads[b, i], out[b, i + 1], out[b, i]
            for j in range(after):
                line[j] = behind[j] + g[j]


@jit
def spread_product(x: Array, grads: Array, out: Array) -> None:
    """g times the product of the others: that of all over x where it is an ordinary number, else step by step."""
    to, count, after = x.dtype.type, x.shape[1], x.shape[2]
    for b in range(x.shape[0]):
        if after > 1:
            _spread_columns(x[b], grads[b * after : (b + 1) * after], out[b])
            continue
        row, line = part_of(x, b * count, count), part_of(out, b * count, count)
        total = grads[b] * plain_product(row)
        if 1e-280 < abs(total) < 1e280:
            for i in range(row.size):
                line[i] = to(total / row[i])
        else:
            _spread_row(row, grads[b], line)


@jit
def _spread_row(x: Array, grad: float, out: Array) -> None:
    """Each element first gets the product of those before it, then that times the gradient and those behind it."""
    product = x.dtype.type(1)
    for i in range(x.size):
        out[i] = product
        product *= x[i]
    product = grad
    for i in range(x.size - 1, -1, -1):
        out[i] *= product
        product *= x[i]


@jit
def _spread_columns(x: Array, grads: Array, out: Array) -> None:
    """The same for columns side by side."""
    products = np.ones(grads.size, x.dtype)
    for i in range(x.shape[0]):
        row, line = x[i], out[i]
        for j in range(products.size):
            line[j] = products[j]
            products[j] *= row[j]
    products[:] = grads
    for i in range(x.shape[0] - 1, -1, -1):
        row, line = x[i], out[i]
        for j in range(products.size):
            line[j] *= products[j]
            products[j] *= row[j]
