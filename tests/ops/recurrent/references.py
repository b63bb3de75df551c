"""References of recurrent layers and attention, one sequence and one query at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def rows_of_sequences(shape: Sequence[int], batch_sizes: Sequence[int]) -> list[list[int]]:
    """For each sequence the rows of its steps among the rows of all steps."""
    sizes = list(batch_sizes) or [shape[1]] * shape[0]
    starts = np.cumsum([0, *sizes])
    return [[int(starts[t]) + b for t, size in enumerate(sizes) if size > b] for b in range(sizes[0])]


def over_time(
    step: Callable[..., tuple[Any, ...]], x: Any, states: Sequence[Any], batch_sizes: Any, reverse: bool
) -> tuple[Any, ...]:
    """(outputs, last states...) of step(row, states) to new states, the first of which is the output."""
    rows = x.reshape(-1, x.shape[-1])
    output = np.zeros((len(rows), states[0].shape[1]))
    lasts = [state.copy() for state in states]
    for b, positions in enumerate(rows_of_sequences(x.shape, batch_sizes)):
        for index in positions[::-1] if reverse else positions:
            new = step(rows[index], *[last[b] for last in lasts])
            for last, value in zip(lasts, new, strict=True):
                last[b] = value
            output[index] = new[0]
    return output.reshape(*x.shape[:-1], -1), *lasts


def total(*parts: Any) -> Any:
    """The sum of what is there."""
    return sum(part for part in parts if part is not None)


def rnn_layer(
    self: Any,
    hidden: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    batch_sizes: Any,
    reverse: bool,
    nonlinearity: str,
) -> tuple[Any, ...]:
    """h' = tanh or relu of W_ih x + b_ih + W_hh h + b_hh."""
    activation = np.tanh if nonlinearity == "tanh" else lambda x: np.maximum(x, 0)

    def step(x: Any, h: Any) -> tuple[Any, ...]:
        return (activation(total(weight_ih @ x, bias_ih, weight_hh @ h, bias_hh)),)

    return over_time(step, self, [hidden], batch_sizes, reverse)


def lstm_layer(
    self: Any,
    hidden: Any,
    cell: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    weight_hr: Any,
    batch_sizes: Any,
    reverse: bool,
) -> tuple[Any, ...]:
    """The gates i, f, g, o; what else the kernel keeps is its own business."""

    def step(x: Any, h: Any, c: Any) -> tuple[Any, ...]:
        i, f, g, o = np.split(total(weight_ih @ x, bias_ih, weight_hh @ h, bias_hh), 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return (h if weight_hr is None else weight_hr @ h), c

    return *over_time(step, self, [hidden, cell], batch_sizes, reverse), None, None


def gru_layer(
    self: Any,
    hidden: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    batch_sizes: Any,
    reverse: bool,
) -> tuple[Any, ...]:
    """The gates r, z, n; what else the kernel keeps is its own business."""

    def step(x: Any, h: Any) -> tuple[Any, ...]:
        x_r, x_z, x_n = np.split(total(weight_ih @ x, bias_ih), 3)
        h_r, h_z, h_n = np.split(total(weight_hh @ h, bias_hh), 3)
        z = sigmoid(x_z + h_z)
        return ((1 - z) * np.tanh(x_n + sigmoid(x_r + h_r) * h_n) + z * h,)

    return *over_time(step, self, [hidden], batch_sizes, reverse), None


def attention(
    self: Any,
    key: Any,
    value: Any,
    bias: Any,
    mask: Any,
    keep: Any,
    keep_scale: float,
    is_causal: bool,
    scale: float,
    rows_first: bool,
) -> tuple[Any, ...]:
    """One query at a time, over the keys that it may look at."""
    q, k, v = (a.swapaxes(1, 2) if rows_first else a for a in (self, key, value))
    shape = (*q.shape[:3], k.shape[2])
    result = np.zeros((*q.shape[:3], v.shape[3]))
    bias = np.broadcast_to(0 if bias is None else bias, shape)
    mask = np.broadcast_to(True if mask is None else mask, shape)
    factor = np.broadcast_to(1.0 if keep is None else keep * keep_scale, shape)
    for b, h, i in np.ndindex(*q.shape[:3]):
        head = h * k.shape[1] // q.shape[1]
        seen = [j for j in range(shape[3]) if mask[b, h, i, j] and not (is_causal and j > i)]
        if seen:
            scores = scale * k[b, head, seen] @ q[b, h, i] + bias[b, h, i, seen]
            weights = np.exp(scores - scores.max())
            result[b, h, i] = (weights / weights.sum() * factor[b, h, i, seen]) @ v[b, head, seen]
    return result.swapaxes(1, 2) if rows_first else result, None


SEQUENCES: dict[str, Callable[..., Any]] = {
    "rnn_layer": rnn_layer,
    "lstm_layer": lstm_layer,
    "gru_layer": gru_layer,
    "attention": attention,
}
