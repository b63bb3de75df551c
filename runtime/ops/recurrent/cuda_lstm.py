"""One layer of long short-term memory in one direction on a device: forward, and backward through time."""

from __future__ import annotations

from collections.abc import Sequence

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching import indexed
from ...cuda.libraries.products import multiply
from ...cuda.views import swapped
from . import cuda_kernels as kernels
from .cuda_steps import (
    above,
    add_product,
    bias_gradient,
    by_gates,
    empty,
    first_rows,
    of_step,
    previous,
    projected,
    rows_of,
    started,
    state_of,
    table_of,
    totals,
    weight_gradient,
)

Array = DeviceArray
LSTM_GATES = 4  # input, forget, candidate, output


def lstm_layer(
    input: Array,
    hidden: Array,
    cell: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    weight_hr: Array | None,
    batch_sizes: tuple[int, ...],
    reverse: bool,
) -> tuple[Array, ...]:
    rows, size, width = rows_of(input), cell.shape[1], hidden.shape[1]
    n = rows.shape[0]
    gates = started(rows, totals(bias_ih, bias_hh, LSTM_GATES), n, size)
    projected(rows, by_gates(weight_ih, LSTM_GATES), gates)
    output, cells = empty(rows, n, width), empty(rows, n, size)
    state, cell = state_of(hidden, hidden), state_of(cell, cell)
    weight, projection = by_gates(weight_hh, LSTM_GATES), None if weight_hr is None else memory.contiguous(weight_hr)
    full = empty(rows, cell.shape[0], size) if projection is not None else output
    for start, count in table_of(input.shape, batch_sizes, reverse):
        add_product(first_rows(state, count), weight, of_step(gates, 1, start, count))
        own = projection is None
        args = gates, cell, cells, full, state, size, start, start if own else 0, own, n
        indexed.run(kernels.lstm_values, count * size, rows.dtype, *args)
        if projection is not None:
            now = of_step(output, 0, start, count)
            multiply(first_rows(full, count), swapped(projection), now)
            memory.copy(first_rows(state, count), now)
    return output.reshape((*input.shape[:-1], width)), state, cell, gates, cells


def lstm_layer_backward(
    output_mask: Sequence[bool],
    grads: Sequence[Array | None],
    input: Array,
    hidden: Array,
    cell: Array,
    weight_ih: Array,
    weight_hh: Array,
    weight_hr: Array | None,
    output: Array,
    gates: Array,
    cells: Array,
    batch_sizes: tuple[int, ...],
    reverse: bool,
) -> tuple[Array | None, ...]:
    table = table_of(input.shape, batch_sizes, reverse)
    rows, size, width = rows_of(input), cell.shape[1], hidden.shape[1]
    n = rows.shape[0]
    later, of_cell = state_of(grads[1], hidden), state_of(grads[2], cell)
    from_above = above(grads[0], rows, n, width)
    gates, cells = memory.contiguous(gates), memory.contiguous(cells)
    own, before = empty(rows, n, LSTM_GATES * size), previous(cells, cell, table)
    weight, projection = memory.contiguous(weight_hh), None if weight_hr is None else memory.contiguous(weight_hr)
    full = empty(rows, n, size) if projection is not None else from_above
    for start, count in reversed(table):
        indexed.run(kernels.added, count * width, rows.dtype, from_above, later, start, width)
        inside, first = from_above, start
        if projection is not None:
            inside, first = multiply(of_step(from_above, 0, start, count), projection), 0
        args = gates, cells, before, inside, of_cell, own, full, size, start, first, projection is not None, n
        indexed.run(kernels.lstm_back, count * size, rows.dtype, *args)
        multiply(of_step(own, 0, start, count), weight, first_rows(later, count))
    biases = bias_gradient(own) if output_mask[5] or output_mask[6] else None
    return (
        multiply(own, memory.contiguous(weight_ih)).reshape(tuple(input.shape)) if output_mask[0] else None,
        later if output_mask[1] else None,
        of_cell if output_mask[2] else None,
        weight_gradient(own, rows) if output_mask[3] else None,
        weight_gradient(own, previous(rows_of(output), hidden, table)) if output_mask[4] else None,
        biases if output_mask[5] else None,
        memory.copied(biases) if biases is not None and output_mask[6] else None,
        weight_gradient(from_above, full) if output_mask[7] else None,
    )
