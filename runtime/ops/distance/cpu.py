"""Distances between the rows of two matrices, and their gradients, without memory for all differences."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...kernels.jit import jit

Array = np.ndarray
Gradients = tuple[Array | None, ...]

_BLOCK = 128  # differences that are added up in the dtype of the rows; blocks of them in double precision
_COUNT, _SUM, _EUCLIDEAN, _GREATEST, _POWER = range(5)


def row_distances(x1: Array, x2: Array, p: float) -> Array:
    """The p-norm of the difference of each row of x1 and each row of x2, for every pair of matrices."""
    out = np.zeros((*x1.shape[:-1], x2.shape[-2]), x1.dtype)
    if out.size and x1.shape[-1]:
        columns = contiguous(np.swapaxes(_matrices(x2), 1, 2))
        difference_norms(_matrices(x1), columns, _kind(p), p, _matrices(out))
    return out


def row_distances_backward(
    wanted: tuple[bool, ...], grad: Array, x1: Array, x2: Array, result: Array, p: float
) -> Gradients:
    """The gradients of both matrices: sums of +-grad_ij sgn(d) (|d| / D_ij)^(p - 1) over the differences d."""
    found = np.zeros(x1.shape, x1.dtype), np.zeros(x2.shape, x2.dtype)
    if grad.size and x1.shape[-1]:
        arrays = [_matrices(contiguous(a)) for a in (grad, x1, x2, result)]
        difference_norms_backward(*arrays, _kind(p), p, *map(_matrices, found))
    return tuple(a if yes else None for a, yes in zip(found, wanted, strict=True))


def _matrices(a: Array) -> Array:
    """All matrices as one batch dimension."""
    return contiguous(a).reshape(math.prod(a.shape[:-2]), *a.shape[-2:])


def _kind(p: float) -> int:
    known = {0: _COUNT, 1: _SUM, 2: _EUCLIDEAN, math.inf: _GREATEST}
    return known.get(p, _POWER)


@jit
def difference_norms(x1: Array, columns: Array, kind: int, p: float, out: Array) -> None:
    """A row of distances at a time, one column of the matrices after the other; many of them in blocks."""
    total, part = np.empty(out.shape[2]), np.empty(out.shape[2], out.dtype)
    for b in range(x1.shape[0]):
        for i in range(x1.shape[1]):
            total[:] = 0
            for start in range(0, x1.shape[2], _BLOCK):
                part[:] = 0
                for k in range(start, min(start + _BLOCK, x1.shape[2])):
                    add_column(x1[b, i, k], columns[b, k], kind, p, part)
                for j in range(part.size):
                    total[j] = max(total[j], part[j]) if kind == 3 and part[j] == part[j] else total[j] + part[j]
            for j in range(total.size):
                out[b, i, j] = math.sqrt(total[j]) if kind == 2 else total[j] ** (1 / p) if kind == 4 else total[j]


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
                if kind == 2:
                    weight /= length
                elif kind == 3:
                    weight /= np.sum(np.abs(x1[b, i] - x2[b, j]) == length)
                difference_norm_backward(weight, x1[b, i], x2[b, j], length, kind, p, first[b, i], second[b, j])


@jit
def difference_norm_backward(
    weight: float, x: Array, y: Array, length: float, kind: int, p: float, first: Array, second: Array
) -> None:
    """The gradient of one distance, for each element of both rows."""
    if kind <= 2:
        for k in range(x.size):
            apart = x[k] - y[k]
            term = weight * apart if kind == 2 else weight * np.sign(apart)
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
