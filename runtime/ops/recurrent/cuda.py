"""One layer of a recurrent network (GRU, LSTM, plain) in one direction on a device: forward, and back through time.

All is computed in the dtype that arrays are read in; weights of 16-bit floats are converted once for all steps.
"""

from collections.abc import Sequence
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
GRU_GATES = 3  # reset, update, candidate; kept with a fourth, what the state gives to the candidate


def gru_layer(
    input: Array, hidden: Array, weight_ih: Array, weight_hh: Array, bias_ih: Maybe, bias_hh: Maybe,
    batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Array, ...]:  # fmt: skip
    rows, size = rows_of(input), hidden.shape[1]
    n = rows.shape[0]
    gates = started(rows, biases(bias_ih, bias_hh), n, size)
    projected(rows, by_gates(weight_ih, GRU_GATES), gates)
    output, state, weight = empty(rows, n, size), state_of(hidden, hidden), by_gates(weight_hh, GRU_GATES)
    both, last = narrowed(weight, 0, 0, 2), narrowed(weight, 0, 2, 3)
    for start, count in table_of(input.shape, batch_sizes, reverse):
        now, old = of_step(gates, 1, start, count), first_rows(state, count)
        add_product(old, both, narrowed(now, 0, 0, 2))
        add_product(old, last, narrowed(now, 0, 3, 4))
        per_element.run(kernels.gru_values, count * size, rows.dtype, gates, state, output, size, start, n)
    return output.reshape((*input.shape[:-1], size)), state, gates


def biases(bias_ih: Maybe, bias_hh: Maybe) -> list[list[Array]]:
    first, second = biases_of(bias_ih, GRU_GATES), biases_of(bias_hh, GRU_GATES)
    if not first or not second:
        return [[] for _ in range(GRU_GATES + 1)]
    return [[first[0], second[0]], [first[1], second[1]], [first[2]], [second[2]]]


def gru_layer_backward(
    output_mask: Sequence[bool], grads: Sequence[Maybe], input: Array, hidden: Array, weight_ih: Array,
    weight_hh: Array, output: Array, gates: Array, batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Maybe, ...]:  # fmt: skip
    table = table_of(input.shape, batch_sizes, reverse)
    rows, size = rows_of(input), hidden.shape[1]
    n = rows.shape[0]
    later, states = state_of(grads[1], hidden), previous(rows_of(output), hidden, table)
    from_above, gates = above(grads[0], rows, n, size), arrays.contiguous(gates)
    own, weight = empty(rows, n, (GRU_GATES + 1) * size), arrays.contiguous(weight_hh)
    of_state = narrowed(own, 1, size, (GRU_GATES + 1) * size)  # reset, update, inside
    for start, count in reversed(table):
        args = gates, states, from_above, later, own, size, start, n
        per_element.run(kernels.gru_back, count * size, rows.dtype, *args)
        multiply(of_step(of_state, 0, start, count), weight, first_rows(later, count), 1, 1)
    both, last = narrowed(own, 1, size, 3 * size), narrowed(own, 1, 0, size)
    sums = bias_gradient(own) if output_mask[4] or output_mask[5] else None
    return (
        input_gradient(both, last, weight_ih).reshape(tuple(input.shape)) if output_mask[0] else None,
        later if output_mask[1] else None,
        below(weight_gradient(both, rows), weight_gradient(last, rows)) if output_mask[2] else None,
        weight_gradient(of_state, states) if output_mask[3] else None,
        below(sums[size : 3 * size], sums[:size]) if sums is not None and output_mask[4] else None,
        arrays.copied(sums[size:]) if sums is not None and output_mask[5] else None,
    )


def input_gradient(both: Array, last: Array, weight_ih: Array) -> Array:
    weight, size = arrays.contiguous(weight_ih), last.shape[1]
    result = multiply(both, narrowed(weight, 0, 0, 2 * size))
    return multiply(last, narrowed(weight, 0, 2 * size, 3 * size), result, 1, 1)


def below(one: Array, other: Array) -> Array:
    rows = one.shape[0]
    result = empty(one, rows + other.shape[0], *one.shape[1:])
    arrays.copy(narrowed(result, 0, 0, rows), one)
    arrays.copy(narrowed(result, 0, rows, result.shape[0]), other)
    return result


LSTM_GATES = 4  # input, forget, candidate, output


def lstm_layer(
    input: Array, hidden: Array, cell: Array, weight_ih: Array, weight_hh: Array, bias_ih: Maybe, bias_hh: Maybe,
    weight_hr: Maybe, batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Array, ...]:  # fmt: skip
    rows, size, width = rows_of(input), cell.shape[1], hidden.shape[1]
    n = rows.shape[0]
    gates = started(rows, totals(bias_ih, bias_hh, LSTM_GATES), n, size)
    projected(rows, by_gates(weight_ih, LSTM_GATES), gates)
    output, cells = empty(rows, n, width), empty(rows, n, size)
    state, cell = state_of(hidden, hidden), state_of(cell, cell)
    weight, projection = by_gates(weight_hh, LSTM_GATES), None if weight_hr is None else arrays.contiguous(weight_hr)
    full = empty(rows, cell.shape[0], size) if projection is not None else output
    for start, count in table_of(input.shape, batch_sizes, reverse):
        add_product(first_rows(state, count), weight, of_step(gates, 1, start, count))
        own = projection is None
        args = gates, cell, cells, full, state, size, start, start if own else 0, own, n
        per_element.run(kernels.lstm_values, count * size, rows.dtype, *args)
        if projection is not None:
            now = of_step(output, 0, start, count)
            multiply(first_rows(full, count), swapped(projection), now)
            arrays.copy(first_rows(state, count), now)
    return output.reshape((*input.shape[:-1], width)), state, cell, gates, cells


