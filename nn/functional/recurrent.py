"""Recurrent layers on top of each other: directions, dropout between layers, and the states of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.tensor.observers import autocast_as, interceptable
from .dropout import dropout

Weights = Sequence[Tensor | None]
Layer = Callable[..., tuple[Tensor, ...]]  # (input, states, weights, batch sizes, reverse) to (output, states...)


def tanh_layer(
    input: Tensor, states: Sequence[Tensor], weights: Weights, batch_sizes: Sequence[int], reverse: bool
) -> tuple[Tensor, ...]:
    return ops.rnn_layer(input, *states, *weights, batch_sizes, reverse, "tanh")  # type: ignore[arg-type,call-arg]


def relu_layer(
    input: Tensor, states: Sequence[Tensor], weights: Weights, batch_sizes: Sequence[int], reverse: bool
) -> tuple[Tensor, ...]:
    return ops.rnn_layer(input, *states, *weights, batch_sizes, reverse, "relu")  # type: ignore[arg-type,call-arg]


def lstm_layer(
    input: Tensor, states: Sequence[Tensor], weights: Weights, batch_sizes: Sequence[int], reverse: bool
) -> tuple[Tensor, ...]:
    """One layer and direction of an LSTM; a fifth weight is that of the projection."""
    *others, projection = weights if len(weights) == 5 else (*weights, None)
    return ops.lstm_layer(input, *states, *others, projection, batch_sizes, reverse)[:3]  # type: ignore[arg-type,call-arg]


@autocast_as(cpu="like 1")
@interceptable("composite")
def lstm_step(
    input: Tensor, states: Sequence[Tensor], weights: Weights, batch_sizes: Sequence[int], reverse: bool
) -> tuple[Tensor, ...]:
    """One step of an LSTM inside autocast, where states keep their dtype on the CPU."""
    return lstm_layer(input, states, weights, batch_sizes, reverse)


def gru_layer(
    input: Tensor, states: Sequence[Tensor], weights: Weights, batch_sizes: Sequence[int], reverse: bool
) -> tuple[Tensor, ...]:
    return ops.gru_layer(input, *states, *weights, batch_sizes, reverse)[:2]  # type: ignore[arg-type,call-arg]


LAYERS: dict[str, Layer] = {"RNN_TANH": tanh_layer, "RNN_RELU": relu_layer, "LSTM": lstm_layer, "GRU": gru_layer}
LAYERS["LSTM_STEP"] = lstm_step


def stacked(
    layer: Layer,
    input: Tensor,
    states: Sequence[Tensor],
    weights: Sequence[Weights],
    batch_sizes: Sequence[int],
    directions: int,
    dropout_p: float,
) -> tuple[Tensor, ...]:
    """(output, last states...) of all layers; `states` and `weights` have an item for each layer and direction."""
    firsts, lasts = [state.unbind(0) for state in states], []
    for number in range(0, len(weights), directions):
        if number and dropout_p:
            input = dropout(input, dropout_p)
        outputs = []
        for direction in range(directions):
            own = [first[number + direction] for first in firsts]
            output, *last = layer(input, own, weights[number + direction], batch_sizes, direction == 1)
            outputs.append(output)
            lasts.append(last)
        input = outputs[0] if directions == 1 else ops.cat(outputs, -1)
    return input, *[ops.stack(parts) if len(parts) > 1 else parts[0].unsqueeze(0) for parts in zip(*lasts, strict=True)]
