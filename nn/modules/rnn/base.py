"""Base class of RNN, LSTM and GRU: arguments, weights, checks, packed and unbatched input."""

import math
from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import ShapeError, type_name, warn_user
from ....runtime.ops.creation import empty, zeros
from ....runtime.thread_state import mode as here
from ... import init
from ...functional.torch_layers import LAYERS, stacked
from ...packed_sequence import PackedSequence
from ...parameter import Parameter
from ..module.base import Module

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}
_MAX_LAYERS = 2**16


def check_arguments(layer: Any, dropout: Any) -> None:
    for name in ("input_size", "hidden_size"):
        value = getattr(layer, name)
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type_name(value)}")
    if layer.mode not in GATES:
        raise ValueError(f"Unrecognized RNN mode: {layer.mode}")
    if isinstance(dropout, bool) or not 0 <= layer.dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    for name in ("hidden_size", "num_layers"):
        if getattr(layer, name) <= 0:
            raise ValueError(f"{name} must be greater than zero")
    check_layers(layer.num_layers)
    if layer.proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if layer.proj_size >= layer.hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if layer.dropout > 0 and layer.num_layers == 1:
        warn_user(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={layer.num_layers}"
        )


def check_layers(count: int) -> None:
    if count > _MAX_LAYERS:
        raise ValueError(f"num_layers must be at most {_MAX_LAYERS}, but got {count}")


def check_dims(name: str, input: Tensor, states: Sequence[Tensor] | None) -> None:
    dims = input.dim()
    if dims not in (2, 3):
        raise ValueError(f"{name}: Expected input to be 2D or 3D, got {dims}D instead")
    if states is not None and any(state.dim() != dims for state in states):
        kind = f"{'batched 3' if dims == 3 else 'unbatched 2'}-D input"
        result = ", ".join(f"{state.dim()}-D" for state in states)
        names, shown = ("hx and cx", f"({result}) tensors") if len(states) > 1 else ("hx", f"{result} tensor")
        raise ShapeError(f"For {kind}, {names} should also be {dims}-D but got {shown}")


def check_input(x: Tensor, input_size: int, weight: Tensor) -> None:
    if not x.shape[0]:
        raise ShapeError("Expected sequence length to be larger than 0 in RNN")
    if x.dtype is not weight.dtype and here.autocast != here.depth:
        raise ValueError(
            f"RNN input dtype ({x.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
            f"input.to({weight.dtype}), or convert model: model.to({x.dtype})"
        )
    if x.shape[-1] != input_size:
        raise ShapeError(f"input.size(-1) must be equal to input_size. Expected {input_size}, got {x.shape[-1]}")


def check_states(states: Sequence[Tensor], shapes: Sequence[tuple[int, ...]]) -> None:
    for number, (state, shape) in enumerate(zip(states, shapes, strict=True)):
        if tuple(state.shape) != shape:
            which = f"hidden[{number}]" if len(shapes) > 1 else "hidden"
            raise ShapeError(f"Expected {which} size {shape}, got {list(state.shape)}")


