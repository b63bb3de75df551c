"""One layer of a plain recurrent network in one direction: forward, and backward through time."""

from collections.abc import Sequence

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.plan import Array, Maybe
from ...kernels.scalar import tanh
from .cpu_cells import (
    above,
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


def rnn_layer(
    input: Array, hidden: Array, weight_ih: Array, weight_hh: Array, bias_ih: Maybe, bias_hh: Maybe,
    batch_sizes: tuple[int, ...], reverse: bool, nonlinearity: str,
) -> tuple[Array, Array]:  # fmt: skip
    rows, steps = rows_of(input), steps_of(input.shape, batch_sizes, reverse)
    output = np.empty((1, len(rows), hidden.shape[1]), rows.dtype)
    projected(rows, parts_of(weight_ih, 1), total_bias(bias_ih, bias_hh, 1), output)
    hidden = state_of(hidden, hidden)
    panels = panels_of(parts_of(weight_hh, 1), True)
    memory = panels[0], steps, hidden, output.reshape(-1), nonlinearity == "tanh"
    through_time(rnn_forward, memory, hidden, steps, 1)
    return output.reshape(*input.shape[:-1], hidden.shape[1]), hidden


def rnn_layer_backward(
    output_mask: Sequence[bool], grads: Sequence[Maybe], input: Array, hidden: Array, weight_ih: Array,
    weight_hh: Array, output: Array, batch_sizes: tuple[int, ...], reverse: bool, nonlinearity: str,
) -> tuple[Maybe, ...]:  # fmt: skip
    steps, grad_hidden, rows = steps_of(input.shape, batch_sizes, reverse), state_of(grads[1], hidden), rows_of(input)
    gate_grads = above(grads[0], len(rows), hidden.shape[1], rows.dtype)[None]
    panels = panels_of(parts_of(weight_hh, 1), False)
    memory = rows_of(output).reshape(-1), panels[0], steps, gate_grads.reshape(-1), grad_hidden, nonlinearity == "tanh"
    through_time(rnn_backward, memory, hidden, steps, 1)
    biases = bias_backward(gate_grads) if output_mask[4] or output_mask[5] else None
    return (
        input_backward(gate_grads, parts_of(weight_ih, 1)).reshape(input.shape) if output_mask[0] else None,
        grad_hidden if output_mask[1] else None,
        weight_backward(gate_grads, rows) if output_mask[2] else None,
        weight_backward(gate_grads, previous(output, hidden, steps)) if output_mask[3] else None,
        biases if output_mask[4] else None,
        np.copy(biases) if biases is not None and output_mask[5] else None,
    )


@jit
def rnn_forward(panels: Array, steps: Array, hidden: Array, output: Array, smooth: bool, first: int, last: int) -> None:
    """Adds the states' share to outputs that hold the inputs', step by step; `hidden` becomes the last state."""
    size, h = hidden.shape[1], hidden[first:last].reshape(-1)
    for begin, full, _ in steps:
        start, count = begin + first, min(full, last) - first
        if count <= 0:
            continue
        now = output[start * size : (start + count) * size]
        multiply_panels(h, panels, now, count, size)
        if smooth:
            for x in range(now.size):
                now[x] = tanh(now[x])
        else:
            for x in range(now.size):
                now[x] = now[x] if not now[x] <= 0 else now.dtype.type(0)  # nan stays
        copy_row(now, h[: now.size])


@jit
def rnn_backward(
    output: Array, panels: Array, steps: Array, gate_grads: Array, grad_hidden: Array, smooth: bool, first: int,
    last: int,
) -> None:  # fmt: skip
    """`gate_grads` holds the gradients of the output and becomes those of what the nonlinearity is applied to."""
    size, dh, one = grad_hidden.shape[1], grad_hidden[first:last].reshape(-1), output.dtype.type(1)
    for k in range(len(steps) - 1, -1, -1):
        start, count = steps[k, 0] + first, min(steps[k, 1], last) - first
        if count <= 0:
            continue
        low, high = start * size, (start + count) * size
        now, later, values = gate_grads[low:high], dh[: high - low], output[low:high]
        if smooth:
            for x in range(now.size):
                now[x] = (now[x] + later[x]) * (one - values[x] * values[x])
        else:
            for x in range(now.size):
                now[x] = now[x] + later[x] if values[x] > 0 else values.dtype.type(0)
        later[:] = 0
        multiply_panels(now, panels, later, count, size)
