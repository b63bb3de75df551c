"""Distances between the rows of two matrices, and their gradients, without memory for all differences."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...pool.parallel_for import shared

Array = np.ndarray
Gradients = tuple[Array | None, ...]

_BLOCK = 128  # differences that are added up in the dtype of the rows; blocks of them in double precision
_WORK = 4  # differences take as long as an element of other work
_COUNT, _SUM, _EUCLIDEAN, _GREATEST, _POWER = range(5)


def row_distances(x1: Array, x2: Array, p: float) -> Array:
    """The p-norm of the difference of each row of x1 and each row of x2, for every pair of matrices."""
    out = np.zeros((*x1.shape[:-1], x2.shape[-2]), x1.dtype)
    if out.size and x1.shape[-1]:
        columns = contiguous(np.swapaxes(_matrices(x2), 1, 2))
        arguments = _matrices(x1), columns, _kind(p), float(p), _matrices(out)
        shared(difference_norms, arguments, math.prod(x1.shape[:-1]), out.size * x1.shape[-1] // _WORK)
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
    weights = np.divide(grad, distance, out=np.zeros_like(grad), where=distance != 0)
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
            stop = min(start + _BLOCK, x1.shape[2])
            fours = start + (stop - start) // 4 * 4 if kind == 2 else start
            for k in range(start, fours, 4):
                add_squares(part_of(x1, (b * rows + i) * x1.shape[2] + k, 4), columns[b], k, part)
            for k in range(fours, stop):
                add_column(x1[b, i, k], columns[b, k], kind, p, part)
            for j in range(part.size):
                total[j] = max(total[j], part[j]) if kind == 3 and part[j] == part[j] else total[j] + part[j]
        for j in range(total.size):
            out[b, i, j] = math.sqrt(total[j]) if kind == 2 else total[j] ** (1 / p) if kind == 4 else total[j]


@jit(fastmath={"contract"})
def add_squares(x: Array, columns: Array, k: int, row: Array) -> None:
    """Adds to each distance of a row the squares of four elements at once, which saves reading the sums."""
    x1, x2, x3, x4 = x[0], x[1], x[2], x[3]
    one, two, three, four = columns[k], columns[k + 1], columns[k + 2], columns[k + 3]
    for j in range(row.size):
        a, b, c, d = x1 - one[j], x2 - two[j], x3 - three[j], x4 - four[j]
        row[j] += (a * a + b * b) + (c * c + d * d)


@jit(fastmath={"contract"})
def add_differences(weights: Array, x: Array, others: Array, out: Array, first: int, last: int) -> None:
    """out_i += sum_j w_ij (x_i - y_j), four j at a time, for a range of rows; nothing where w_ij is 0."""
    rows, width, count = x.shape[1], x.shape[2], others.shape[1]
    for row in range(first, last):
        b = row // rows
        line, to, w = (
            part_of(x, row * width, width),
            part_of(out, row * width, width),
            part_of(weights, row * count, count),
        )
        j = 0
        while j < count:
            here = (b * count + j) * width
            y1 = part_of(others, here, width)
            if j + 4 <= count and w[j] != 0 and w[j + 1] != 0 and w[j + 2] != 0 and w[j + 3] != 0:
                y2, y3, y4 = (
                    part_of(others, here + width, width),
                    part_of(others, here + 2 * width, width),
                    part_of(others, here + 3 * width, width),
                )
                w1, w2, w3, w4 = w[j], w[j + 1], w[j + 2], w[j + 3]
                for k in range(width):
                    near = w1 * (line[k] - y1[k]) + w2 * (line[k] - y2[k])
                    to[k] += near + (w3 * (line[k] - y3[k]) + w4 * (line[k] - y4[k]))
                j += 4
            else:
                if w[j] != 0:
                    for k in range(width):
                        to[k] += w[j] * (line[k] - y1[k])
                j += 1


@jit
def add_column(x: float, others: Array, kind: int, p: float, row: Array) -> None:
    """Adds to each distance of a row the term of one element and those of a column."""
    if kind == 1:
        for j in range(row.size):
            row[j] += abs(x - others[j])
    elif kind == 2:
        for j in range(row.size):
            row[j] += (x - others[j]) * (x - others[j])
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