class RNNBase(Module):
    """The base class of RNN, LSTM and GRU.

    Formula: h_t = cell(x_t, h_(t-1)) for every step, in each layer and direction

    Args:
        mode: the kind of cell: RNN_TANH, RNN_RELU, LSTM or GRU.
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        num_layers: layers on top of each other, each taking the output of the one below.
        bias: whether the layers have biases.
        batch_first: whether input and output are (batch, steps, features) instead of (steps, batch, features).
        dropout: the probability of dropout on the output of each layer but the last.
        bidirectional: whether a second layer goes through the sequence backwards; outputs are concatenated.
        proj_size: the size of hidden states after a projection (LSTM only); 0 for none.
        device, dtype: where the parameters lie, and their dtype.

    Shape:
        Input: (steps, batch, input_size), or (steps, input_size), or a PackedSequence; hx: (layers * directions, batch,
        size) for each state. Output: (steps, batch, directions * size), and the last states.

    Raises:
        TypeError: input_size or hidden_size is not an int.
        ValueError: a size that is not positive, a dropout outside [0, 1], or an unknown mode.

    Example:
        >>> isinstance(sg.nn.GRU(3, 4), sg.nn.RNNBase)
        True
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout = float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        check_arguments(self, dropout)
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self._directions]:
                self._add_weights(layer, suffix, {"device": device, "dtype": dtype})
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    def _add_weights(self, layer: int, suffix: str, factory: dict[str, Any]) -> None:
        rows = GATES[self.mode] * self.hidden_size
        columns = self._output_size * self._directions if layer else self.input_size
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, columns), "weight_hh": (rows, self._output_size)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = {name: f"{name}_l{layer}{suffix}" for name in shapes}
        for name, shape in shapes.items():
            setattr(self, names[name], Parameter(empty(shape, **factory)))
        self._all_weights.append(list(names.values()))

    def reset_parameters(self) -> None:
        """Draw new initial values, uniform in (-k, k) with k = 1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: parameters need not lie side by side here."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def forward(
        self, input: Tensor | PackedSequence, hx: Tensor | tuple[Tensor, Tensor] | None = None
    ) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        value = self._unpacked_states(hx)
        check_dims(type(self).__name__, input, value)
        if input.dim() == 2:
            return self._forward_single(input, value)
        x = input.transpose(0, 1) if self.batch_first else input
        output, *last = self._run(x, self._states(x, x.shape[1], value), ())
        return output.transpose(0, 1) if self.batch_first else output, self._packed_states(last)

    def _forward_single(self, input: Tensor, args: list[Tensor] | None) -> tuple[Tensor, Any]:
        x, args = input.unsqueeze(1), args and [state.unsqueeze(1) for state in args]
        output, *last = self._run(x, self._states(x, 1, args), ())
        return output.squeeze(1), self._packed_states([state.squeeze(1) for state in last])

    def _forward_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        """Sequences of several lengths: states are sorted as the sequences are, and back."""
        data, batch_sizes, order, back = input
        sizes = tuple(batch_sizes.tolist())
        value = self._unpacked_states(hx)
        if value is not None and order is not None:
            value = [state.index_select(1, order) for state in value]
        output, *last = self._run(data, self._states(data, sizes[0], value), sizes)
        last = last if back is None else [state.index_select(1, back) for state in last]
        return PackedSequence(output, batch_sizes, order, back), self._packed_states(last)

    def _run(self, x: Tensor, states: list[Tensor], sizes: tuple[int, ...]) -> tuple[Tensor, ...]:
        weights = [own if self.bias else [*own[:2], None, None, *own[2:]] for own in self.all_weights]
        dropout = self.dropout if self.training else 0.0
        return stacked(LAYERS[self.mode], x, states, weights, sizes, self._directions, dropout)

    def _states(self, x: Tensor, batch: int, args: list[Tensor] | None) -> list[Tensor]:
        check_input(x, self.input_size, self.weight_ih_l0)
        count = self.num_layers * self._directions
        shapes = [(count, batch, size) for size in self._state_sizes()]
        if args is None:
            return [zeros(shape, dtype=x.dtype, device=x.device) for shape in shapes]
        check_states(args, shapes)
        return args

    def _state_sizes(self) -> list[int]:
        return [self._output_size]

    def _unpacked_states(self, hx: Any) -> list[Tensor] | None:
        return None if hx is None else [hx]

    def _packed_states(self, states: Any) -> Any:
        return states[0]

    def extra_repr(self) -> str:
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        named = {**defaults, "bidirectional": False}
        changed = [f"{name}={getattr(self, name)}" for name, default in named.items() if getattr(self, name) != default]
        return ", ".join([str(self.input_size), str(self.hidden_size), *changed])
