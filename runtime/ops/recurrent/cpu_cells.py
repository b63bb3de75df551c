"""The steps of recurrent layers of all kinds: the table that loops go by, and products with weights.

`steps` has a row for each step in the order of time, or against it: (first row, rows, rows whose sequence has had a
step before). The rows of a step lie one after the other in every array over all rows; sequences are sorted by length,
so those that take part in a step are the first ones of the states. Weights are laid out in panels once for all steps.
"""

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import shared
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.matmul import PRODUCTS, UNIT, fill_panels, multiply_at, multiply_columns, multiply_rows
from ...kernels.cpu.plan import Array, Maybe
from ...kernels.llvm.addresses import address
from ...kernels.llvm.matmul_tiles import panel_width
from ..reduction.cpu import sum_dim

SEQUENCES = 4  # that one thread goes through, at least


@jit
def panels_of(weight: Array, across: bool) -> Array:
    depth, columns = weight.shape[1:][::-1] if across else weight.shape[1:]
    width = panel_width(weight.dtype.type(0))
    panels = np.empty((len(weight), (columns + width - 1) // width, depth * width), weight.dtype)
    fill_all_panels(weight, across, panels, 0, len(weight) * columns)
    return panels


@jit
def fill_all_panels(weight: Array, across: bool, panels: Array, first: int, last: int) -> None:
    """The panels of a range of the columns of all matrices of a stack, which begins and ends with panels."""
    depth, columns = weight.shape[1:][::-1] if across else weight.shape[1:]
    like, row, step, column = weight.dtype.type(0), weight.strides[1], panels.strides[1], first
    while column < last:
        k, start = column // columns, column % columns
        count, panel = min(columns - start, last - column), start // panel_width(like)
        source = address(weight) + k * weight.strides[0] + start * (row if across else weight.itemsize)
        to = address(panels) + k * panels.strides[0] + panel * step
        fill_panels(like, source, row, across, depth, count, to, step)
        column += count


@jit
def multiply_panels(a: Array, panels: Array, c: Array, rows: int, columns: int) -> None:
    """c + a b for flat a and c, and b in panels."""
    like, size, width = c.dtype.type(0), c.itemsize, panel_width(c.dtype.type(0))
    depth = panels.shape[1] // width
    if not rows or not depth:
        return
    at, to, row = address(panels), address(c), columns * size
    multiply_at(
        like, address(a), depth * size, size, at, width * size, panels.strides[0], to, row, rows, depth, columns, True
    )


@jit
def before(values: Array, initial: Array, steps: Array) -> Array:
    """For every row the values of its sequence one step before, or its initial ones."""
    result = np.empty((len(values), initial.shape[1]), initial.dtype)
    last = 0
    for start, count, old in steps:
        for i in range(count):
            copy_row(values[last + i] if i < old else initial[i], result[start + i])
        last = start
    return result


@jit
def gates_of(rows: Array, weight: Array, to: Array, add: bool, first: int, last: int) -> None:
    """to[k] = rows weight[k]^T, or to[k] + it, for a range of the columns of all gates."""
    size, column = weight.shape[1], first
    while column < last:
        k, start = column // size, column % size
        stop = min(size, start + last - column)
        multiply_columns(rows, weight[k], to[k], False, True, add, start, stop)
        column += stop - start


@jit
def inputs_backward(grads: Array, weight: Array, result: Array, first: int, last: int) -> None:
    for k in range(len(weight)):
        multiply_rows(grads[k], weight[k], result, False, False, k > 0, first, last)


@jit
def gates_weight_backward(grads: Array, gates: Array, rows: Array, result: Array, first: int, last: int) -> None:
    """result[k] = grads[gates[k]]^T rows, for a range of the rows of all results."""
    size, row = result.shape[1], first
    while row < last:
        k, start = row // size, row % size
        stop = min(size, start + last - row)
        multiply_rows(grads[gates[k]], rows, result[k], True, False, False, start, stop)
        row += stop - start


def half_of(size: int) -> int:
    """How many units of a gate stay together: half of them, so that two threads have as much of three gates, or one."""
    return size // 2 if size % 2 == 0 else size


@lru_cache(maxsize=256)
def steps_of(shape: tuple[int, ...], batch_sizes: tuple[int, ...], reverse: bool) -> Array:
    counts = np.array(batch_sizes or shape[:1] and (shape[1],) * shape[0], np.int64)
    table = np.zeros((len(counts), 3), np.int64)
    table[:, 0], table[:, 1] = np.cumsum(counts) - counts, counts
    table = table[::-1].copy() if reverse else table
    table[1:, 2] = np.minimum(table[1:, 1], table[:-1, 1])
    return table


def through_time(loops: Any, arguments: tuple[Any, ...], hidden: Array, steps: Array, gates: int) -> None:
    batch, size = hidden.shape
    shared(loops, arguments, batch, len(steps) * batch * size * size * gates // PRODUCTS, SEQUENCES)


def rows_of(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(prod(array.shape[:-1]), array.shape[-1])


def parts_of(weight: Maybe, parts: int) -> Maybe:
    if weight is None:
        return None
    return np.ascontiguousarray(weight).reshape(parts, len(weight) // parts, *weight.shape[1:])


def projected(rows: Array, weight: Any, bias: Maybe, to: Array) -> None:
    """to[k] = rows weight[k]^T + bias[k] for each gate; `to` may have more of them, which become the bias alone."""
    if bias is not None:
        to[...] = bias[:, None]
    work, size = len(rows) * weight.size // PRODUCTS, weight.shape[1]
    shared(gates_of, (rows, weight, to, bias is not None), len(weight) * size, work, half_of(size))


def input_backward(grads: Array, weight: Any) -> Array:
    result = np.empty((grads.shape[1], weight.shape[2]), grads.dtype)
    shared(inputs_backward, (grads, weight, result), len(result), grads.size * weight.shape[2] // PRODUCTS, UNIT)
    return result


def weight_backward(grads: Array, rows: Array, gates: tuple[int, ...] = ()) -> Array:
    which = np.array(gates or range(len(grads)))
    size = grads.shape[2]
    result = np.empty((len(which), size, rows.shape[1]), rows.dtype)
    count, work = len(which) * size, result.size * len(rows) // PRODUCTS
    shared(gates_weight_backward, (grads, which, rows, result), count, work, half_of(size))
    return result.reshape(count, rows.shape[1])


def bias_backward(grads: Array) -> Array:
    return sum_dim(grads, (1,), False).reshape(-1)


def state_of(value: Maybe, like: Array) -> Array:
    return np.zeros(like.shape, like.dtype) if value is None else np.array(value, order="C")


def total_bias(first: Maybe, second: Maybe, parts: int) -> Maybe:
    return None if first is None or second is None else parts_of(first + second, parts)


def above(grad_output: Maybe, rows: int, width: int, dtype: np.dtype) -> Array:
    return np.zeros((rows, width), dtype) if grad_output is None else np.array(rows_of(grad_output))


def previous(output: Array, initial: Array, steps: Array) -> Array:
    return before(rows_of(output), np.ascontiguousarray(initial), steps)
