"""Distances between the rows of two matrices, and their gradients, without memory for all differences."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of
from ...kernels.llvm.differences import square_differences, weighted_differences
from ...pool.parallel_for import by_slices, shared

Array = np.ndarray
Gradients = tuple[Array | None, ...]

_BLOCK = 128  # differences that are added up in the dtype of the rows; blocks of them in double precision
_WORK = 4  # differences take as long as an element of other work
_COUNT, _SUM, _EUCLIDEAN, _GREATEST, _POWER = range(5)


def row_distances(x1: Array, x2: Array, p: float) -> Array:
    """The p-norm of the difference of each row of x1 and each row of x2, for every pair of matrices."""
    out = np.empty((*x1.shape[:-1], x2.shape[-2]), x1.dtype)
    if not x1.shape[-1]:
        out[:] = 0
    elif out.size:
        columns = contiguous(np.swapaxes(_matrices(x2), 1, 2))
        arrays, work = (_matrices(x1), columns), out.size * x1.shape[-1] // _WORK
        if _kind(p) == _EUCLIDEAN:
            shared(euclidean_norms, (*arrays, _matrices(out)), math.prod(x1.shape[:-1]), work)
        else:
            arguments = *arrays, _kind(p), float(p), _matrices(out)
            shared(difference_norms, arguments, math.prod(x1.shape[:-1]), work)
    return out


def row_distances_backward(
    wanted: tuple[bool, ...], grad: Array, x1: Array, x2: Array, result: Array, p: float
) -> Gradients:
    """The gradients of both matrices: sums of +-grad_ij sgn(d) (|d| / D_ij)^(p - 1) over the differences d."""
    found = np.zeros(x1.shape, x1.dtype), np.zeros(x2.shape, x2.dtype)
    if grad.size and x1.shape[-1]:
        arrays = [_matrices(contiguous(a)) for a in (grad, x1, x2, result)]
        if _kind(p) == _EUCLIDEAN:
            euclidean_backward(*arrays, *map(_matrices, found))
        else:
            difference_norms_backward(*arrays, _kind(p), p, *map(_matrices, found))
    return tuple(a if yes else None for a, yes in zip(found, wanted, strict=True))


def euclidean_backward(grad: Array, x1: Array, x2: Array, distance: Array, first: Array, second: Array) -> None:
    """Both gradients of p = 2: rows of either matrix by themselves, so that threads may share them."""
    weights = np.empty_like(grad)
    by_slices(divide, (grad.reshape(-1), distance.reshape(-1), weights.reshape(-1)), grad.size)
    work = grad.size * x1.shape[-1] // _WORK
    across = contiguous(np.swapaxes(weights, 1, 2))
    for one, other, factors, found in ((x1, x2, weights, first), (x2, x1, across, second)):
        shared(add_differences, (factors, one, other, found), len(one) * one.shape[1], work)


def _matrices(a: Array) -> Array:
    """All matrices as one batch dimension."""
    return contiguous(a).reshape(math.prod(a.shape[:-2]), *a.shape[-2:])


def _kind(p: float) -> int:
    known = {0: _COUNT, 1: _SUM, 2: _EUCLIDEAN, math.inf: _GREATEST}
    return known.get(p, _POWER)


@jit
def difference_norms(x1: Array, columns: Array, kind: int, p: float, out: Array, first: int, last: int) -> None:
    """A row of distances at a time, for a range of them, one column of the matrices after the other; many in blocks."""
    total, part, rows = np.empty(out.shape[2]), np.empty(out.shape[2], out.dtype), x1.shape[1]
    for row in range(first, last):
        b, i = row // rows, row % rows
        total[:] = 0
        for start in range(0, x1.shape[2], _BLOCK):
            part[:] = 0
            for k in range(start, min(start + _BLOCK, x1.shape[2])):
                add_column(x1[b, i, k], columns[b, k], kind, p, part)
            for j in range(part.size):
                total[j] = max(total[j], part[j]) if kind == 3 and part[j] == part[j] else total[j] + part[j]
        for j in range(total.size):
            out[b, i, j] = total[j] ** (1 / p) if kind == 4 else total[j]


@jit
def divide(x: Array, y: Array, out: Array) -> None:
    """out = x / y, 0 where y is 0."""
    for i in range(out.size):
        divisor = y[i]
        quotient = x[i] / (divisor if divisor != 0 else y.dtype.type(1))
        out[i] = quotient if divisor != 0 else y.dtype.type(0)


@jit
def euclidean_norms(x1: Array, columns: Array, out: Array, first: int, last: int) -> None:
    """`difference_norms` of p = 2; sums that lie between blocks are in double precision."""
    like, size, rows, width = out.dtype.type(0), item_size(out.dtype.type(0)), x1.shape[1], x1.shape[2]
    count = out.shape[2]
    blocks, step = max(1, (width + _BLOCK - 1) // _BLOCK), count * size
    total = empty_row(0.0, count if blocks > 1 else 0)
    for row in range(first, last):
        to, x, others = part_of(out, row * count, count), row * width * size, row // rows * width * step
        for block in range(blocks):
            start = block * _BLOCK
            for j in range(count):
                to[j] = 0
            at, from_here = address(columns) + others + start * step, address(x1) + x + start * size
            square_differences(like, from_here, at, step, min(_BLOCK, width - start), address(to), count)
            for j in range(total.size):
                total[j] = total[j] + to[j] if block else to[j]
        for j in range(total.size):
            to[j] = math.sqrt(total[j])
        for j in range(count - total.size):
            to[j] = math.sqrt(to[j])


@jit
def add_differences(weights: Array, x: Array, others: Array, out: Array, first: int, last: int) -> None:
    """out_i += sum_j w_ij (x_i - y_j) for a range of rows; nothing where w_ij is 0."""
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    rows, width, count = x.shape[1], x.shape[2], others.shape[1]
    for row in range(first, last):
        line, to, others_of = row * width * size, row * width * size, row // rows * count * width * size
        weighted_differences(
            like,
            address(weights) + row * count * size,
            address(others) + others_of,
            width * size,
            count,
            address(out) + to,
            width,
            address(x) + line,
        )


@jit
def add_column(x: float, others: Array, kind: int, p: float, row: Array) -> None:
    """Adds to each distance of a row the term of one element and those of a column."""
    if kind == 1:
        for j in range(row.size):
            row[j] += abs(x - others[j])
    elif kind == 3:
        for j in range(row.size):
            apart = abs(x - others[j])
            row[j] = row[j] if row[j] >= apart or row[j] != row[j] else apart
    else:
        for j in range(row.size):
            apart = abs(x - others[j])
            if apart != apart:
                row[j] = apart
            elif apart != 0:
                row[j] += apart**p if kind == 4 else 1


@jit
def difference_norms_backward(
    grad: Array, x1: Array, x2: Array, distance: Array, kind: int, p: float, first: Array, second: Array
) -> None:
    """Every pair of rows gives its gradient to both; equal rows give none."""
    for b in range(x1.shape[0]):
        for i in range(x1.shape[1]):
            for j in range(x2.shape[1]):
                length, weight = distance[b, i, j], grad[b, i, j]
                if length == 0 or weight == 0 or kind == 0:
                    continue
                if kind == 3:
                    weight /= np.sum(np.abs(x1[b, i] - x2[b, j]) == length)
                difference_norm_backward(weight, x1[b, i], x2[b, j], length, kind, p, first[b, i], second[b, j])


@jit
def difference_norm_backward(
    weight: float, x: Array, y: Array, length: float, kind: int, p: float, first: Array, second: Array
) -> None:
    """The gradient of one distance, for each element of both rows."""
    if kind == 1:
        for k in range(x.size):
            term = weight * np.sign(x[k] - y[k])
            first[k] += term
            second[k] -= term
        return
    for k in range(x.size):
        apart = x[k] - y[k]
        term = weight * np.sign(apart)
        if kind == 3:
            term = term if abs(apart) == length else 0 * term
        elif apart != 0:
            term *= (abs(apart) / length) ** (p - 1)
        first[k] += term
        second[k] -= term
