"""Embedding: rows of a table picked by index, and the sums of rows that go back."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.index_select import COLUMNS, take_rows
from ...kernels.jit import jit
from ...pool.parallel_for import shared


def embedding(
    weight: np.ndarray, indices: np.ndarray, padding_idx: int = -1, scale_grad_by_freq: bool = False
) -> np.ndarray:
    """weight[indices]; the other arguments concern the gradient only.

    Raises:
        IndexError: an index outside [0, len(weight)).
    """
    rows = np.ascontiguousarray(indices.reshape(-1))
    result = np.empty((rows.size, weight.shape[1]), weight.dtype)
    wrong = np.zeros(1, np.int64)
    shared(take_rows, (np.ascontiguousarray(weight), rows, 0, result, wrong), rows.size, result.size)
    _refuse(wrong, rows, len(weight))
    return result.reshape(*indices.shape, weight.shape[1])


def embedding_backward(
    grad_output: np.ndarray, indices: np.ndarray, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> np.ndarray:
    """Adds each row of grad_output to its row of the table, in the order of the indices."""
    rows = np.ascontiguousarray(indices.reshape(-1))
    result = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    grads = np.ascontiguousarray(grad_output).reshape(rows.size, -1 if grad_output.size else result.shape[1])
    wrong = np.zeros(1, np.int64)
    shared(_add_rows, (grads, rows, padding_idx, result, wrong), result.shape[1], grads.size, COLUMNS)
    _refuse(wrong, rows, num_weights)
    if scale_grad_by_freq:
        result /= np.maximum(_counts(rows, num_weights), 1)[:, None].astype(result.real.dtype)
    return result


def embedding_gather(input: np.ndarray, indices: np.ndarray, padding_idx: int, scale_grad_by_freq: bool) -> np.ndarray:
    result = embedding(input, indices)
    if scale_grad_by_freq:
        rows = indices.reshape(-1)
        counts = np.maximum(_counts(rows, len(input)), 1)[indices]
        result /= counts[..., None].astype(result.real.dtype)
    result[indices == padding_idx] = 0
    return result


def _counts(rows: np.ndarray, num_weights: int) -> np.ndarray:
    return np.bincount(rows, minlength=num_weights)


def _refuse(wrong: np.ndarray, rows: np.ndarray, num_weights: int) -> None:
    if wrong[0]:
        bad = rows[(rows < 0) | (rows >= num_weights)][0]
        raise IndexError(f"embedding(): index out of range: expected an index in [0, {num_weights - 1}], got {bad}")


@jit
def _add_rows(
    grads: np.ndarray, rows: np.ndarray, padding_idx: int, result: np.ndarray, wrong: np.ndarray, first: int, last: int
) -> None:
    """Adds a range of columns of the rows, without those of padding_idx; notes in `wrong` an index out of range."""
    for i in range(rows.size):
        row = rows[i]
        if row < 0 or row >= result.shape[0]:
            wrong[0] = 1
            return
        if row != padding_idx:
            source, target = grads[i, first:last], result[row, first:last]
            for j in range(source.size):
                target[j] += source[j]
