"""Single steps of recurrent layers: RNNCell, LSTMCell and GRUCell."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from .functional.recurrent import LAYERS
from .recurrent_cell_base import RNNCellBase


class RNNCell(RNNCellBase):
    """One step of an RNN.

    Formula: h' = tanh(W_ih x + b_ih + W_hh h + b_hh)

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        bias: whether the cell has biases.
        nonlinearity: "tanh" or "relu".
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (batch, input_size) or (input_size); hx: (batch, hidden_size) or (hidden_size), zeros when left out.
        Output: as hx.

    Attributes:
        weight_ih, weight_hh, bias_ih, bias_hh: uniform in (-k, k) with k = 1 / sqrt(hidden_size).

    Raises:
        ValueError: input or hx has neither one nor two dimensions.
        RuntimeError: sizes that do not fit, or another nonlinearity.

    Example:
        >>> import specgrad as sg
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


class LSTMCell(RNNCellBase):
    """One step of an LSTM.

    Formula: c' = f c + i g; h' = o tanh(c') with the gates of `LSTM`

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the states.
        bias: whether the cell has biases.
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (batch, input_size) or (input_size); hx: a pair of (batch, hidden_size) or (hidden_size), zeros when left
        out. Output: the pair (h', c') in the shapes of hx.

    Attributes:
        weight_ih, weight_hh, bias_ih, bias_hh: uniform in (-k, k) with k = 1 / sqrt(hidden_size).

    Raises:
        ValueError: input or a state has neither one nor two dimensions.
        RuntimeError: sizes that do not fit.

    Example:
        >>> import specgrad as sg
        >>> hidden, cell = sg.nn.LSTMCell(10, 20)(sg.randn(3, 10))
        >>> list(hidden.shape), list(cell.shape)
        ([3, 20], [3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        hidden, cell = self._step("LSTM", input, None if hx is None else [hx[0], hx[1]], 2)
        return hidden, cell


class GRUCell(RNNCellBase):
    """One step of a GRU.

    Formula: h' = (1 - z) n + z h with the gates of `GRU`

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        bias: whether the cell has biases.
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (batch, input_size) or (input_size); hx: (batch, hidden_size) or (hidden_size), zeros when left out.
        Output: as hx.

    Attributes:
        weight_ih, weight_hh, bias_ih, bias_hh: uniform in (-k, k) with k = 1 / sqrt(hidden_size).

    Raises:
        ValueError: input or hx has neither one nor two dimensions.
        RuntimeError: sizes that do not fit.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.GRUCell(10, 20)(sg.randn(3, 10)).shape)
        [3, 20]
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step("GRU", input, None if hx is None else [hx], 1)[0]
