"""Softmax, log-softmax and their gradients, each in one loop over the rows along a dimension.

An array is seen as (before, along, after). Where nothing comes after, rows are contiguous; otherwise neighbouring ones
run side by side, so that memory is read as it lies.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...pool.parallel_for import shared
from . import cpu_loops as loops

COLUMNS = 64  # that one thread has, at least


def softmax(input: np.ndarray, dim: int, dtype: object = None) -> np.ndarray:
    """exp(x) / sum(exp(x)) along `dim`."""
    return _along(loops.softmax_rows, loops.softmax_columns, dim, input)


def log_softmax(input: np.ndarray, dim: int, dtype: object = None) -> np.ndarray:
    """x - log(sum(exp(x))) along `dim`."""
    return _along(loops.log_softmax_rows, loops.log_softmax_columns, dim, input)


def softmax_backward(grad_output: np.ndarray, output: np.ndarray, dim: int) -> np.ndarray:
    """output * (grad_output - sum(grad_output * output)) along `dim`."""
    return _along(loops.softmax_backward_rows, loops.softmax_backward_columns, dim, grad_output, output)


def log_softmax_backward(grad_output: np.ndarray, output: np.ndarray, dim: int) -> np.ndarray:
    """grad_output - exp(output) * sum(grad_output) along `dim`."""
    return _along(loops.log_softmax_backward_rows, loops.log_softmax_backward_columns, dim, grad_output, output)


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
    loop, unit = (rows, 1) if after == 1 else (columns, COLUMNS)
    shared(loop, (*ready, result.reshape(folded)), result.size // along, result.size, unit)
    return result
