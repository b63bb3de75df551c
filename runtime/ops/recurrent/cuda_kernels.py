"""The kernels of recurrent layers on a device: gates of a step behind its products, and back, an element a thread.

Gates and what is saved of them are (gates, rows, size); gradients of gates (rows, gates, size), so that products with
all gates are one. `start` and `count` say which rows belong to a step; `all` is the number of rows of all steps.
"""

from typing import Any

from ...kernels.cuda.language import T, cuda
from ...kernels.scalar import sigmoid, tanh

# Texts name these; a kernel has its own in their place.
index: Any = None
get_gates = get_hidden = get_cell = get_cells = get_values = get_before = get_above = get_later = get_output = index
get_initial = get_table = put_gates = put_hidden = put_cell = put_cells = put_output = put_later = put_above = index
put_grads = put_full = put_result = index


def rnn_values(output: Any, hidden: Any, size: Any, start: Any, smooth: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        at = index(index(start * size) + i)
        value = get_output(output, at)
        relu = T(0) if value <= T(0) else value  # nan stays
        value = tanh(value) if smooth else relu
        put_output(output, at, value)
        put_hidden(hidden, i, value)


def rnn_back(output: Any, above: Any, later: Any, grads: Any, size: Any, start: Any, smooth: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        at = index(index(start * size) + i)
        value = get_output(output, at)
        grad = T(get_above(above, at) + get_later(later, i))
        of_relu = grad if value > T(0) else T(0)
        put_grads(grads, at, T(grad * T(T(1) - T(value * value))) if smooth else of_relu)


def lstm_values(
    gates: Any, cell: Any, cells: Any, result: Any, hidden: Any, size: Any, start: Any, first: Any, own: Any,
    all: Any, total: Any,
) -> None:  # fmt: skip
    """One step: the gates become what their nonlinearities give; output goes to `result` and, where `own`, `hidden`.
    `first` is the row of `result` at which the step begins."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        at, step = index(index(start * size) + i), index(all * size)
        enter = sigmoid(get_gates(gates, at))
        forget = sigmoid(get_gates(gates, index(at + step)))
        candidate = tanh(get_gates(gates, index(at + index(2 * step))))
        leave = sigmoid(get_gates(gates, index(at + index(3 * step))))
        put_gates(gates, at, enter)
        put_gates(gates, index(at + step), forget)
        put_gates(gates, index(at + index(2 * step)), candidate)
        put_gates(gates, index(at + index(3 * step)), leave)
        value = T(T(forget * get_cell(cell, i)) + T(enter * candidate))
        put_cell(cell, i, value)
        put_cells(cells, at, value)
        match = T(leave * tanh(value))
        put_result(result, index(index(first * size) + i), match)
        if own:
            put_hidden(hidden, i, match)


def lstm_back(
    gates: Any, cells: Any, before: Any, above: Any, cell: Any, grads: Any, full: Any, size: Any, start: Any,
    first: Any, own: Any, all: Any, total: Any,
) -> None:  # fmt: skip
    """One step back: `above`, from row `first` on, is the gradient of what came out of the gates. `cell` holds the
    gradient of the cell after the step and gets that of the cell before; where `own`, `full` gets what came out."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        at, step = index(index(start * size) + i), index(all * size)
        enter, forget = get_gates(gates, at), get_gates(gates, index(at + step))
        candidate, leave = get_gates(gates, index(at + index(2 * step))), get_gates(gates, index(at + index(3 * step)))
        tanh_cell, grad = tanh(get_cells(cells, at)), get_above(above, index(index(first * size) + i))
        one = T(1)
        of_cell = T(get_cell(cell, i) + T(T(grad * leave) * T(one - T(tanh_cell * tanh_cell))))
        row = index(index(start * size) + i) // size
        to = index(index(index(row * 4) * size) + index(i % size))
        put_grads(grads, to, T(T(of_cell * candidate) * T(enter * T(one - enter))))
        put_grads(grads, index(to + size), T(T(of_cell * get_before(before, at)) * T(forget * T(one - forget))))
        put_grads(grads, index(to + index(2 * size)), T(T(of_cell * enter) * T(one - T(candidate * candidate))))
        put_grads(grads, index(to + index(3 * size)), T(T(grad * tanh_cell) * T(leave * T(one - leave))))
        put_cell(cell, i, T(of_cell * forget))
        if own:
            put_full(full, at, T(leave * tanh_cell))


def gru_values(gates: Any, hidden: Any, output: Any, size: Any, start: Any, all: Any, total: Any) -> None:
    """One step: gates are reset, update, candidate, and what the state gives to the candidate."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        at, step = index(index(start * size) + i), index(all * size)
        reset, update = sigmoid(get_gates(gates, at)), sigmoid(get_gates(gates, index(at + step)))
        inside = get_gates(gates, index(at + index(3 * step)))
        candidate = tanh(T(get_gates(gates, index(at + index(2 * step))) + T(reset * inside)))
        put_gates(gates, at, reset)
        put_gates(gates, index(at + step), update)
        put_gates(gates, index(at + index(2 * step)), candidate)
        result = T(candidate + T(update * T(get_hidden(hidden, i) - candidate)))
        put_output(output, at, result)
        put_hidden(hidden, i, result)


def gru_back(
    gates: Any, before: Any, above: Any, later: Any, grads: Any, size: Any, start: Any, all: Any, total: Any
) -> None:
    """One step back; `later` becomes the state's own part. Gradients are of candidate, reset, update, inside."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        at, step, one = index(index(start * size) + i), index(all * size), T(1)
        reset, update = get_gates(gates, at), get_gates(gates, index(at + step))
        candidate, inside = get_gates(gates, index(at + index(2 * step))), get_gates(gates, index(at + index(3 * step)))
        grad = T(get_above(above, at) + get_later(later, i))
        to_update = T(T(grad * T(get_before(before, at) - candidate)) * T(update * T(one - update)))
        to_candidate = T(T(grad * T(one - update)) * T(one - T(candidate * candidate)))
        put_later(later, i, T(grad * update))
        row = index(index(start * size) + i) // size
        to = index(index(index(row * 4) * size) + index(i % size))
        put_grads(grads, to, to_candidate)
        put_grads(grads, index(to + size), T(T(to_candidate * inside) * T(reset * T(one - reset))))
        put_grads(grads, index(to + index(2 * size)), to_update)
        put_grads(grads, index(to + index(3 * size)), T(to_candidate * reset))


def rows_before(values: Any, initial: Any, table: Any, result: Any, size: Any, total: Any) -> None:
    """Of each row what the table names: a row of the values, or, from -1 down, one of the initial ones."""
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        row = index(i // size)
        column = index(i - index(row * size))
        position = index(get_table(table, row))
        if position >= 0:
            put_result(result, i, get_values(values, index(index(position * size) + column)))
        else:
            put_result(result, i, get_initial(initial, index(index(index(-1 - position) * size) + column)))


def added(above: Any, later: Any, start: Any, size: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        at = index(index(start * size) + i)
        put_above(above, at, T(get_above(above, at) + get_later(later, i)))
