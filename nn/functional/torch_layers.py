"""Layers as functions of weights in a list, as in PyTorch's private module `_VF`: `lstm`, `gru`, `convolution`."""

from collections.abc import Callable, Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.embedding.formulas import limited_rows
from ...runtime.tensor.observers import autocast_as, interceptable
from .dropout import dropout

_CONVOLUTIONS = {False: (ops.conv1d, ops.conv2d, ops.conv3d)}
_CONVOLUTIONS[True] = (ops.conv_transpose1d, ops.conv_transpose2d, ops.conv_transpose3d)  # type: ignore[assignment]


def lstm(input: Tensor, *arguments: Any) -> tuple[Tensor, Tensor, Tensor]:
    """An LSTM of several layers.

    Args:
        input: the sequences; of packed ones the data.
        *arguments: `hx` (two states), `params` (weights of all layers), `has_biases`, `num_layers`, `dropout`, `train`,
            `bidirectional` and `batch_first`; or of packed sequences `batch_sizes`, and the same without the last.

    Returns: The output and the last states.

    Example:
        >>> layer = sg.nn.LSTM(2, 3)
        >>> state = sg.zeros(1, 1, 3)
        >>> weights = [*layer.parameters()]
        >>> output, h, c = lstm(sg.ones(4, 1, 2), (state, state), weights, True, 1, 0.0, False, False, False)
        >>> sg.equal(output, layer(sg.ones(4, 1, 2))[0])
        True
    """
    return _run("LSTM", input, arguments)  # type: ignore[return-value]


def gru(input: Tensor, *arguments: Any) -> tuple[Tensor, Tensor]:
    """A GRU of several layers: `input` and `arguments` as of `lstm`, with one state; the output and the last state."""
    return _run("GRU", input, arguments)  # type: ignore[return-value]


def rnn_tanh(input: Tensor, *arguments: Any) -> tuple[Tensor, Tensor]:
    """A recurrent network with tanh: `input` and `arguments` as of `gru`."""
    return _run("RNN_TANH", input, arguments)  # type: ignore[return-value]


def rnn_relu(input: Tensor, *arguments: Any) -> tuple[Tensor, Tensor]:
    """A recurrent network with relu: `input` and `arguments` as of `gru`."""
    return _run("RNN_RELU", input, arguments)  # type: ignore[return-value]


def _run(mode: str, input: Tensor, arguments: Sequence[Any]) -> tuple[Tensor, ...]:
    sizes: tuple[int, ...] = ()
    if len(arguments) == 8 and isinstance(arguments[2], (list, tuple)):  # packed: sizes, states, weights, ...
        sizes, arguments = tuple(arguments[0].tolist()), (*arguments[1:], False)
    hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = arguments
    states = [hx] if isinstance(hx, Tensor) else list(hx)
    directions = 2 if bidirectional else 1
    each = len(params) // (num_layers * directions)
    own = [list(params[first : first + each]) for first in range(0, len(params), each)]
    weights = [row if has_biases else [*row[:2], None, None, *row[2:]] for row in own]
    x = input.transpose(0, 1) if batch_first else input
    output, *last = stacked(LAYERS[mode], x, states, weights, sizes, directions, float(dropout) if train else 0.0)
    return output.transpose(0, 1) if batch_first else output, *last


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """A convolution or a transposed one, over as many dimensions as the weight has beside its two of channels.

    Args:
        input, weight, bias: as of `conv2d`, or `conv_transpose2d`.
        stride, padding, dilation, groups: as there.
        transposed: which of the two.
        output_padding: of a transposed one.

    Example:
        >>> convolution(sg.ones(1, 1, 3), sg.ones(1, 1, 2), None, [1], [0], [1], False, [0], 1)
        tensor([[[2., 2.]]])
    """
    function: Any = _CONVOLUTIONS[bool(transposed)][weight.dim() - 3]
    if transposed:
        return function(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return function(input, weight, bias, stride, padding, dilation, groups)


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Rows of a table that indices name scaled, in place, to at most a norm.

    Args:
        input: the table.
        indices: of the rows.
        max_norm: the greatest norm.
        norm_type: its p.

    Example:
        >>> embedding_renorm_(sg.tensor([[3.0, 4.0], [3.0, 4.0]]), sg.tensor([1]), 2.5, 2.0)
        tensor([[3.0000, 4.0000],
                [1.5000, 2.0000]])
    """
    limited_rows(input, indices, max_norm, norm_type)
    return input


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
