"""Recurrent layers written in ops, step by step: what their kernels compute, for derivatives of any order and mode.

An input is (steps, batch, features), or the rows of all steps with `batch_sizes`, the number of sequences that take
part in each. Sequences are sorted by length, so those are the first ones of the states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.recompute import recompute_jvp, recompute_vjp
from ...namespace import Tensor, op

Step = Callable[..., tuple[Tensor, ...]]  # (what the input gives, states...) to the new states, the first is put out


def rnn_gradients(grads: Sequence[Tensor], *arguments: Any) -> tuple[Tensor, ...]:
    return recompute_vjp(rnn_in_ops, arguments[:6], grads, *arguments[6:])


def rnn_tangents(*arguments: Any) -> tuple[Tensor, ...]:
    return recompute_jvp(rnn_in_ops, arguments[6:12], arguments[:6], *arguments[12:])


def lstm_gradients(grads: Sequence[Tensor], *arguments: Any) -> tuple[Tensor, ...]:
    return recompute_vjp(lstm_in_ops, arguments[:8], grads, *arguments[8:])


def lstm_tangents(*arguments: Any) -> tuple[Tensor, ...]:
    return recompute_jvp(lstm_in_ops, arguments[8:16], arguments[:8], *arguments[16:])


def gru_gradients(grads: Sequence[Tensor], *arguments: Any) -> tuple[Tensor, ...]:
    return recompute_vjp(gru_in_ops, arguments[:6], grads, *arguments[6:])


def gru_tangents(*arguments: Any) -> tuple[Tensor, ...]:
    return recompute_jvp(gru_in_ops, arguments[6:12], arguments[:6], *arguments[12:])


def rnn_in_ops(
    input: Tensor, hidden: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
    batch_sizes: tuple[int, ...], reverse: bool, nonlinearity: str,
) -> tuple[Tensor, ...]:  # fmt: skip
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu."""
    activation = op.tanh if nonlinearity == "tanh" else op.relu

    def step(x: Tensor, h: Tensor) -> tuple[Tensor, ...]:
        return (activation(x + op.linear(h, weight_hh, bias_hh)),)

    return _unrolled(step, op.linear(input, weight_ih, bias_ih), (hidden,), batch_sizes, reverse)


def lstm_in_ops(
    input: Tensor, hidden: Tensor, cell: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None,
    bias_hh: Tensor | None, weight_hr: Tensor | None, batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """c' = f c + i g and h' = o tanh(c'), projected by W_hr if given, with gates i, f, g, o of W_ih x + W_hh h."""

    def step(x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, ...]:
        i, f, g, o = (x + op.linear(h, weight_hh, bias_hh)).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return (h if weight_hr is None else op.linear(h, weight_hr)), c

    return _unrolled(step, op.linear(input, weight_ih, bias_ih), (hidden, cell), batch_sizes, reverse)


def gru_in_ops(
    input: Tensor, hidden: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor | None, bias_hh: Tensor | None,
    batch_sizes: tuple[int, ...], reverse: bool,
) -> tuple[Tensor, ...]:  # fmt: skip
    """h' = (1 - z) n + z h with n = tanh(x_n + r h_n), and r, z sigmoids of x + h, for x = W_ih x and h = W_hh h."""

    def step(x: Tensor, h: Tensor) -> tuple[Tensor, ...]:
        x_r, x_z, x_n = x.chunk(3, -1)
        h_r, h_z, h_n = op.linear(h, weight_hh, bias_hh).chunk(3, -1)
        n = (x_n + (x_r + h_r).sigmoid() * h_n).tanh()
        return (n + (x_z + h_z).sigmoid() * (h - n),)

    return _unrolled(step, op.linear(input, weight_ih, bias_ih), (hidden,), batch_sizes, reverse)


def _unrolled(
    step: Step, projected: Tensor, states: tuple[Tensor, ...], batch_sizes: tuple[int, ...], reverse: bool
) -> tuple[Tensor, ...]:
    """(outputs, last states...) of all steps; a sequence that is over keeps its state."""
    pieces = projected.split(batch_sizes) if batch_sizes else projected.unbind(0)
    outputs = []
    for piece in reversed(pieces) if reverse else pieces:
        count = len(piece)
        new = step(piece, *[state[:count] for state in states])
        outputs.append(new[0])
        states = tuple([n if count == len(s) else op.cat([n, s[count:]]) for n, s in zip(new, states, strict=True)])
    outputs = outputs[::-1] if reverse else outputs
    return (op.cat(outputs) if batch_sizes else op.stack(outputs)), *states
