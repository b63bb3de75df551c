"""Distances between the rows of two matrices on a device, and their gradients, without memory for all differences.

A thread computes a pair of rows, or an element of a gradient. `kind` is 0 for the number of differences, 1 for the sum
of their sizes, 2 for the root of their squares, 3 for the greatest, 4 for the root of their powers of `p`.
"""

import math
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda.language import T, cuda
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import in_order
from ...kernels.scalar import pow, sqrt
from ..indexing.cuda import index_select_backward, take_elements
from .cpu import upper_triangle_indices

# Texts name these; a kernel has its own in their place.
index: Any = None
W = get_x = get_y = get_grad = get_length = get_ties = put_result = index


def distances(x: Any, y: Any, result: Any, sizes: Any, kind: Any, p: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        rows, others, width = sizes
        q = index(i // others)
        b = index(q // rows)
        one, other = index(q * width), index(index(index(b * others) + index(i - index(q * others))) * width)
        value = W(0)
        for k in range(width):
            difference = W(get_x(x, index(one + k))) - W(get_y(y, index(other + k)))
            difference = W(difference if difference >= 0 else -difference)
            if kind == 1:
                value = W(value + difference)
            elif kind == 2:
                value = W(value + difference * difference)
            elif kind == 3:
                value = value if value >= difference or value != value else difference
            elif difference != difference:
                value = difference
            elif difference != 0:
                value = W(value + (pow(difference, W(p)) if kind == 4 else W(1)))
        if kind == 2:
            value = W(sqrt(value))
        elif kind == 4:
            value = W(pow(value, W(1) / W(p)))
        put_result(result, i, T(value))


def ties(x: Any, y: Any, length: Any, result: Any, sizes: Any, total: Any) -> None:
    """How many differences of a pair of rows are as great as the greatest."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        rows, others, width = sizes
        q = index(i // others)
        b = index(q // rows)
        one, other = index(q * width), index(index(index(b * others) + index(i - index(q * others))) * width)
        count = T(0)
        for k in range(width):
            difference = T(get_x(x, index(one + k)) - get_y(y, index(other + k)))
            if (difference if difference >= 0 else T(-difference)) == get_length(length, i):
                count = T(count + T(1))
        put_result(result, i, count)


def distances_back(
    grad: Any, x: Any, y: Any, length: Any, ties: Any, result: Any, sizes: Any, steps: Any, kind: Any, p: Any,
    total: Any,
) -> None:  # fmt: skip
    """result[b, i, k]: the sum over all j of the gradient of |x[b, i] - y[b, j]|; `steps` are those of i and j."""
    n = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if n < total:
        rows, others, width = sizes
        q = index(n // width)
        k, b = index(n - index(q * width)), index(q // rows)
        first = index(index(index(b * rows) * others) + index(index(q - index(b * rows)) * steps[0]))
        value = W(0)
        for j in range(others):
            at = index(first + index(j * steps[1]))
            size, weight = get_length(length, at), get_grad(grad, at)
            if size != T(0) and weight != T(0) and kind != 0:
                difference = T(get_x(x, n) - get_y(y, index(index(index(index(b * others) + j) * width) + k)))
                sign = T(1) if difference > T(0) else (T(-1) if difference < T(0) else difference)
                if kind == 2:
                    value = W(value + T(T(weight / size) * difference))
                elif kind == 1:
                    value = W(value + T(weight * sign))
                elif kind == 3:
                    share = T(T(weight / get_ties(ties, at)) * sign)
                    value = W(
                        value
                        + (share if (difference if difference >= 0 else T(-difference)) == size else T(T(0) * share))
                    )
                elif difference != T(0):
                    ratio = T((difference if difference >= 0 else T(-difference)) / size)
                    value = W(value + T(T(weight * sign) * T(pow(ratio, T(p - T(1))))))
        put_result(result, n, T(value))


KINDS = {0: 0, 1: 1, 2: 2, math.inf: 3}


def row_distances(x1: Array, x2: Array, p: float) -> Array:
    result = arrays.result(x1, (*x1.shape[:-1], x2.shape[-2]))
    sizes = x1.shape[-2], x2.shape[-2], x1.shape[-1]
    args = in_order(x1), in_order(x2), result, sizes, KINDS.get(p, 4), power(p)
    per_element.run(distances, result.size, x1.dtype, *args)
    return result


def pdist(x: Array, p: float) -> Array:
    return take_elements(row_distances(x, x, p), arrays.constant(upper_triangle_indices(x.shape[0]), x.device))


def pdist_backward(grad: Array, x: Array, result: Array, p: float) -> Array | None:
    """The gradient of the matrix: that of its rows as the first of a pair, with all others."""
    return row_distances_backward((True, False), in_square(grad, x), x, x, in_square(result, x), p)[0]


def in_square(pairs: Array, x: Array) -> Array:
    """Numbers of pairs of rows i < j in a symmetric matrix, 0 along the diagonal."""
    rows, above = x.shape[0], upper_triangle_indices(x.shape[0])
    positions = np.concatenate([above, above % rows * rows + above // rows])
    both = take_elements(pairs, arrays.constant(np.tile(np.arange(above.size), 2), x.device))
    return index_select_backward(both, (rows * rows,), 0, arrays.constant(positions, x.device)).reshape((rows, rows))


def power(p: float) -> float:
    return 1.0 if math.isinf(p) else float(p)


def row_distances_backward(
    output_mask: tuple[bool, ...], grad: Array, x1: Array, x2: Array, result: Array, p: float
) -> tuple[Array | None, ...]:
    grad, x1, x2, length = (in_order(a) for a in (grad, x1, x2, result))
    sizes, kind = (x1.shape[-2], x2.shape[-2], x1.shape[-1]), KINDS.get(p, 4)
    shared = length
    if kind == 3:
        shared = arrays.empty(length.shape, length.dtype, length.device)
        per_element.run(ties, length.size, length.dtype, x1, x2, length, shared, sizes)
    return (
        one_side(grad, x1, x2, length, shared, (sizes[1], 1), kind, p) if output_mask[0] else None,
        one_side(grad, x2, x1, length, shared, (1, sizes[1]), kind, p) if output_mask[1] else None,
    )


def one_side(
    grad: Array, x: Array, y: Array, length: Array, ties: Array, steps: tuple[int, int], kind: int, p: float
) -> Array:
    made = arrays.result(x, x.shape)
    sizes = x.shape[-2], y.shape[-2], x.shape[-1]
    args = grad, x, y, length, ties, made, sizes, steps, kind, power(p)
    per_element.run(distances_back, made.size, x.dtype, *args)
    return made
