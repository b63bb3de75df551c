"""The loops of recurrent layers as plans call them, for sequences that are all of one length.

`X_states` takes gates (of an RNN outputs) that hold the inputs' share, `X_gradients` memory with results' gradients.
"""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_run
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.matmul_tiles import panel_width
from .cpu_cells import fill_all_panels, gates_of, gates_weight_backward, inputs_backward
from .cpu_gru import gru_backward, gru_forward
from .cpu_lstm import lstm_backward, lstm_forward
from .cpu_rnn import rnn_backward, rnn_forward


@jit
def steps_between(steps: int, batch: int, reverse: int) -> Array:
    """The table of steps that all sequences take part in: see cpu_cells.py."""
    table = np.empty((steps, 3), np.int64)
    for k in range(steps):
        table[k, 0] = (steps - 1 - k if reverse else k) * batch
        table[k, 1] = batch
        table[k, 2] = batch if k else 0
    return table


@jit
def panels_in(memory: Array, parts: int, depth: int, columns: int) -> Array:
    width = panel_width(memory.dtype.type(0))
    count = (columns + width - 1) // width
    return part_of(memory, 0, parts * count * depth * width).reshape((parts, count, depth * width))


@jit
def panels_filled(
    weight: Array, panels: Array, parts: int, rows: int, columns: int, across: int, first: int, last: int
) -> None:
    depth, wide = (columns, rows) if across else (rows, columns)
    stack = part_of(weight, 0, parts * rows * columns).reshape((parts, rows, columns))
    fill_all_panels(stack, across != 0, panels_in(panels, parts, depth, wide), first, last)


@jit
def copied_or_zero(value: Array, out: Array, first: int, last: int) -> None:
    if not value.size:
        out[first:last] = 0
    else:
        copy_run(value, first, out, first, last - first)


@jit
def run_copied(source: Array, out: Array, start: int, position: int, count: int) -> None:
    copy_run(source, start, out, position, count)


@jit
def biases_repeated(
    one: Array, other: Array, gates: Array, parts: int, gap: int, rows: int, size: int, first: int, last: int
) -> None:
    """A range of the rows of all gates made both biases; the last gate, if kept in two parts, has one in each."""
    for i in range(first, last):
        k, row = i // rows, part_of(gates, i * size, size)
        with_one, with_other = k < parts, k < parts - gap or k == parts
        bias = part_of(one, k * size, size) if with_one else part_of(other, (k - gap) * size, size)
        for j in range(size):
            row[j] = bias[j]
        if with_one and with_other:
            more = part_of(other, k * size, size)
            for j in range(size):
                row[j] += more[j]