def lstm_layer_backward(
    output_mask: Sequence[bool], grads: Sequence[Maybe], input: Array, hidden: Array, cell: Array, weight_ih: Array,
    weight_hh: Array, weight_hr: Maybe, output: Array, gates: Array, cells: Array, batch_sizes: tuple[int, ...],
    reverse: bool,
) -> tuple[Maybe, ...]:  # fmt: skip
    table = table_of(input.shape, batch_sizes, reverse)
    rows, size, width = rows_of(input), cell.shape[1], hidden.shape[1]
    n = rows.shape[0]
    later, of_cell = state_of(grads[1], hidden), state_of(grads[2], cell)
    from_above = above(grads[0], rows, n, width)
    gates, cells = arrays.contiguous(gates), arrays.contiguous(cells)
    own, before = empty(rows, n, LSTM_GATES * size), previous(cells, cell, table)
    weight, projection = arrays.contiguous(weight_hh), None if weight_hr is None else arrays.contiguous(weight_hr)
    full = empty(rows, n, size) if projection is not None else from_above
    for start, count in reversed(table):
        per_element.run(kernels.added, count * width, rows.dtype, from_above, later, start, width)
        inside, first = from_above, start
        if projection is not None:
            inside, first = multiply(of_step(from_above, 0, start, count), projection), 0
        args = gates, cells, before, inside, of_cell, own, full, size, start, first, projection is not None, n
        per_element.run(kernels.lstm_back, count * size, rows.dtype, *args)
        multiply(of_step(own, 0, start, count), weight, first_rows(later, count))
    biases = bias_gradient(own) if output_mask[5] or output_mask[6] else None
    return (
        multiply(own, arrays.contiguous(weight_ih)).reshape(tuple(input.shape)) if output_mask[0] else None,
        later if output_mask[1] else None,
        of_cell if output_mask[2] else None,
        weight_gradient(own, rows) if output_mask[3] else None,
        weight_gradient(own, previous(rows_of(output), hidden, table)) if output_mask[4] else None,
        biases if output_mask[5] else None,
        arrays.copied(biases) if biases is not None and output_mask[6] else None,
        weight_gradient(from_above, full) if output_mask[7] else None,
    )


def rnn_layer(
    input: Array, hidden: Array, weight_ih: Array, weight_hh: Array, bias_ih: Maybe, bias_hh: Maybe,
    batch_sizes: tuple[int, ...], reverse: bool, nonlinearity: str,
) -> tuple[Array, Array]:  # fmt: skip
    rows, size = rows_of(input), hidden.shape[1]
    output = started(rows, totals(bias_ih, bias_hh, 1), rows.shape[0], size)
    projected(rows, by_gates(weight_ih, 1), output)
    state, weight = state_of(hidden, hidden), by_gates(weight_hh, 1)
    for start, count in table_of(input.shape, batch_sizes, reverse):
        add_product(first_rows(state, count), weight, of_step(output, 1, start, count))
        args = output, state, size, start, nonlinearity == "tanh"
        per_element.run(kernels.rnn_values, count * size, output.dtype, *args)
    return output.reshape((*input.shape[:-1], size)), state


def rnn_layer_backward(
    output_mask: Sequence[bool], grads: Sequence[Maybe], input: Array, hidden: Array, weight_ih: Array,
    weight_hh: Array, output: Array, batch_sizes: tuple[int, ...], reverse: bool, nonlinearity: str,
) -> tuple[Maybe, ...]:  # fmt: skip
    rows, size = rows_of(input), hidden.shape[1]
    table = table_of(input.shape, batch_sizes, reverse)
    later, values = state_of(grads[1], hidden), rows_of(output)
    from_above = above(grads[0], rows, rows.shape[0], size)
    own, weight = empty(rows, rows.shape[0], size), arrays.contiguous(weight_hh)
    for start, count in reversed(table):
        args = values, from_above, later, own, size, start, nonlinearity == "tanh"
        per_element.run(kernels.rnn_back, count * size, own.dtype, *args)
        multiply(of_step(own, 0, start, count), weight, first_rows(later, count))
    biases = bias_gradient(own) if output_mask[4] or output_mask[5] else None
    return (
        multiply(own, arrays.contiguous(weight_ih)).reshape(tuple(input.shape)) if output_mask[0] else None,
        later if output_mask[1] else None,
        weight_gradient(own, rows) if output_mask[2] else None,
        weight_gradient(own, previous(values, hidden, table)) if output_mask[3] else None,
        biases if output_mask[4] else None,
        arrays.copied(biases) if biases is not None and output_mask[5] else None,
    )


# ---- what layers of all kinds have in common: products over all steps, and states before steps -----------------------


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
