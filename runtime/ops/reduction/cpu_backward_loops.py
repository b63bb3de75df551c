"""Gradients of reductions, one loop each, as plans call them: on contiguous floats seen as (before, along, after).

Of gradients, and of what else there is one of for each result, there are before * after; they are counted through
(before, after). The last two arguments are the range of these that a loop is for, and for `broadcast_divided` a range
of rows of (before, along).
"""

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...kernels.cpu.loops import (
    copy_row,
    copy_run,
    lines_of,
)
from ...kernels.cpu.plan import Array
from ...kernels.cpu.sums import fill
from ...kernels.llvm.addresses import empty_row, part_of
from ...kernels.llvm.reduce import product_of

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
