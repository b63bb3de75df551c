"""Softmax, log-softmax and their gradients, each in one loop over the rows along a dimension.

An array is seen as (before, along, after). Where nothing comes after, rows are contiguous; otherwise BLOCK neighbouring
rows run side by side, so that memory is read as it lies.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from ..jit import jit
from ..scalar import exp, log
from .copies import contiguous
from .ordering import greatest

# Sums may be reordered into the lanes of a vector register; the order is fixed when the loop is compiled.
_REORDER = {"reassoc"}
_BLOCK = 256


def softmax(input: np.ndarray, dim: int, dtype: object = None) -> np.ndarray:
    """exp(x) / sum(exp(x)) along `dim`."""
    return _along(_softmax_rows, _softmax_columns, dim, input)


def log_softmax(input: np.ndarray, dim: int, dtype: object = None) -> np.ndarray:
    """x - log(sum(exp(x))) along `dim`."""
    return _along(_log_softmax_rows, _log_softmax_columns, dim, input)


def softmax_backward(grad_output: np.ndarray, output: np.ndarray, dim: int) -> np.ndarray:
    """output * (grad_output - sum(grad_output * output)) along `dim`."""
    return _along(_softmax_backward_rows, _softmax_backward_columns, dim, grad_output, output)


def log_softmax_backward(grad_output: np.ndarray, output: np.ndarray, dim: int) -> np.ndarray:
    """grad_output - exp(output) * sum(grad_output) along `dim`."""
    return _along(_log_softmax_backward_rows, _log_softmax_backward_columns, dim, grad_output, output)


def _along(rows: Callable[..., None], columns: Callable[..., None], dim: int, *arrays: np.ndarray) -> np.ndarray:
    """Runs one of two kernels: over rows where `dim` is the last dimension, else over columns side by side."""
    shape = arrays[0].shape
    result = np.empty(shape, arrays[0].dtype)
    if not result.size:
        return result
    after = prod(shape[dim + 1 :])
    along = shape[dim] if shape else 1
    folded = (-1, along) if after == 1 else (-1, along, after)
    ready = [contiguous(a).reshape(folded) for a in arrays]
    (rows if after == 1 else columns)(*ready, result.reshape(folded))
    return result


@jit(fastmath=_REORDER)
def _softmax_rows(x: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.shape[0]):
        row, out = x[i], result[i]
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
def _log_softmax_rows(x: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.shape[0]):
        row, out = x[i], result[i]
        top = x.dtype.type(greatest(row))
        total = x.dtype.type(0)
        for j in range(row.size):
            total += exp(row[j] - top)
        shift = log(total)
        for j in range(row.size):
            out[j] = (row[j] - top) - shift


@jit(fastmath=_REORDER)
def _softmax_backward_rows(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
    for i in range(grad.shape[0]):
        g, y, out = grad[i], output[i], result[i]
        total = grad.dtype.type(0)
        for j in range(g.size):
            total += g[j] * y[j]
        for j in range(g.size):
            out[j] = (g[j] - total) * y[j]


@jit(fastmath=_REORDER)
def _log_softmax_backward_rows(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
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
def _softmax_columns(x: np.ndarray, result: np.ndarray) -> None:
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
def _log_softmax_columns(x: np.ndarray, result: np.ndarray) -> None:
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
def _softmax_backward_columns(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
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
def _log_softmax_backward_columns(grad: np.ndarray, output: np.ndarray, result: np.ndarray) -> None:
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
