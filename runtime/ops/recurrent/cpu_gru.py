"""One layer of gated recurrent units in one direction: forward, and backward through time."""

from collections.abc import Sequence

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.plan import Array, Maybe
from ...kernels.scalar import sigmoid, tanh
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
    weight_backward,
)

GATES = 3  # reset, update, candidate; kept with a fourth, what the state gives to the candidate


def gru_layer(
    input: Array, hidden: Array, weight_ih: Array, weight_hh: Array, bias_ih: Maybe, bias_hh: Maybe,
    batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """(output, last hidden state, gates of all rows)."""
    rows, steps = rows_of(input), steps_of(input.shape, batch_sizes, reverse)
    gates = np.zeros((GATES + 1, len(rows), hidden.shape[1]), rows.dtype)
    projected(rows, parts_of(weight_ih, GATES), _biases(bias_ih, bias_hh), gates)
    output = np.empty((len(rows), hidden.shape[1]), rows.dtype)
    hidden = state_of(hidden, hidden)
    panels = panels_of(parts_of(weight_hh, GATES), True)
    memory = gates.reshape(GATES + 1, -1), panels, steps, hidden, output.reshape(-1)
    through_time(gru_forward, memory, hidden, steps, GATES)
    return output.reshape(*input.shape[:-1], hidden.shape[1]), hidden, gates


def _biases(bias_ih: Maybe, bias_hh: Maybe) -> Maybe:
    if bias_ih is None or bias_hh is None:
        return None
    first, second = (np.asarray(parts_of(bias, GATES)) for bias in (bias_ih, bias_hh))
    return np.concatenate([first[:2] + second[:2], first[2:], second[2:]])


def gru_layer_backward(
    output_mask: Sequence[bool], grads: Sequence[Maybe], input: Array, hidden: Array, weight_ih: Array,
    weight_hh: Array, output: Array, gates: Array, batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Maybe, ...]:  # fmt: skip
    steps, grad_hidden = steps_of(input.shape, batch_sizes, reverse), state_of(grads[1], hidden)
    gate_grads, rows, states = np.empty(gates.shape, gates.dtype), rows_of(input), previous(output, hidden, steps)
    panels = panels_of(parts_of(weight_hh, GATES), False)
    grad = above(grads[0], len(states), hidden.shape[1], gates.dtype)
    inputs = gates.reshape(GATES + 1, -1), states.reshape(-1), panels, steps, grad.reshape(-1)
    memory = *inputs, grad_hidden, gate_grads.reshape(GATES + 1, -1)
    through_time(gru_backward, memory, hidden, steps, GATES)
    biases = bias_backward(gate_grads).reshape(GATES + 1, -1) if output_mask[4] or output_mask[5] else gate_grads[:, 0]
    return (
        input_backward(gate_grads[:GATES], parts_of(weight_ih, GATES)).reshape(input.shape) if output_mask[0] else None,
        grad_hidden if output_mask[1] else None,
        weight_backward(gate_grads[:GATES], rows) if output_mask[2] else None,
        weight_backward(gate_grads, states, (0, 1, 3)) if output_mask[3] else None,
        biases[:GATES].copy() if output_mask[4] else None,
        np.concatenate([biases[:2], biases[3:]]) if output_mask[5] else None,
    )


@jit
def gru_forward(
    gates: Array, weights: Array, steps: Array, hidden: Array, output: Array, first: int, last: int
) -> None:
    """Adds the states' share to gates that hold the inputs', step by step; fills output and the last state."""
    size, h = hidden.shape[1], hidden[first:last].reshape(-1)
    for begin, full, _ in steps:
        start, count = begin + first, min(full, last) - first
        if count <= 0:
            continue
        low, high = start * size, (start + count) * size
        for k in range(len(weights)):
            multiply_panels(h, weights[k], gates[k + k // 2, low:high], count, size)
        now, state = output[low:high], h[: high - low]
        _gru_values(gates[0, low:high], gates[1, low:high], gates[2, low:high], gates[3, low:high], state, now)
        copy_row(now, state)


@jit
def _gru_values(r: Array, z: Array, n: Array, inside: Array, state: Array, result: Array) -> None:
    """One step behind its products. LLVM vectorises loops over a few arrays only, so there are several."""
    for x in range(r.size):
        r[x] = sigmoid(r[x])
    for x in range(z.size):
        z[x] = sigmoid(z[x])
    for x in range(n.size):
        n[x] = tanh(n[x] + r[x] * inside[x])
    for x in range(result.size):
        result[x] = n[x] + z[x] * (state[x] - n[x])


@jit
def gru_backward(
    gates: Array, states: Array, weights: Array, steps: Array, grad: Array, grad_hidden: Array, gate_grads: Array,
    first: int, last: int,
) -> None:  # fmt: skip
    """Gradients of the gates before their nonlinearities; `grad_hidden` becomes that of the first state."""
    size, dh = grad_hidden.shape[1], grad_hidden[first:last].reshape(-1)
    for k in range(len(steps) - 1, -1, -1):
        start, count = steps[k, 0] + first, min(steps[k, 1], last) - first
        if count <= 0:
            continue
        low, high = start * size, (start + count) * size
        now, above = dh[: high - low], grad[low:high]
        for x in range(now.size):
            now[x] += above[x]
        r, z, n, inside = gates[0, low:high], gates[1, low:high], gates[2, low:high], gates[3, low:high]
        _update_backward(z, n, states[low:high], now, gate_grads[1, low:high], gate_grads[2, low:high])
        _reset_backward(r, inside, gate_grads[2, low:high], gate_grads[0, low:high], gate_grads[3, low:high])
        for q in range(len(weights)):
            multiply_panels(gate_grads[q + q // 2, low:high], weights[q], now, count, size)


@jit
def _update_backward(z: Array, n: Array, state: Array, grad: Array, to_z: Array, to_n: Array) -> None:
    """Through output = (1 - z) n + z state; `grad` becomes the state's own part."""
    one = grad.dtype.type(1)
    for x in range(grad.size):
        to_z[x] = grad[x] * (state[x] - n[x]) * z[x] * (one - z[x])
    for x in range(grad.size):
        to_n[x] = grad[x] * (one - z[x]) * (one - n[x] * n[x])
        grad[x] *= z[x]


@jit
def _reset_backward(r: Array, inside: Array, to_n: Array, to_r: Array, to_inside: Array) -> None:
    """Through n = tanh(... + r inside)."""
    one = r.dtype.type(1)
    for x in range(r.size):
        to_r[x] = to_n[x] * inside[x] * r[x] * (one - r[x])
        to_inside[x] = to_n[x] * r[x]
