"""Standardising over any dimensions: subtract the mean, divide by the deviation; the kernels of all norms with a mean.

Arrays are seen as (A, C, S). Statistics belong to C, which batch norm has inside (samples, channels, space) and layer
norm in front (1, rows, features). Weights are a table (P, Q) for that: see standardized.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import standardized_columns as columns
from . import standardized_loops as loops
from . import standardized_rows as rows
from .reductions import sum_to_size
from .standardized import layout_of, reduced_behind

Array = np.ndarray
Ints = Sequence[int]


def standardize(
    input: Array, weight: Array | None, bias: Array | None, dim: Ints, affine_shape: Ints, eps: float
) -> tuple[Array, Array, Array]:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and the (biased) variance over `dim`."""
    plain = weight is None and bias is None
    layout = layout_of(input.shape, tuple(dim), (1,) if plain else tuple(affine_shape))
    x, dtype = layout.fold(input), input.dtype
    result = np.empty(x.shape, dtype)
    mean, var = np.empty((2, x.shape[1]), dtype)
    tables = layout.table(weight, 1, dtype), layout.table(bias, 0, dtype)
    if layout.own_weights:
        flat = [table.reshape(-1) for table in tables]
        rows.standardize_rows(x[0], *flat, eps, result[0], mean, var)
    elif layout.columns:
        flat = [layout.by_channel(table) for table in tables]
        columns.standardize_columns(x.reshape(x.shape[:2]), *flat, eps, result.reshape(x.shape[:2]), mean, var)
    else:
        loops.standardize_segments(x, *tables, eps, result, mean, var)
    return layout.unfold(result), mean.reshape(layout.stats_shape), var.reshape(layout.stats_shape)


def standardize_gradients(
    wanted: Sequence[bool],
    grads: Sequence[Array | None],
    input: Array | None,
    weight: Array | None,
    mean: Array,
    var: Array,
    affine_shape: Ints,
    eps: float,
) -> Sequence[Array | None]:
    """The gradients of input, weight and bias, of which those that are `wanted`: all in one pass over the data.

    Args:
        wanted: for input, weight and bias.
        grads: of output, mean and var; None for zeros.
        input: None where only the bias has a gradient, as are then weight, mean and var.
    """
    if input is None:
        return None, None, _bias_gradient(grads, affine_shape)
    plain = weight is None and not any(wanted[1:])
    layout = layout_of(input.shape, reduced_behind(input.shape, mean.shape), (1,) if plain else tuple(affine_shape))
    x, dtype = layout.fold(input), input.dtype
    grad = np.zeros(x.shape, dtype) if grads[0] is None else layout.fold(grads[0])
    result = np.empty(x.shape if wanted[0] or layout.own_weights else (0, 0, 0), dtype)
    table = layout.table(weight, 1, dtype)
    sums = np.zeros((2, *table.shape))
    stats = [np.empty(0, dtype) if s is None else np.ascontiguousarray(s).reshape(-1) for s in (mean, var, *grads[1:])]
    if layout.own_weights:
        rows.backward_rows(grad[0], x[0], table[0], *stats, eps, result[0], *sums[:, 0])
    elif layout.columns:
        flat = [a.reshape(a.shape[:2]) for a in (grad, x, result)]
        by_channel = np.zeros((2, x.shape[1]))
        columns.backward_columns(*flat[:2], layout.by_channel(table), *stats, eps, flat[2], *by_channel)
        sums[:] = by_channel.reshape(2, -1, *table.shape).sum(1)
    else:
        loops.backward_segments(grad, x, table, *stats, eps, result, *sums)
    found: list[Array | None] = [layout.unfold(result) if wanted[0] else None]
    return found + [layout.from_table(s, dtype) if yes else None for s, yes in zip(sums, wanted[1:], strict=True)]


def _bias_gradient(grads: Sequence[Array | None], affine_shape: Ints) -> Array:
    if grads[0] is not None:
        return sum_to_size(grads[0], tuple(affine_shape))
    return np.zeros(affine_shape, next(grad.dtype for grad in grads if grad is not None))


def standardize_backward(
    grad_output: Array,
    grad_mean: Array | None,
    grad_var: Array | None,
    input: Array,
    weight: Array | None,
    mean: Array,
    var: Array,
    affine_shape: Ints,
    eps: float,
) -> Array:
    """r (c - mean(c) - h mean(c h)) + grad_mean / m + 2 grad_var (x - mean) / m, as the spec's entry explains."""
    grads = (grad_output, grad_mean, grad_var)
    found = standardize_gradients((True, False, False), grads, input, weight, mean, var, affine_shape, eps)
    assert found[0] is not None
    return found[0]


def standardize_weight_grad(
    grad_output: Array, input: Array, mean: Array, var: Array, affine_shape: Ints, eps: float
) -> Array:
    """The sum of grad_output (x - mean) / sqrt(var + eps) down to affine_shape."""
    grads, wanted = (grad_output, None, None), (False, True, False)
    found = standardize_gradients(wanted, grads, input, None, mean, var, affine_shape, eps)[1]
    assert found is not None
    return found
