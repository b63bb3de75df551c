"""Standardizing over any dimensions: subtract the mean, divide by the deviation; and division by a root mean square.

Arrays are seen as (A, C, S). Statistics belong to C, which batch norm has inside (samples, channels, space) and layer
norm in front (1, rows, features). Weights are a table (P, Q) for that: see cpu_layout.py. `normalize_by` takes the
statistics as arguments, and `follow` moves running statistics towards those of a batch.
"""

from collections.abc import Sequence

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array, Ints, Maybe, run
from ..reduction.cpu import sum_to_size
from . import plans
from .cpu_layout import layout_of


def standardize(
    input: Array, weight: Maybe, bias: Maybe, dim: Ints, affine_shape: Ints, eps: float
) -> tuple[Array, Array, Array]:
    layout = layout_of(input.shape, dim, affine_shape, weight is None and bias is None)
    if not input.size:
        none = np.full(layout.stats_shape, np.nan, input.dtype)
        return np.empty_like(input), none, none.copy()
    tables = layout.table(weight, 1, input.dtype), layout.table(bias, 0, input.dtype)
    result, mean, var = run(plans.folded, layout.fold(input), *tables, layout, eps)
    return layout.unfold(result), mean, var


def standardize_backward(
    output_mask: Sequence[bool], grad: Array, input: Maybe, weight: Maybe, mean: Array, var: Array, dim: Ints,
    affine_shape: Ints, eps: float,
) -> Sequence[Maybe]:  # fmt: skip
    """All in one pass over the data; the input is None where only the gradient of the bias is wanted."""
    if input is None:
        return None, None, sum_to_size(grad, affine_shape)
    layout = layout_of(input.shape, dim, affine_shape, weight is None and not any(output_mask[1:]))
    table = layout.table(weight, 1, input.dtype)
    if input.size:
        arrays = layout.fold(grad), layout.fold(input), table, mean, var
        result, weights, biases = run(plans.folded_backward, tuple(output_mask), *arrays, layout, eps)[:3]
    else:
        result, weights, biases = np.empty_like(input), np.zeros_like(table), np.zeros_like(table)
    return (
        layout.unfold(result) if output_mask[0] else None,
        layout.from_table(weights) if output_mask[1] else None,
        layout.from_table(biases) if output_mask[2] else None,
    )


def standardize_groups(input: Array, weight: Maybe, bias: Maybe, groups: int, eps: float) -> tuple[Array, Array, Array]:
    result = standardize(_grouped(input, groups), weight, bias, (2, 3), (groups, input.shape[1] // groups, 1), eps)
    return result[0].reshape(input.shape), *result[1:]


def standardize_groups_backward(
    output_mask: Sequence[bool], grad: Array, input: Maybe, weight: Maybe, mean: Array, var: Array, groups: int,
    eps: float,
) -> Sequence[Maybe]:  # fmt: skip
    """The gradients of weight and bias are in the shape (groups, channels of a group, 1)."""
    x = None if input is None else _grouped(input, groups)
    shape = (groups, grad.shape[1] // groups, 1)
    return standardize_backward(output_mask, _grouped(grad, groups), x, weight, mean, var, (2, 3), shape, eps)


def _grouped(array: Array, groups: int) -> Array:
    """(N, C, ...) as (N, groups, channels of a group, elements of a channel)."""
    samples, channels = array.shape[:2]
    space = array.size // max(samples * channels, 1)
    return np.ascontiguousarray(array).reshape(samples, groups, channels // groups, space)


def normalize_by(input: Array, mean: Array, var: Array, weight: Maybe, bias: Maybe, eps: float) -> Array:
    args = [None if a is None else np.ascontiguousarray(a) for a in (input, mean, var, weight, bias)]
    return run(plans.normalize_by, *args, eps)[0]


@jit
def follow(running: Array, batch: Array, share: float, factor: float) -> None:
    for i in range(running.size):
        running[i] = (1 - share) * running[i] + share * factor * batch[i]
