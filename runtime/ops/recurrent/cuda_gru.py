"""One layer of gated recurrent units in one direction on a device: forward, and backward through time."""

from __future__ import annotations

from collections.abc import Sequence

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching import indexed
from ...cuda.libraries.products import multiply
from ...cuda.views import narrowed
from . import cuda_kernels as kernels
from .cuda_steps import (
    above,
    add_product,
    bias_gradient,
    biases_of,
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
    weight_gradient,
)

Array = DeviceArray
GRU_GATES = 3  # reset, update, candidate; kept with a fourth, what the state gives to the candidate


def gru_layer(
    input: Array,
    hidden: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    batch_sizes: tuple[int, ...],
    reverse: bool,
) -> tuple[Array, ...]:
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
        indexed.run(kernels.gru_values, count * size, rows.dtype, gates, state, output, size, start, n)
    return output.reshape((*input.shape[:-1], size)), state, gates


def biases(bias_ih: Array | None, bias_hh: Array | None) -> list[list[Array]]:
    """Biases of the gates: both of each, but for the candidate each by itself."""
    first, second = biases_of(bias_ih, GRU_GATES), biases_of(bias_hh, GRU_GATES)
    if not first or not second:
        return [[] for _ in range(GRU_GATES + 1)]
    return [[first[0], second[0]], [first[1], second[1]], [first[2]], [second[2]]]


def gru_layer_backward(
    output_mask: Sequence[bool],
    grads: Sequence[Array | None],
    input: Array,
    hidden: Array,
    weight_ih: Array,
    weight_hh: Array,
    output: Array,
    gates: Array,
    batch_sizes: tuple[int, ...],
    reverse: bool,
) -> tuple[Array | None, ...]:
    table = table_of(input.shape, batch_sizes, reverse)
    rows, size = rows_of(input), hidden.shape[1]
    n = rows.shape[0]
    later, states = state_of(grads[1], hidden), previous(rows_of(output), hidden, table)
    from_above, gates = above(grads[0], rows, n, size), memory.contiguous(gates)
    own, weight = empty(rows, n, (GRU_GATES + 1) * size), memory.contiguous(weight_hh)
    of_state = narrowed(own, 1, size, (GRU_GATES + 1) * size)  # reset, update, inside
    for start, count in reversed(table):
        args = gates, states, from_above, later, own, size, start, n
        indexed.run(kernels.gru_back, count * size, rows.dtype, *args)
        multiply(of_step(of_state, 0, start, count), weight, first_rows(later, count), 1, 1)
    both, last = narrowed(own, 1, size, 3 * size), narrowed(own, 1, 0, size)
    sums = bias_gradient(own) if output_mask[4] or output_mask[5] else None
    return (
        input_gradient(both, last, weight_ih).reshape(tuple(input.shape)) if output_mask[0] else None,
        later if output_mask[1] else None,
        below(weight_gradient(both, rows), weight_gradient(last, rows)) if output_mask[2] else None,
        weight_gradient(of_state, states) if output_mask[3] else None,
        below(sums[size : 3 * size], sums[:size]) if sums is not None and output_mask[4] else None,
        memory.copied(sums[size:]) if sums is not None and output_mask[5] else None,
    )


def input_gradient(both: Array, last: Array, weight_ih: Array) -> Array:
    """The gradient of all rows, from those of reset and update, and of the candidate."""
    weight, size = memory.contiguous(weight_ih), last.shape[1]
    result = multiply(both, narrowed(weight, 0, 0, 2 * size))
    return multiply(last, narrowed(weight, 0, 2 * size, 3 * size), result, 1, 1)


def below(one: Array, other: Array) -> Array:
    rows = one.shape[0]
    result = empty(one, rows + other.shape[0], *one.shape[1:])
    memory.copy(narrowed(result, 0, 0, rows), one)
    memory.copy(narrowed(result, 0, rows, result.shape[0]), other)
    return result
