"""The loops of softmax and log-softmax: over contiguous rows, and over BLOCK columns side by side.

Columns are arrays (before, along, after), so that memory is read as it lies.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..places import part_of
from ..scalar import exp, log
from .ordering import greatest

# Sums may be reordered into the lanes of a vector register; the order is fixed when the loop is compiled.
_REORDER = {"reassoc"}
_BLOCK = 256


@jit(fastmath=_REORDER)
def softmax_rows(x: np.ndarray, result: np.ndarray) -> None:
    """exp(x) / sum(exp(x)) of each row."""
    for i in range(x.shape[0]):
        row, out = part_of(x, i * x.shape[1], x.shape[1]), part_of(result, i * x.shape[1], x.shape[1])
        top = x.dtype.type(greatest(row))
        total = x.dtype.type(0)
        for j in range(row.size):
            value = exp(row[j] - top)
            out[j] = value
            total += value
        scale = 1 / total
        for j in range(row.size):
            out[j] *= scale


@jit(fastmath=_REORDER)
def log_softmax_rows(x: np.ndarray, result: np.ndarray) -> None:
    """x - log(sum(exp(x))) of each row."""
    for i in range(x.shape[0]):
        row, out = part_of(x, i * x.shape[1], x.shape[1]), part_of(result, i * x.shape[1], x.shape[1])
        top = x.dtype.type(greatest(row))
        total = x.dtype.type(0)
        for j in range(row.size):
            total += exp(row[j] - top)
        shift = log(total)
        for j in range(row.size):
            out[j] = (row[j] - top) - shift


@jit(fastmath=_REORDER)
def softmax_backward_rows(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
    """y (g - sum(g y)) of each row."""
    for i in range(grad.shape[0]):
        g, y, out = grad[i], output[i], result[i]
        total = grad.dtype.type(0)
        for j in range(g.size):
            total += g[j] * y[j]
        for j in range(g.size):
            out[j] = (g[j] - total) * y[j]


@jit(fastmath=_REORDER)
def log_softmax_backward_rows(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
    """g - exp(y) sum(g) of each row."""
    for i in range(grad.shape[0]):
        g, y, out = grad[i], output[i], result[i]
        total = grad.dtype.type(0)
        for j in range(g.size):
            total += g[j]
        for j in range(g.size):
            out[j] = g[j] - exp(y[j]) * total


@jit
def tops_of(x: np.ndarray, start: int, tops: np.ndarray) -> None:
    """The greatest of each of the columns from `start` on; what is nan may be passed over."""
    tops[:] = x[0, start : start + tops.size]
    for i in range(1, x.shape[0]):
        row = x[i, start : start + tops.size]
        for j in range(tops.size):
            tops[j] = row[j] if row[j] > tops[j] else tops[j]


@jit
def softmax_columns(x: np.ndarray, result: np.ndarray) -> None:
    """As `softmax_rows`, along the middle dimension."""
    for b in range(x.shape[0]):
        for start in range(0, x.shape[2], _BLOCK):
            width = min(_BLOCK, x.shape[2] - start)
            tops, totals = np.empty(width, x.dtype), np.zeros(width, x.dtype)
            tops_of(x[b], start, tops)
            for i in range(x.shape[1]):
                row, to = x[b, i, start : start + width], result[b, i, start : start + width]
                for j in range(totals.size):
                    value = exp(row[j] - tops[j])
                    to[j] = value
                    totals[j] += value
            for j in range(totals.size):
                totals[j] = 1 / totals[j]
            for i in range(x.shape[1]):
                to = result[b, i, start : start + width]
                for j in range(totals.size):
                    to[j] *= totals[j]


@jit
def log_softmax_columns(x: np.ndarray, result: np.ndarray) -> None:
    """As `log_softmax_rows`, along the middle dimension."""
    for b in range(x.shape[0]):
        for start in range(0, x.shape[2], _BLOCK):
            width = min(_BLOCK, x.shape[2] - start)
            tops, totals = np.empty(width, x.dtype), np.zeros(width, x.dtype)
            tops_of(x[b], start, tops)
            for i in range(x.shape[1]):
                row = x[b, i, start : start + width]
                for j in range(totals.size):
                    totals[j] += exp(row[j] - tops[j])
            for j in range(totals.size):
                totals[j] = log(totals[j])
            for i in range(x.shape[1]):
                row, to = x[b, i, start : start + width], result[b, i, start : start + width]
                for j in range(totals.size):
                    to[j] = (row[j] - tops[j]) - totals[j]


@jit
def softmax_backward_columns(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
    """As `softmax_backward_rows`, along the middle dimension."""
    for b in range(grad.shape[0]):
        for start in range(0, grad.shape[2], _BLOCK):
            totals = np.zeros(min(_BLOCK, grad.shape[2] - start), grad.dtype)
            for i in range(grad.shape[1]):
                g, y = grad[b, i, start : start + _BLOCK], output[b, i, start : start + _BLOCK]
                for j in range(totals.size):
                    totals[j] += g[j] * y[j]
            for i in range(grad.shape[1]):
                g, y = grad[b, i, start : start + _BLOCK], output[b, i, start : start + _BLOCK]
                to = result[b, i, start : start + _BLOCK]
                for j in range(totals.size):
                    to[j] = (g[j] - totals[j]) * y[j]


@jit
def log_softmax_backward_columns(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
    """As `log_softmax_backward_rows`, along the middle dimension."""
    for b in range(grad.shape[0]):
        for start in range(0, grad.shape[2], _BLOCK):
            totals = np.zeros(min(_BLOCK, grad.shape[2] - start), grad.dtype)
            for i in range(grad.shape[1]):
                g = grad[b, i, start : start + _BLOCK]
                for j in range(totals.size):
                    totals[j] += g[j]
            for i in range(grad.shape[1]):
                g, y = grad[b, i, start : start + _BLOCK], output[b, i, start : start + _BLOCK]
                to = result[b, i, start : start + _BLOCK]
                for j in range(totals.size):
                    to[j] = g[j] - exp(y[j]) * totals[j]


@jit(fastmath=_REORDER)
def _exponential_sum(row: np.ndarray, top: float) -> float:
    total, start = row.dtype.type(0), row.dtype.type(top)
    for j in range(row.size):
        total += exp(row[j] - start)
    return total


@jit
def log_totals(x: np.ndarray, result: np.ndarray) -> None:
    """log(sum(exp(x))) along (before, along, after), shifted by the greatest element where that is finite."""
    for b in range(x.shape[0]):
        if x.shape[2] == 1:
            row = part_of(x, b * x.shape[1], x.shape[1])
            top = greatest(row)
            top = top if abs(top) < np.inf else 0.0
            result[b, 0] = log(_exponential_sum(row, top)) + x.dtype.type(top)
            continue
        for start in range(0, x.shape[2], _BLOCK):
            width = min(_BLOCK, x.shape[2] - start)
            tops, totals = np.empty(width, x.dtype), np.zeros(width, x.dtype)
            tops_of(x[b], start, tops)
            for j in range(width):
                tops[j] = tops[j] if abs(tops[j]) < np.inf else 0
            for i in range(x.shape[1]):
                row = x[b, i, start : start + width]
                for j in range(totals.size):
                    totals[j] += exp(row[j] - tops[j])
            out = result[b, start : start + width]
            for j in range(out.size):
                out[j] = log(totals[j]) + tops[j]
