"""One layer of long short-term memory in one direction: forward, and backward through time."""

from collections.abc import Sequence

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.plan import Array, Maybe
from ...kernels.scalar import sigmoid, tanh
from .cpu_cells import (
    above,
    before,
    bias_backward,
    input_backward,
    multiply_panels,
    panels_of,
    parts_of,
    previous,
    projected,
    rows_of,
    state_of,
    steps_of,
    through_time,
    total_bias,
    weight_backward,
)

GATES = 4  # input, forget, candidate, output


def lstm_layer(
    input: Array, hidden: Array, cell: Array, weight_ih: Array, weight_hh: Array, bias_ih: Maybe, bias_hh: Maybe,
    weight_hr: Maybe, batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """(output, last hidden state, last cell state, gates and cell states of all rows)."""
    rows, steps = rows_of(input), steps_of(input.shape, batch_sizes, reverse)
    size = cell.shape[1]
    gates = np.empty((GATES, len(rows), size), rows.dtype)
    projected(rows, parts_of(weight_ih, GATES), total_bias(bias_ih, bias_hh, GATES), gates)
    output, cells = np.empty((len(rows), hidden.shape[1]), rows.dtype), np.empty((len(rows), size), rows.dtype)
    hidden, cell = state_of(hidden, hidden), state_of(cell, cell)
    weights = panels_of(parts_of(weight_hh, GATES), True)
    projection = _projection(weight_hr, True, rows.dtype)
    memory = gates.reshape(GATES, -1), weights, projection, steps, hidden, cell, output.reshape(-1), cells.reshape(-1)
    through_time(lstm_forward, memory, hidden, steps, GATES)
    return output.reshape(*input.shape[:-1], hidden.shape[1]), hidden, cell, gates, cells


def _projection(weight_hr: Maybe, across: bool, dtype: np.dtype) -> Array:
    if weight_hr is None:
        return np.empty((0, 0, 0), dtype)
    return panels_of(parts_of(weight_hr, 1), across)


def lstm_layer_backward(
    output_mask: Sequence[bool], grads: Sequence[Maybe], input: Array, hidden: Array, cell: Array, weight_ih: Array,
    weight_hh: Array, weight_hr: Maybe, output: Array, gates: Array, cells: Array, batch_sizes: tuple[int, ...],
    reverse: bool,
) -> tuple[Maybe, ...]:  # fmt: skip
    steps = steps_of(input.shape, batch_sizes, reverse)
    grad_hidden, grad_cell = state_of(grads[1], hidden), state_of(grads[2], cell)
    gate_grads = np.empty(gates.shape, gates.dtype)
    grad = above(grads[0], len(cells), hidden.shape[1], cells.dtype)
    full = np.empty(cells.shape if weight_hr is not None else (0, 0), cells.dtype)
    panels, projection = panels_of(parts_of(weight_hh, GATES), False), _projection(weight_hr, False, cells.dtype)
    saved = gates.reshape(GATES, -1), cells.reshape(-1), before(cells, np.ascontiguousarray(cell), steps).reshape(-1)
    inputs = *saved, panels, projection, steps, grad.reshape(-1)
    memory = *inputs, grad_hidden, grad_cell, gate_grads.reshape(GATES, -1), full.reshape(-1)
    through_time(lstm_backward, memory, hidden, steps, GATES)
    rows, biases = rows_of(input), bias_backward(gate_grads) if output_mask[5] or output_mask[6] else None
    return (
        input_backward(gate_grads, parts_of(weight_ih, GATES)).reshape(input.shape) if output_mask[0] else None,
        grad_hidden if output_mask[1] else None,
        grad_cell if output_mask[2] else None,
        weight_backward(gate_grads, rows) if output_mask[3] else None,
        weight_backward(gate_grads, previous(output, hidden, steps)) if output_mask[4] else None,
        biases if output_mask[5] else None,
        np.copy(biases) if biases is not None and output_mask[6] else None,
        weight_backward(grad[None], full) if output_mask[7] else None,
    )


@jit
def lstm_forward(
    gates: Array, weights: Array, projection: Array, steps: Array, hidden: Array, cell: Array, output: Array,
    cells: Array, first: int, last: int,
) -> None:  # fmt: skip
    """Adds the states' share to gates that hold the inputs', step by step; fills output, cells and the last states."""
    size, width = cell.shape[1], hidden.shape[1]
    h, c = hidden[first:last].reshape(-1), cell[first:last].reshape(-1)
    full = np.empty(c.size if len(projection) else 0, cell.dtype)
    for begin, entire, _ in steps:
        start, count = begin + first, min(entire, last) - first
        if count <= 0:
            continue
        low, high = start * size, (start + count) * size
        now = output[start * width : (start + count) * width]
        for k in range(len(gates)):
            multiply_panels(h, weights[k], gates[k, low:high], count, size)
        values = full[: high - low] if len(projection) else now
        i, f, g, o = gates[0, low:high], gates[1, low:high], gates[2, low:high], gates[3, low:high]
        _lstm_values(i, f, g, o, c[: high - low], cells[low:high], values)
        if len(projection):
            now[:] = 0
            multiply_panels(full, projection[0], now, count, width)
        copy_row(now, h[: now.size])


@jit
def _lstm_values(i: Array, f: Array, g: Array, o: Array, cell: Array, cells: Array, result: Array) -> None:
    """One step behind its products. LLVM vectorises loops over a few arrays only, so there are several."""
    for x in range(i.size):
        i[x] = sigmoid(i[x])
    for x in range(f.size):
        f[x] = sigmoid(f[x])
    for x in range(g.size):
        g[x] = tanh(g[x])
    for x in range(o.size):
        o[x] = sigmoid(o[x])
    for x in range(cell.size):
        cells[x] = cell[x] = f[x] * cell[x] + i[x] * g[x]
    for x in range(cell.size):
        result[x] = o[x] * tanh(cell[x])


@jit
def lstm_backward(
    gates: Array, cells: Array, cells_before: Array, weights: Array, projection: Array, steps: Array, grad: Array,
    grad_hidden: Array, grad_cell: Array, gate_grads: Array, full: Array, first: int, last: int,
) -> None:  # fmt: skip
    """Gradients of the gates before their nonlinearities; those of the last states become those of the first. `grad`,
    of the output, gets those of later steps added; with a projection `full` becomes what was projected."""
    size, width = grad_cell.shape[1], grad_hidden.shape[1]
    dh, dc = grad_hidden[first:last].reshape(-1), grad_cell[first:last].reshape(-1)
    inner, values = np.empty(dc.size if len(projection) else 0, dc.dtype), np.empty(dc.size, dc.dtype)
    for k in range(len(steps) - 1, -1, -1):
        start, count = steps[k, 0] + first, min(steps[k, 1], last) - first
        if count <= 0:
            continue
        low, high = start * size, (start + count) * size
        now, later = grad[start * width : (start + count) * width], dh[: count * width]
        for x in range(now.size):
            now[x] += later[x]
        i, f, g, o = gates[0, low:high], gates[1, low:high], gates[2, low:high], gates[3, low:high]
        gate_values, state, inside = values[: high - low], cells[low:high], now
        for x in range(gate_values.size):
            gate_values[x] = tanh(state[x])
        if len(projection):
            inside = inner[: high - low]
            inside[:] = 0
            multiply_panels(now, projection[0], inside, count, size)
            copy_row(o * gate_values, full[low:high])
        _output_backward(o, gate_values, inside, dc[: high - low], gate_grads[3, low:high])
        _cell_backward(i, f, g, cells_before[low:high], dc[: high - low], gate_grads[:3, low:high])
        later[:] = 0
        for q in range(len(gates)):
            multiply_panels(gate_grads[q, low:high], weights[q], later, count, width)


@jit
def _output_backward(o: Array, values: Array, grad: Array, grad_cell: Array, to: Array) -> None:
    """Through output = o tanh(cell), for `values` = tanh(cell): to o, and added to the cell's gradient."""
    one = grad.dtype.type(1)
    for x in range(grad.size):
        to[x] = grad[x] * values[x] * o[x] * (one - o[x])
        grad_cell[x] += grad[x] * o[x] * (one - values[x] * values[x])


@jit
def _cell_backward(i: Array, f: Array, g: Array, before: Array, grad: Array, to: Array) -> None:
    """Through cell = f before + i g; `grad` becomes the gradient of the cell before."""
    one = grad.dtype.type(1)
    to_i, to_f, to_g = to[0], to[1], to[2]
    for x in range(grad.size):
        to_i[x] = grad[x] * g[x] * i[x] * (one - i[x])
        to_g[x] = grad[x] * i[x] * (one - g[x] * g[x])
    for x in range(grad.size):
        to_f[x] = grad[x] * before[x] * f[x] * (one - f[x])
        grad[x] *= f[x]
