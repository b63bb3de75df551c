"""Distances between the rows of two matrices on a device, and their gradients, without memory for all differences."""

from __future__ import annotations

import math

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching import indexed
from ...cuda.views import in_order
from ..indexing.cuda import index_select_backward, take_elements
from . import cuda_kernels as kernels
from .cpu import upper_triangle_indices

Array = DeviceArray
KINDS = {0: 0, 1: 1, 2: 2, math.inf: 3}


def row_distances(x1: Array, x2: Array, p: float) -> Array:
    result = memory.result(x1, (*x1.shape[:-1], x2.shape[-2]))
    sizes = x1.shape[-2], x2.shape[-2], x1.shape[-1]
    args = in_order(x1), in_order(x2), result, sizes, KINDS.get(p, 4), power(p)
    indexed.run(kernels.distances, result.size, x1.dtype, *args)
    return result


def pdist(x: Array, p: float) -> Array:
    return take_elements(row_distances(x, x, p), memory.constant(upper_triangle_indices(x.shape[0]), x.device))


def pdist_backward(grad: Array, x: Array, result: Array, p: float) -> Array | None:
    """The gradient of the matrix: that of its rows as the first of a pair, with all others."""
    return row_distances_backward((True, False), in_square(grad, x), x, x, in_square(result, x), p)[0]


def in_square(pairs: Array, x: Array) -> Array:
    """Numbers of pairs of rows i < j in a symmetric matrix, 0 along the diagonal."""
    rows, above = x.shape[0], upper_triangle_indices(x.shape[0])
    positions = np.concatenate([above, above % rows * rows + above // rows])
    both = take_elements(pairs, memory.constant(np.tile(np.arange(above.size), 2), x.device))
    return index_select_backward(both, (rows * rows,), 0, memory.constant(positions, x.device)).reshape((rows, rows))


def power(p: float) -> float:
    """A power that kernels take; those kinds that need none get 1."""
    return 1.0 if math.isinf(p) else float(p)


def row_distances_backward(
    output_mask: tuple[bool, ...], grad: Array, x1: Array, x2: Array, result: Array, p: float
) -> tuple[Array | None, ...]:
    grad, x1, x2, length = (in_order(a) for a in (grad, x1, x2, result))
    sizes, kind = (x1.shape[-2], x2.shape[-2], x1.shape[-1]), KINDS.get(p, 4)
    shared = length
    if kind == 3:
        shared = memory.empty(length.shape, length.dtype, length.device)
        indexed.run(kernels.ties, length.size, length.dtype, x1, x2, length, shared, sizes)
    return (
        one_side(grad, x1, x2, length, shared, (sizes[1], 1), kind, p) if output_mask[0] else None,
        one_side(grad, x2, x1, length, shared, (1, sizes[1]), kind, p) if output_mask[1] else None,
    )


def one_side(
    grad: Array, x: Array, y: Array, length: Array, ties: Array, steps: tuple[int, int], kind: int, p: float
) -> Array:
    """The gradient of x, whose rows lie `steps[0]` apart among the distances, those of y `steps[1]`."""
    made = memory.result(x, x.shape)
    sizes = x.shape[-2], y.shape[-2], x.shape[-1]
    args = grad, x, y, length, ties, made, sizes, steps, kind, power(p)
    indexed.run(kernels.distances_back, made.size, x.dtype, *args)
    return made
