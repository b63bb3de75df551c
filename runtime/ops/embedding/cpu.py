"""Embedding: rows of a table picked by index, sums and means of those that bags name, and what goes back to them."""

from typing import Any

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.index_select import COLUMNS, take_rows
from ...kernels.cpu.plan import Array, run
from . import plans


def embedding(
    weight: np.ndarray, indices: np.ndarray, padding_idx: int = -1, scale_grad_by_freq: bool = False
) -> np.ndarray:
    """weight[indices]; the other arguments concern the gradient only."""
    rows = np.ascontiguousarray(indices.reshape(-1))
    result = np.empty((rows.size, weight.shape[1]), weight.dtype)
    wrong = np.zeros(1, np.int64)
    shared(take_rows, (np.ascontiguousarray(weight), rows, 0, result, wrong), rows.size, result.size)
    _refuse(wrong, rows, len(weight))
    return result.reshape(*indices.shape, weight.shape[1])


def embedding_backward(
    grad_output: np.ndarray, indices: np.ndarray, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> np.ndarray:
    rows = np.ascontiguousarray(indices.reshape(-1))
    result = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    grads = np.ascontiguousarray(grad_output).reshape(rows.size, -1 if grad_output.size else result.shape[1])
    wrong = np.zeros(1, np.int64)
    shared(_add_rows, (grads, rows, padding_idx, result, wrong), result.shape[1], grads.size, COLUMNS)
    _refuse(wrong, rows, num_weights)
    if scale_grad_by_freq:
        counts = np.maximum(np.bincount(rows, minlength=num_weights), 1)
        result /= counts[:, None].astype(result.real.dtype)
    return result


def embedding_gather(input: np.ndarray, indices: np.ndarray, padding_idx: int, scale_grad_by_freq: bool) -> np.ndarray:
    result = embedding(input, indices)
    if scale_grad_by_freq:
        counts = np.maximum(np.bincount(indices.reshape(-1), minlength=len(input)), 1)[indices]
        result /= counts[..., None].astype(result.real.dtype)
    result[indices == padding_idx] = 0
    return result


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


def bag_totals(
    weight: Array, indices: Array, offsets: Array, mean: bool, include_last_offset: bool, padding_idx: int
) -> Array:
    """For each bag the sum or mean of weight[i] for its indices i but padding_idx; of none it is 0."""
    rows, starts = as_read(indices), as_read(offsets)
    bags = starts.size - include_last_offset
    if not bags or not weight.shape[1]:
        return np.zeros((bags, weight.shape[1]), weight.dtype)
    try:
        return run(plans.bag_totals, contiguous(weight), rows, starts, mean, include_last_offset, padding_idx)[0]
    except IndexError:
        raise wrong_bags(rows, starts, len(weight)) from None


def embedding_bag_scatter_grad(
    grad_output: Array, indices: Array, offsets: Array, num_weights: int, *kind: Any
) -> Array:
    """The transpose of `bag_totals`; `kind` is mean, include_last_offset, padding_idx."""
    rows, starts = as_read(indices), as_read(offsets)
    if not grad_output.size or not num_weights:
        return np.zeros((num_weights, grad_output.shape[1]), grad_output.dtype)
    args = contiguous(grad_output), rows, starts
    try:
        return run(plans.embedding_bag_scatter_grad, *args, num_weights, *kind)[0]
    except IndexError:
        raise wrong_bags(rows, starts, num_weights) from None


def as_read(indices: Array) -> Array:
    return contiguous(indices.astype(np.int64, copy=False))


def wrong_bags(indices: Array, offsets: Array, rows: int) -> Exception:
    ends = np.append(offsets, indices.size)
    if ends[0] != 0 or (np.diff(ends) < 0).any():
        expected = f"offsets from 0 to at most {indices.size} that do not decrease"
        return RuntimeError(f"expected {expected}, as what is in a bag depends on the values, got {offsets.tolist()}")
    return IndexError(f"index out of range: expected indices in [0, {rows}), got {indices.min()} to {indices.max()}")


def owners(
    indices: Array, offsets: Array, include_last_offset: bool, rows: int, padding_idx: int
) -> tuple[Array, Array]:
    """The rows that all bags name, but padding_idx, and the bag of each; errors as those of `bag_totals`."""
    ends = np.append(offsets, indices.size)[: offsets.size - include_last_offset + 1]
    named = indices[: ends[-1]]
    if ends[0] != 0 or (np.diff(ends) < 0).any() or ((named < 0) | (named >= rows)).any():
        raise wrong_bags(indices, offsets, rows)
    not_padding = named != padding_idx
    return named[not_padding], np.repeat(np.arange(ends.size - 1), np.diff(ends))[not_padding]
