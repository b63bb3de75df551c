"""What recurrent layers of all kinds have in common on a device: products over all steps, and states before steps.

All is computed in the dtype that arrays are read in; weights of 16-bit floats are converted once for all steps.
"""

from functools import lru_cache
from math import prod

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import broadcast, narrowed, over, selected, swapped
from ...kernels.cuda_libraries.matmul import multiply
from ..reduction.cuda import sum_dim
from . import cuda_kernels as kernels
from .cpu_cells import steps_of

Maybe = Array | None
Table = list[tuple[int, int]]  # first row and rows of each step


def table_of(shape: tuple[int, ...], batch_sizes: tuple[int, ...], reverse: bool) -> Table:
    return [(int(start), int(count)) for start, count, _ in steps_of(shape, batch_sizes, reverse)]


def empty(like: Array, *shape: int) -> Array:
    return arrays.empty(shape, like.dtype, like.device)


def rows_of(a: Array) -> Array:
    return arrays.contiguous(a).reshape((prod(a.shape[:-1]), a.shape[-1]))


def state_of(value: Maybe, like: Array) -> Array:
    return arrays.zeros(like.shape, like.dtype, like.device) if value is None else arrays.copied(value)


def above(grad_output: Maybe, like: Array, rows: int, width: int) -> Array:
    if grad_output is None:
        return arrays.zeros((rows, width), like.dtype, like.device)
    return arrays.copied(grad_output).reshape((rows, width))


def by_gates(weight: Array, gates: int) -> Array:
    value = arrays.contiguous(weight)
    return value.reshape((gates, weight.shape[0] // gates, *weight.shape[1:]))


def first_rows(a: Array, count: int) -> Array:
    return narrowed(a, 0, 0, count)


def of_step(a: Array, dim: int, start: int, count: int) -> Array:
    return narrowed(a, dim, start, start + count)


def projected(rows: Array, weight: Array, gates: Array) -> None:
    add_product(rows, weight, narrowed(gates, 0, 0, weight.shape[0]))


def add_product(rows: Array, weight: Array, to: Array) -> None:
    every = over(rows, (weight.shape[0], *rows.shape), (0, *rows.byte_strides))
    multiply(every, swapped(weight), to, 1, 1)


def started(like: Array, biases: list[list[Array]], rows: int, size: int) -> Array:
    gates = arrays.zeros((len(biases), rows, size), like.dtype, like.device)
    for k, parts in enumerate(biases):
        for bias in parts:
            plus(selected(gates, 0, k), broadcast(bias, (rows, size)))
    return gates


def plus(to: Array, other: Array) -> None:
    value = arrays.copied(other)
    per_element.run(kernels.added, to.size, to.dtype, to, value, 0, to.shape[-1])


def biases_of(bias: Maybe, gates: int) -> list[Array]:
    if bias is None:
        return []
    parts = by_gates(bias, gates)
    return [selected(parts, 0, k) for k in range(gates)]


def totals(first: Maybe, second: Maybe, gates: int) -> list[list[Array]]:
    one, two = biases_of(first, gates), biases_of(second, gates)
    return [[one[k], two[k]] for k in range(gates)] if one and two else [[] for _ in range(gates)]


def previous(values: Array, initial: Array, table: Table) -> Array:
    rows, size = values.shape
    positions = arrays.constant(previous_positions(tuple(table), rows), values.device)
    result = empty(values, rows, size)
    args = values, arrays.contiguous(initial), positions, result, size
    per_element.run(kernels.rows_before, result.size, result.dtype, *args)
    return result


@lru_cache(maxsize=256)
def previous_positions(table: tuple[tuple[int, int], ...], rows: int) -> np.ndarray:
    """For every row the row of the step before, or -1 - k for the k-th initial one."""
    positions = np.empty(rows, np.int64)
    last, had = 0, 0
    for start, count in table:
        old = min(count, had)
        positions[start : start + old] = np.arange(last, last + old)
        positions[start + old : start + count] = -1 - np.arange(old, count)
        last, had = start, count
    return positions


def weight_gradient(grads: Array, rows: Array) -> Array:
    return multiply(swapped(grads), rows)


def bias_gradient(grads: Array) -> Array:
    return sum_dim(grads, (0,), False)
