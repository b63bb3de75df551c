"""One layer of a plain recurrent network in one direction on a device: forward, and backward through time."""

from __future__ import annotations

from collections.abc import Sequence

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching import indexed
from ...cuda.libraries.products import multiply
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


def rnn_layer(
    input: Array,
    hidden: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    batch_sizes: tuple[int, ...],
    reverse: bool,
    nonlinearity: str,
) -> tuple[Array, Array]:
    rows, size = rows_of(input), hidden.shape[1]
    output = started(rows, totals(bias_ih, bias_hh, 1), rows.shape[0], size)
    projected(rows, by_gates(weight_ih, 1), output)
    state, weight = state_of(hidden, hidden), by_gates(weight_hh, 1)
    for start, count in table_of(input.shape, batch_sizes, reverse):
        add_product(first_rows(state, count), weight, of_step(output, 1, start, count))
        args = output, state, size, start, nonlinearity == "tanh"
        indexed.run(kernels.rnn_values, count * size, output.dtype, *args)
    return output.reshape((*input.shape[:-1], size)), state


def rnn_layer_backward(
    output_mask: Sequence[bool],
    grads: Sequence[Array | None],
    input: Array,
    hidden: Array,
    weight_ih: Array,
    weight_hh: Array,
    output: Array,
    batch_sizes: tuple[int, ...],
    reverse: bool,
    nonlinearity: str,
) -> tuple[Array | None, ...]:
    rows, size = rows_of(input), hidden.shape[1]
    table = table_of(input.shape, batch_sizes, reverse)
    later, values = state_of(grads[1], hidden), rows_of(output)
    from_above = above(grads[0], rows, rows.shape[0], size)
    own, weight = empty(rows, rows.shape[0], size), memory.contiguous(weight_hh)
    for start, count in reversed(table):
        args = values, from_above, later, own, size, start, nonlinearity == "tanh"
        indexed.run(kernels.rnn_back, count * size, own.dtype, *args)
        multiply(of_step(own, 0, start, count), weight, first_rows(later, count))
    biases = bias_gradient(own) if output_mask[4] or output_mask[5] else None
    return (
        multiply(own, memory.contiguous(weight_ih)).reshape(tuple(input.shape)) if output_mask[0] else None,
        later if output_mask[1] else None,
        weight_gradient(own, rows) if output_mask[2] else None,
        weight_gradient(own, previous(values, hidden, table)) if output_mask[3] else None,
        biases if output_mask[4] else None,
        memory.copied(biases) if biases is not None and output_mask[5] else None,
    )
