"""Standardising over any dimensions: subtract the mean, divide by the deviation; the kernels of all norms with a mean.

Arrays are seen as (A, C, S). Statistics belong to C, which batch norm has inside (samples, channels, space) and layer
norm in front (1, rows, features). Weights are a table (P, Q) for that: see standardized.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...pool.parallel_for import shared
from ..reduction.cpu import sum_to_size
from . import cpu_columns as columns
from . import cpu_loops as loops
from . import cpu_rows as rows
from .cpu_layout import layout_of

Array = np.ndarray
Ints = tuple[int, ...]

COLUMNS = 64  # that one thread has, at least


def standardize(
    input: Array, weight: Array | None, bias: Array | None, dim: Ints, affine_shape: Ints, eps: float
) -> tuple[Array, Array, Array]:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and the (biased) variance over `dim`."""
    layout = layout_of(input.shape, dim, affine_shape, weight is None and bias is None)
    x, dtype = layout.fold(input), input.dtype
    result = np.empty(x.shape, dtype)
    mean, var = np.empty(layout.stats_shape, dtype), np.empty(layout.stats_shape, dtype)
    given = layout.table(weight, 1, dtype), layout.table(bias, 0, dtype), eps, result, mean.reshape(-1), var.reshape(-1)
    if layout.kind == "rows":
        shared(rows.standardize_rows, (x, *given), len(x), x.size)
    elif layout.kind == "columns":
        shared(columns.standardize_columns, (x, *given), x.shape[1], x.size, COLUMNS)
    else:
        shared(loops.standardize_segments, (x, *given), x.shape[1], x.size)
    return layout.unfold(result), mean, var


def standardize_backward(
    wanted: Sequence[bool],
    grad: Array,
    input: Array | None,
    weight: Array | None,
    mean: Array,
    var: Array,
    dim: Ints,
    affine_shape: Ints,
    eps: float,
) -> Sequence[Array | None]:
    """The gradients of input, weight and bias, of which those that are `wanted`: all in one pass over the data.

    The input is None where only that of the bias is wanted.
    """
    if input is None:
        return None, None, sum_to_size(grad, affine_shape)
    layout = layout_of(input.shape, dim, affine_shape, weight is None and not any(wanted[1:]))
    x, dtype = layout.fold(input), input.dtype
    result, table = np.empty(x.shape, dtype), layout.table(weight, 1, dtype)
    weights, biases = np.empty(table.shape, dtype), np.empty(table.shape, dtype)
    given = layout.fold(grad), x, table, mean.reshape(-1), var.reshape(-1), eps, result
    if layout.kind == "rows":
        sums = np.empty((-(-len(x) // rows.FLUSH), 2, x.shape[1]), dtype)
        shared(rows.backward_rows, (*given, sums), len(x), x.size, rows.FLUSH)
        rows.add_blocks(sums[:, 0], weights)
        rows.add_blocks(sums[:, 1], biases)
    elif layout.kind == "columns":
        shared(columns.backward_columns, (*given, weights, biases), x.shape[1], x.size, COLUMNS)
    else:
        shared(loops.backward_segments, (*given, weights, biases), len(table), x.size)
    return (
        layout.unfold(result) if wanted[0] else None,
        layout.from_table(weights) if wanted[1] else None,
        layout.from_table(biases) if wanted[2] else None,
    )


def standardize_groups(
    input: Array, weight: Array | None, bias: Array | None, groups: int, eps: float
) -> tuple[Array, Array, Array]:
    """The same for each group of neighbouring channels of (N, C, ...)."""
    found = standardize(_grouped(input, groups), weight, bias, (2, 3), (groups, input.shape[1] // groups, 1), eps)
    return found[0].reshape(input.shape), *found[1:]


def standardize_groups_backward(
    wanted: Sequence[bool],
    grad: Array,
    input: Array | None,
    weight: Array | None,
    mean: Array,
    var: Array,
    groups: int,
    eps: float,
) -> Sequence[Array | None]:
    """As `standardize_backward`; gradients of the weights as the table's, which has their memory."""
    x = None if input is None else _grouped(input, groups)
    shape = (groups, grad.shape[1] // groups, 1)
    return standardize_backward(wanted, _grouped(grad, groups), x, weight, mean, var, (2, 3), shape, eps)


def _grouped(array: Array, groups: int) -> Array:
    """(N, C, ...) as (N, groups, channels of a group, places)."""
    samples, channels = array.shape[:2]
    places = array.size // max(samples * channels, 1)
    return np.ascontiguousarray(array).reshape(samples, groups, channels // groups, places)
