"""Single steps of recurrent layers: RNNCell, LSTMCell and GRUCell."""

import math
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch import argument_checks
from ....runtime.errors import ShapeError
from ....runtime.ops.creation import empty, zeros
from ....runtime.tensor.observers import watch
from ... import init
from ...docstrings import completed_from
from ...functional.torch_layers import LAYERS
from ...parameter import Parameter
from ..module.base import Module


class RNNCellBase(Module):
    """The base class of RNNCell, LSTMCell and GRUCell.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        bias: whether the cell has biases.
        num_chunks: the number of gates.
        device, dtype: where the parameters lie, and their dtype.

    Example:
        >>> isinstance(sg.nn.GRUCell(3, 4), sg.nn.RNNCellBase)
        True
    """

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = argument_checks.integer(name, "input_size", input_size)
        self.hidden_size = argument_checks.integer(name, "hidden_size", hidden_size)
        self.bias = bias
        rows, factory = num_chunks * self.hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih = Parameter(empty((rows, self.input_size), **factory))
        self.weight_hh = Parameter(empty((rows, self.hidden_size), **factory))
        self.register_parameter("bias_ih", Parameter(empty(rows, **factory)) if bias else None)
        self.register_parameter("bias_hh", Parameter(empty(rows, **factory)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values, uniform in (-k, k) with k = 1 / sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _step(self, kind: str, input: Tensor, args: list[Tensor] | None, count: int) -> list[Tensor]:
        shape = input._shape
        if args is None or len(shape) != 2 or shape[1] != self.input_size or not shape[0]:
            return self._checked_step(kind, input, args, count)
        for state in args:
            if state._shape != (shape[0], self.hidden_size):
                return self._checked_step(kind, input, args, count)
        weights = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        # A packed sequence of one batch size is one step in two dimensions: input and states need no views.
        return list(LAYERS[kind](input, args, weights, (shape[0],), False)[1:])

    def _checked_step(self, kind: str, input: Tensor, args: list[Tensor] | None, count: int) -> list[Tensor]:
        self._check(input, args, count)
        single = input.dim() == 1
        x = input.unsqueeze(0) if single else input
        if args is None:
            args = [zeros((x.shape[0], self.hidden_size), dtype=x.dtype, device=x.device)] * count
        else:
            args = [state.unsqueeze(0) if state.dim() == 1 else state for state in args]
        self._check_states(x, args)
        weights = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        _, *new = LAYERS[kind](x.unsqueeze(0), args, weights, (), False)
        return [state.squeeze(0) for state in new] if single else new

    def _check(self, input: Tensor, args: list[Tensor] | None, count: int) -> None:
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for number, state in enumerate(args or ()):
            if state.dim() not in (1, 2):
                which = f"hx[{number}]" if count > 1 else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {state.dim()}D instead")
        if input.shape[-1] != self.input_size:
            raise ShapeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {self.input_size}")

    def _check_states(self, x: Tensor, states: list[Tensor]) -> None:
        for number, state in enumerate(states):
            if state.shape[0] != x.shape[0]:
                raise ShapeError(
                    f"Input batch size {x.shape[0]} doesn't match hidden{number} batch size {state.shape[0]}"
                )
            if state.shape[1] != self.hidden_size:
                raise ShapeError(
                    f"hidden{number} has inconsistent hidden_size: got {state.shape[1]}, expected {self.hidden_size}"
                )

    def extra_repr(self) -> str:
        parts = [str(self.input_size), str(self.hidden_size)]
        if not self.bias:
            parts.append("bias=False")
        return ", ".join(parts)


@completed_from(RNNCellBase)
class RNNCell(RNNCellBase):
    """One step of an RNN.

    Formula: h' = tanh(W_ih x + b_ih + W_hh h + b_hh)

    Args:
        nonlinearity: "tanh" or "relu".

    Attributes:
        weight_ih, weight_hh, bias_ih, bias_hh: uniform in (-k, k) with k = 1 / sqrt(hidden_size).

    Shape:
        Input: (batch, input_size) or (input_size); hx: (batch, hidden_size) or (hidden_size), zeros when left out.
        Output: as hx.

    Raises:
        ValueError: input or hx has neither one nor two dimensions.
        RuntimeError: sizes that do not fit, or another nonlinearity.

    Example:
        >>> list(sg.nn.RNNCell(10, 20)(sg.randn(3, 10)).shape)
        [3, 20]
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        kind = f"RNN_{self.nonlinearity.upper()}"
        if kind not in LAYERS:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(kind, input, None if hx is None else [hx], 1)[0]

    def extra_repr(self) -> str:
        own = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + own


@completed_from(RNNCell)
class LSTMCell(RNNCellBase):
    """One step of an LSTM.

    Formula: c' = f c + i g; h' = o tanh(c') with the gates of `LSTM`

    Shape:
        Input: (batch, input_size) or (input_size); hx: a pair of (batch, hidden_size) or (hidden_size), zeros when left
        out. Output: the pair (h', c') in the shapes of hx.

    Raises:
        ValueError: input or a state has neither one nor two dimensions.
        RuntimeError: sizes that do not fit.

    Example:
        >>> hidden, cell = sg.nn.LSTMCell(10, 20)(sg.randn(3, 10))
        >>> list(hidden.shape), list(cell.shape)
        ([3, 20], [3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        # Inside autocast on the CPU, a cell computes in the dtype of its states, a layer in the lower dtype.
        kind = "LSTM_STEP" if watch.casts else "LSTM"
        hidden, cell = self._step(kind, input, None if hx is None else [hx[0], hx[1]], 2)
        return hidden, cell


@completed_from(RNNCell)
class GRUCell(RNNCellBase):
    """One step of a GRU.

    Formula: h' = (1 - z) n + z h with the gates of `GRU`

    Raises:
        ValueError: input or hx has neither one nor two dimensions.
        RuntimeError: sizes that do not fit.

    Example:
        >>> list(sg.nn.GRUCell(10, 20)(sg.randn(3, 10)).shape)
        [3, 20]
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step("GRU", input, None if hx is None else [hx], 1)[0]
