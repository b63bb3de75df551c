"""What the layers RNN, LSTM and GRU share: arguments, weights, checks, packed and unbatched input."""

from __future__ import annotations

import math
from typing import Any

from ..generated.tensor import Tensor
from ..runtime.creation import empty, zeros
from ..runtime.errors import ShapeError, type_name
from ..runtime.user_warning import warn_user
from . import init
from .functional.recurrent import LAYERS, stacked
from .module import Module
from .parameter import Parameter
from .utils.rnn import PackedSequence

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


class RNNBase(Module):
    """The base class of RNN, LSTM and GRU.

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
        device: where the parameters lie.
        dtype: their dtype.

    Raises:
        TypeError: input_size or hidden_size is not an int.
        ValueError: a size that is not positive, a dropout outside [0, 1], or an unknown mode.

    Example:
        >>> import specgrad as sg
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
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_arguments(dropout)
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self._directions]:
                self._add_weights(layer, suffix, {"device": device, "dtype": dtype})
        self.reset_parameters()

    def _check_arguments(self, dropout: Any) -> None:
        for name in ("input_size", "hidden_size"):
            value = getattr(self, name)
            if not isinstance(value, int):
                raise TypeError(f"{name} should be of type int, got: {type_name(value)}")
        if self.mode not in GATES:
            raise ValueError(f"Unrecognized RNN mode: {self.mode}")
        if isinstance(dropout, bool) or not 0 <= self.dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        for name in ("hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.dropout > 0 and self.num_layers == 1:
            warn_user(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers={self.num_layers}"
            )

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    def _add_weights(self, layer: int, suffix: str, factory: dict[str, Any]) -> None:
        """The parameters of one layer and direction, named as PyTorch names them."""
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

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        batched = input.dim() == 3
        self._check_dims(input, hx)
        x = input if batched else input.unsqueeze(1)
        x = x.transpose(0, 1) if batched and self.batch_first else x
        if not x.shape[0]:
            raise ShapeError("Expected sequence length to be larger than 0 in RNN")
        states = self._states(x, x.shape[1], self._unpacked_states(hx), batched)
        output, *last = self._run(x, states, ())
        if not batched:
            return output.squeeze(1), self._packed_states([state.squeeze(1) for state in last])
        return output.transpose(0, 1) if self.batch_first else output, self._packed_states(last)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        """Sequences of several lengths: states are sorted as the sequences are, and back."""
        data, batch_sizes, order, back = input
        sizes = tuple(batch_sizes.tolist())
        given = self._unpacked_states(hx)
        if given is not None and order is not None:
            given = [state.index_select(1, order) for state in given]
        output, *last = self._run(data, self._states(data, sizes[0], given, True), sizes)
        last = last if back is None else [state.index_select(1, back) for state in last]
        return PackedSequence(output, batch_sizes, order, back), self._packed_states(last)

    def _run(self, x: Tensor, states: list[Tensor], sizes: tuple[int, ...]) -> tuple[Tensor, ...]:
        weights = [own if self.bias else self._without_bias(own) for own in self.all_weights]
        dropout = self.dropout if self.training else 0.0
        return stacked(LAYERS[self.mode], x, states, weights, sizes, self._directions, dropout)

    @staticmethod
    def _without_bias(weights: list[Parameter]) -> list[Parameter | None]:
        return [*weights[:2], None, None, *weights[2:]]

    def _states(self, x: Tensor, batch: int, given: list[Tensor] | None, batched: bool) -> list[Tensor]:
        """The initial states of all layers: checked, or zeros."""
        self._check_input(x)
        count = self.num_layers * self._directions
        shapes = [(count, batch, size) for size in self._state_sizes()]
        if given is None:
            return [zeros(shape, dtype=x.dtype, device=x.device) for shape in shapes]
        given = given if batched else [state.unsqueeze(1) for state in given]
        for number, (state, shape) in enumerate(zip(given, shapes, strict=True)):
            if tuple(state.shape) != shape:
                which = f"hidden[{number}]" if len(shapes) > 1 else "hidden"
                raise ShapeError(f"Expected {which} size {shape}, got {list(state.shape)}")
        return given

    def _check_input(self, x: Tensor) -> None:
        weight = self.weight_ih_l0
        if x.dtype is not weight.dtype:
            raise ValueError(
                f"RNN input dtype ({x.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({x.dtype})"
            )
        if x.shape[-1] != self.input_size:
            raise ShapeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {x.shape[-1]}"
            )

    def _check_dims(self, input: Tensor, hx: Any) -> None:
        """Batched input has batched states."""
        dims = input.dim()
        if dims not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {dims}D instead")
        given = self._unpacked_states(hx)
        if given is not None and any(state.dim() != dims for state in given):
            kind = f"{'batched 3' if dims == 3 else 'unbatched 2'}-D input"
            found = ", ".join(f"{state.dim()}-D" for state in given)
            names, shown = ("hx and cx", f"({found}) tensors") if len(given) > 1 else ("hx", f"{found} tensor")
            raise ShapeError(f"For {kind}, {names} should also be {dims}-D but got {shown}")

    def _state_sizes(self) -> list[int]:
        """The size of each state."""
        return [self._output_size]

    def _unpacked_states(self, hx: Any) -> list[Tensor] | None:
        """`hx` as a list of states."""
        return None if hx is None else [hx]

    def _packed_states(self, states: Any) -> Any:
        """A list of states as the caller gets them."""
        return states[0]

    def extra_repr(self) -> str:
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        named = {**defaults, "bidirectional": False}
        changed = [f"{name}={getattr(self, name)}" for name, default in named.items() if getattr(self, name) != default]
        return ", ".join([str(self.input_size), str(self.hidden_size), *changed])
