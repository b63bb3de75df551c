"""The errors of recurrent layers: arguments that make no layer, inputs and states that do not fit one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import ShapeError, type_name, warn_user
from ....runtime.modes.thread_state import mode as here

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}
_MAX_LAYERS = 2**16


def check_arguments(layer: Any, dropout: Any) -> None:
    """The arguments of a layer's constructor."""
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
    """Refuse more layers than can be made in reasonable time and memory."""
    if count > _MAX_LAYERS:
        raise ValueError(f"num_layers must be at most {_MAX_LAYERS}, but got {count}")


def check_dims(name: str, input: Tensor, states: Sequence[Tensor] | None) -> None:
    """A batched input has batched states."""
    dims = input.dim()
    if dims not in (2, 3):
        raise ValueError(f"{name}: Expected input to be 2D or 3D, got {dims}D instead")
    if states is not None and any(state.dim() != dims for state in states):
        kind = f"{'batched 3' if dims == 3 else 'unbatched 2'}-D input"
        result = ", ".join(f"{state.dim()}-D" for state in states)
        names, shown = ("hx and cx", f"({result}) tensors") if len(states) > 1 else ("hx", f"{result} tensor")
        raise ShapeError(f"For {kind}, {names} should also be {dims}-D but got {shown}")


def check_input(x: Tensor, input_size: int, weight: Tensor) -> None:
    """Steps, the dtype of the weights, and as many features as the layer takes."""
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
    """A state for each layer, direction and sequence."""
    for number, (state, shape) in enumerate(zip(states, shapes, strict=True)):
        if tuple(state.shape) != shape:
            which = f"hidden[{number}]" if len(shapes) > 1 else "hidden"
            raise ShapeError(f"Expected {which} size {shape}, got {list(state.shape)}")
