"""Sums and means of the rows of a table that bags of indices name, and their gradient: no row is copied."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...kernels.cpu.plan import run
from . import plans

Array = np.ndarray


def bag_totals(
    weight: Array, indices: Array, offsets: Array, mean: bool, include_last_offset: bool, padding_idx: int
) -> Array:
    """For each bag the sum or mean of weight[i] for its indices i but padding_idx; of none it is 0.

    Raises:
        IndexError: an index is no row.
        RuntimeError: offsets do not begin with 0, decrease, or lie behind the indices.
    """
    rows, starts = as_read(indices), as_read(offsets)
    bags = starts.size - include_last_offset
    if not bags or not weight.shape[1]:
        return np.zeros((bags, weight.shape[1]), weight.dtype)
    try:
        return run(plans.bag_totals, contiguous(weight), rows, starts, mean, include_last_offset, padding_idx)[0]
    except IndexError:
        raise wrong_bags(rows, starts, len(weight)) from None


def embedding_bag_scatter_grad(
    grad_output: Array,
    indices: Array,
    offsets: Array,
    num_weights: int,
    mean: bool,
    include_last_offset: bool,
    padding_idx: int,
) -> Array:
    """The transpose of `bag_totals`: row i of the result is the sum of grad_output of all bags, over their sizes for
    means, as often as they name i."""
    rows, starts = as_read(indices), as_read(offsets)
    if not grad_output.size or not num_weights:
        return np.zeros((num_weights, grad_output.shape[1]), grad_output.dtype)
    args = contiguous(grad_output), rows, starts
    try:
        return run(plans.embedding_bag_scatter_grad, *args, num_weights, mean, include_last_offset, padding_idx)[0]
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
