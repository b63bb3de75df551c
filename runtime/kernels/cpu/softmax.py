"""Softmax, log-softmax and their gradients: fused loops over the rows along one dimension."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..jit import jit
from ..scalar import exp, log

# Sums may be reordered into the lanes of a vector register; the order is fixed when the loop is compiled.
_REORDER = {"reassoc"}


def softmax(input: np.ndarray, dim: int, dtype: object = None) -> np.ndarray:
    """exp(x) / sum(exp(x)) along `dim`."""
    return _along(_softmax_rows, dim, input)


def log_softmax(input: np.ndarray, dim: int, dtype: object = None) -> np.ndarray:
    """x - log(sum(exp(x))) along `dim`."""
    return _along(_log_softmax_rows, dim, input)


def softmax_backward(grad_output: np.ndarray, output: np.ndarray, dim: int) -> np.ndarray:
    """output * (grad_output - sum(grad_output * output)) along `dim`."""
    return _along(_softmax_backward_rows, dim, grad_output, output)


def log_softmax_backward(grad_output: np.ndarray, output: np.ndarray, dim: int) -> np.ndarray:
    """grad_output - exp(output) * sum(grad_output) along `dim`."""
    return _along(_log_softmax_backward_rows, dim, grad_output, output)


def _along(kernel: Callable[..., None], dim: int, *arrays: np.ndarray) -> np.ndarray:
    """Runs a kernel over rows: those of the last dimension as they lie, others through a transposed copy."""
    shape = arrays[0].shape
    if not arrays[0].size:
        return np.empty(shape, arrays[0].dtype)
    last = not shape or dim == len(shape) - 1
    ready = [np.ascontiguousarray(a if last else np.moveaxis(a, dim, -1)) for a in arrays]
    moved = ready[0].shape
    length = moved[-1] if moved else 1
    result = np.empty(moved, arrays[0].dtype)
    kernel(*(a.reshape(-1, length) for a in ready), result.reshape(-1, length))
    return result.reshape(shape) if last else np.ascontiguousarray(np.moveaxis(result, -1, dim))


@jit(fastmath=_REORDER)
def _softmax_rows(x: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.shape[0]):
        row, out = x[i], result[i]
        top = row[0]
        for j in range(row.size):
            top = max(top, row[j])
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
        top = row[0]
        for j in range(row.size):
            top = max(top, row[j])
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
