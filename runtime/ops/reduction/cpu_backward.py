"""Backward of reductions, one kernel each: the gradient of the input from that of the result.

Each is the fused form of the formula beside it in derivatives.yaml, which decides what the gradient is and stands in
wherever it is recorded; `python -m codegen verify` compares the two.

`dim` is a sorted tuple of dimensions, one dimension, or None for all; `grad` has the result's shape, with the reduced
dimensions as 1 or without them, which is the same memory. A kernel folds the input to (before, along, after) and runs
one loop over it. `grads`, and what else there is one of for each element of the result, are lines of before * after
numbers; a loop takes the range of them that it is for, and `broadcast_divided` a range of rows of (before, along).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...kernels.cpu.folding import Folding, folding
from ...kernels.cpu.loops import lines_of
from ...kernels.cpu.sums import column_sums, plain_sum
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...kernels.scalar import exp
from ...pool.parallel_for import shared
from ..indexing.cpu_gather import put_along
from ..scan.cpu import running_sum
from .cpu import over_outputs, quiet
from .cpu_reduce_loops import COLUMNS, plain_product

Array = np.ndarray
Dims = tuple[int, ...]

_WIDTH = 1024  # columns that are worked on side by side


def _line(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1)


def sum_backward(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    """g for all elements that were added up in it."""
    return _broadcast_gradient(grad, shape, dim, 1)


def mean_backward(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    """g / n for the n elements behind one mean."""
    return _broadcast_gradient(grad, shape, dim, folding(shape, dim).folded[1] or 1)


def _broadcast_gradient(grad: Array, shape: Dims, dim: Dims | None, divisor: float) -> Array:
    plan = folding(shape, dim)
    result = np.empty(shape, grad.dtype)
    if plan.order:
        np.copyto(result, (grad / grad.dtype.type(divisor)).reshape(plan.kept))
    elif result.size:
        before, along, after = plan.folded
        arguments = (_line(grad), float(divisor), result.reshape(plan.folded))
        shared(broadcast_divided, arguments, before * along, result.size, -(-COLUMNS // after))
    return result


def var_backward(grad: Array, x: Array, dim: Dims, correction: float) -> Array:
    """2 g (x - mean) / (n - correction)."""
    plan = folding(x.shape, dim)
    free = plan.folded[1] - correction
    return _run(var_backward_loop, plan, x, (grad,), 2 / free if free > 0 else math.inf)


def std_backward(grad: Array, x: Array, result: Array, dim: Dims, correction: float) -> Array:
    """g (x - mean) / (n - correction) / std, and 0 where that is 0."""
    return var_backward(grad / np.where(result == 0, math.inf, 2 * result).astype(grad.dtype), x, dim, correction)


def extremum_backward(grad: Array, x: Array, result: Array, dim: Dims | None) -> Array:
    """g, shared evenly between the elements that are the extremum."""
    return _run(extremum_backward_loop, folding(x.shape, dim), x, (result, grad))


@quiet
def norm_backward(grad: Array, x: Array, result: Array, p: float, dim: Dims) -> Array:
    """g sgn(x) (|x| / norm)^(p - 1), and 0 where x is 0."""
    plan = folding(x.shape, dim)
    if math.isinf(p):
        sizes = np.abs(x)
        top = (np.maximum if p > 0 else np.minimum).reduce(sizes, axis=dim, keepdims=True)
        return extremum_backward(grad, sizes, top, dim) * np.sign(x)
    if p == 2:
        factors = grad / np.where(result == 0, math.inf, result).astype(x.dtype)
        return _run(scale_by_result, plan, x, (factors,))
    grads, length = grad.reshape(plan.kept), result.reshape(plan.kept)
    if p in (0, 1):
        return np.multiply(np.sign(x), grads if p else 0, out=np.empty(x.shape, x.dtype))
    share = np.abs(x) / np.where(length == 0, math.inf, length).astype(x.dtype)
    return np.multiply(grads * np.sign(x), np.where(share == 0, 1, share) ** x.dtype.type(p - 1))


def value_selecting_reduction_backward(grad: Array, shape: Dims, dim: int, indices: Array) -> Array:
    """Zeros with each gradient at the index along `dim` that its element came from (max, median, sort, topk)."""
    result = np.zeros(shape, grad.dtype)
    if grad.size:
        before, along, after = folding(shape, dim).folded
        where, given = (np.ascontiguousarray(a).reshape(before, -1, after) for a in (indices, grad))
        put_along(result.reshape(before, along, after), where, given, False)
    return result


def logsumexp_backward(grad: Array, x: Array, result: Array, dim: Dims) -> Array:
    """g exp(x - result), and 0 where all x are -inf."""
    tops = np.where(result == -math.inf, 0, result).astype(x.dtype)
    return _run(logsumexp_backward_loop, folding(x.shape, dim), x, (tops, grad))


def cumsum_backward(grad: Array, dim: int) -> Array:
    """x_j gets sum_{i >= j} g_i."""
    return running_sum(grad, dim, True)


def prod_backward(grad: Array, x: Array, dim: int | None) -> Array:
    """g times the product of the other elements."""
    return _run(prod_backward_loop, folding(x.shape, dim), x, (grad,))


def _run(loop: Callable[..., None], plan: Folding, x: Array, given: tuple[Array, ...], *numbers: float) -> Array:
    """Runs a loop over the folded x, with what there is one of for each element of the result."""
    result = np.empty(plan.folded, x.dtype)
    if result.size:
        over_outputs(loop, plan.folded, plan.fold(x), *map(_line, given), *numbers, result)
    return plan.unfold(result)


@jit
def broadcast_divided(grads: Array, divisor: float, out: Array, first: int, last: int) -> None:
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
def var_backward_loop(x: Array, grads: Array, scale: float, out: Array, first: int, last: int) -> None:
    """scale g (x - mean)."""
    to, count, after, k = x.dtype.type, x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
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
def extremum_backward_loop(x: Array, tops: Array, grads: Array, out: Array, first: int, last: int) -> None:
    """g / n for the n elements equal to the extremum, 0 for the others."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
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
def scale_by_result(x: Array, factors: Array, out: Array, first: int, last: int) -> None:
    """factor x."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
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
def logsumexp_backward_loop(x: Array, tops: Array, grads: Array, out: Array, first: int, last: int) -> None:
    """g exp(x - top)."""
    count, after, k = x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
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
def prod_backward_loop(x: Array, grads: Array, out: Array, first: int, last: int) -> None:
    """g times the product of the others: that of all over x where it is an ordinary number, else step by step."""
    to, count, after, k = x.dtype.type, x.shape[1], x.shape[2], first
    while k < last:
        b, start, width = k // after, k % after, min(_WIDTH, lines_of(after, k, last))
        if after == 1:
            row, line = part_of(x, k * count, count), part_of(out, k * count, count)
            total = grads[k] * plain_product(row)
            if 1e-280 < abs(total) < 1e280:
                for i in range(row.size):
                    line[i] = to(total / row[i])
            else:
                _product_row(row, grads[k], line)
        else:
            _product_columns(x[b], grads[k : k + width], out[b], start)
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