@jit
def inputs_projected(
    rows: Array, weight: Array, gates: Array, parts: int, count: int, depth: int, size: int, add: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """gates[k] (+)= rows weight[k]^T for a range of all columns; gates beyond `parts` become 0 without `add`."""
    if not add and last == parts * size:
        gates[parts * count * size :] = 0
    value = part_of(rows, 0, count * depth).reshape((count, depth))
    stack = part_of(weight, 0, parts * size * depth).reshape((parts, size, depth))
    made = part_of(gates, 0, parts * count * size).reshape((parts, count, size))
    gates_of(value, stack, made, add != 0, first, last)


@jit
def inputs_gradient(
    grads: Array, weight: Array, out: Array, parts: int, count: int, depth: int, size: int, first: int, last: int
) -> None:
    value = part_of(grads, 0, parts * count * size).reshape((parts, count, size))
    stack = part_of(weight, 0, parts * size * depth).reshape((parts, size, depth))
    inputs_backward(value, stack, out.reshape((count, depth)), first, last)


@jit
def weights_gradient(
    grads: Array, rows: Array, out: Array, parts: int, gap: int, count: int, depth: int, size: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """out[k] = grads[k]^T rows, for a range of the rows of all; the last gate is `gap` places further."""
    which = np.arange(parts)
    which[-1] += gap
    value = part_of(grads, 0, (parts + gap) * count * size).reshape((parts + gap, count, size))
    values = part_of(rows, 0, count * depth).reshape((count, depth))
    gates_weight_backward(value, which, values, out.reshape((parts, size, depth)), first, last)


@jit
def values_before(
    values: Array, initial: Array, out: Array, count: int, step: int, reverse: int, first: int, last: int
) -> None:
    """For a range of `count` elements the values one step, of `step` elements, before, or the initial ones."""
    edge = count - step if reverse else step
    split = min(max(edge, first), last)
    if reverse:
        copy_run(values, first + step, out, first, split - first)
        copy_run(initial, split - edge, out, split, last - split)
    else:
        copy_run(initial, first, out, first, split - first)
        copy_run(values, split - step, out, split, last - split)


@jit
def begun(initial: Array, state: Array, batch: int, size: int, first: int, last: int) -> Array:
    copy_run(initial, first * size, state, first * size, (last - first) * size)
    return part_of(state, 0, batch * size).reshape((batch, size))


@jit
def rnn_states(
    initial: Array, output: Array, hidden: Array, panels: Array, steps: int, batch: int, size: int, reverse: int,
    smooth: int, first: int, last: int,
) -> None:  # fmt: skip
    state, table = begun(initial, hidden, batch, size, first, last), steps_between(steps, batch, reverse)
    rnn_forward(panels_in(panels, 1, size, size)[0], table, state, output, smooth != 0, first, last)


@jit
def rnn_gradients(
    output: Array, gate_grads: Array, grad_hidden: Array, panels: Array, steps: int, batch: int, size: int,
    reverse: int, smooth: int, first: int, last: int,
) -> None:  # fmt: skip
    state, table = grad_hidden.reshape((batch, size)), steps_between(steps, batch, reverse)
    weights = panels_in(panels, 1, size, size)[0]
    rnn_backward(output, weights, table, gate_grads, state, smooth != 0, first, last)


@jit
def lstm_states(
    initial: Array, initial_cell: Array, gates: Array, output: Array, hidden: Array, cell: Array, cells: Array,
    panels: Array, steps: int, batch: int, size: int, reverse: int, first: int, last: int,
) -> None:  # fmt: skip
    state, table = begun(initial, hidden, batch, size, first, last), steps_between(steps, batch, reverse)
    memory, none = begun(initial_cell, cell, batch, size, first, last), np.empty((0, 0, 0), output.dtype)
    weights, stack = panels_in(panels, 4, size, size), gates.reshape((4, steps * batch * size))
    lstm_forward(stack, weights, none, table, state, memory, output, cells, first, last)


@jit
def lstm_gradients(
    gates: Array, cells: Array, cells_before: Array, gate_grads: Array, grad: Array, grad_hidden: Array,
    grad_cell: Array, panels: Array, steps: int, batch: int, size: int, reverse: int, first: int, last: int,
) -> None:  # fmt: skip
    count, table = steps * batch * size, steps_between(steps, batch, reverse)
    none, full, weights = np.empty((0, 0, 0), gates.dtype), np.empty(0, gates.dtype), panels_in(panels, 4, size, size)
    stack, result = part_of(gates, 0, 4 * count).reshape((4, count)), gate_grads.reshape((4, count))
    state, memory = grad_hidden.reshape((batch, size)), grad_cell.reshape((batch, size))
    lstm_backward(stack, cells, cells_before, weights, none, table, grad, state, memory, result, full, first, last)


@jit
def gru_states(
    initial: Array, gates: Array, output: Array, hidden: Array, panels: Array, steps: int, batch: int, size: int,
    reverse: int, first: int, last: int,
) -> None:  # fmt: skip
    state, table = begun(initial, hidden, batch, size, first, last), steps_between(steps, batch, reverse)
    weights, stack = panels_in(panels, 3, size, size), gates.reshape((4, steps * batch * size))
    gru_forward(stack, weights, table, state, output, first, last)


@jit
def gru_gradients(
    gates: Array, states: Array, gate_grads: Array, grad: Array, grad_hidden: Array, panels: Array, steps: int,
    batch: int, size: int, reverse: int, first: int, last: int,
) -> None:  # fmt: skip
    count, table = steps * batch * size, steps_between(steps, batch, reverse)
    stack, result = part_of(gates, 0, 4 * count).reshape((4, count)), gate_grads.reshape((4, count))
    weights, state = panels_in(panels, 3, size, size), grad_hidden.reshape((batch, size))
    gru_backward(stack, states, weights, table, grad, state, result, first, last)
