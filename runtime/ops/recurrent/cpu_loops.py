"""What the loops over the steps of recurrent layers share: products with weights that are laid out once for all steps.

`steps` has a row for each step in the order of time, or against it: (first row, rows, rows whose sequence has had a
step before). The rows of a step lie one after the other in every array over all rows; sequences are sorted by length,
so those that take part in a step are the first ones of the states.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.matmul import fill_panels, multiply_at, multiply_rows
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address
from ...kernels.llvm.tiles import panel_width

Array = np.ndarray


@jit
def panels_of(weight: Array, across: bool) -> Array:
    """The matrices of a stack as panels, each transposed first where they lie across."""
    depth, columns = weight.shape[1:][::-1] if across else weight.shape[1:]
    width = panel_width(weight.dtype.type(0))
    panels = np.empty((len(weight), (columns + width - 1) // width, depth * width), weight.dtype)
    for k in range(len(weight)):
        fill_panels(weight[k], across, 0, depth, 0, columns, panels[k])
    return panels


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
        result[start : start + old] = values[last : last + old]
        result[start + old : start + count] = initial[old:count]
        last = start
    return result


@jit
def gates_of(rows: Array, weight: Array, to: Array, add: bool, first: int, last: int) -> None:
    """to[k] = rows weight[k]^T, or to[k] + it, for a range of gates."""
    for k in range(first, last):
        multiply_rows(rows, weight[k], to[k], False, True, add, 0, len(rows))


@jit
def slopes_of_inputs(grads: Array, weight: Array, result: Array, first: int, last: int) -> None:
    """result = sum_k grads[k] weight[k], for a range of rows."""
    for k in range(len(weight)):
        multiply_rows(grads[k], weight[k], result, False, False, k > 0, first, last)


@jit
def slopes_of_weights(grads: Array, gates: Array, rows: Array, result: Array, first: int, last: int) -> None:
    """result[k] = grads[gates[k]]^T rows, for a range of k."""
    for k in range(first, last):
        multiply_rows(grads[gates[k]], rows, result[k], True, False, False, 0, result.shape[1])
