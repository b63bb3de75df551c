"""Recurrent layers with a second state, the cell: LSTM."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ...docstrings import completed_from
from .base import RNNBase
from .layers import RNN


@completed_from(RNN)
class LSTM(RNNBase):
    """Long short-term memory.

    Formula: i, f, o = sigmoid(W_i x_t + b_i + U_i h_(t-1) + d_i), ...; g = tanh(W_g x_t + b_g + U_g h_(t-1) + d_g);
    c_t = f c_(t-1) + i g; h_t = o tanh(c_t), times W_hr with projections

    Args:
        hidden_size: the number of features of the cell state, and of the hidden state without projections.
        proj_size: the size of hidden states after a projection; 0 for none.

    Attributes:
        weight_ih_l0: W of the first layer's gates i, f, g, o, one below the other; further layers end in _l1, _l2, ...,
            the backward direction in _reverse.
        weight_hh_l0, bias_ih_l0, bias_hh_l0: U, b and d.
        weight_hr_l0: W_hr, with projections.

    Shape:
        Input: (steps, batch, input_size), or (steps, input_size) for one sequence, or a PackedSequence; hx: a pair of
        (layers * directions, batch, proj_size or hidden_size) and (layers * directions, batch, hidden_size), zeros when
        left out. Output: (steps, batch, directions * (proj_size or hidden_size)), and the last states shaped like hx.

    Source: Hochreiter and Schmidhuber, "Long short-term memory" (1997); Sak, Senior and Beaufays, "Long short-term
    memory based recurrent neural network architectures" (2014) for projections.

    Example:
        >>> import specgrad as sg
        >>> output, (hidden, cell) = sg.nn.LSTM(10, 20, bidirectional=True)(sg.randn(5, 3, 10))
        >>> list(output.shape), list(hidden.shape), list(cell.shape)
        ([5, 3, 40], [2, 3, 20], [2, 3, 20])
    """

    def __init__(
        self,
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
        options = (bias, batch_first, dropout, bidirectional, proj_size, device, dtype)
        super().__init__("LSTM", input_size, hidden_size, num_layers, *options)

    def _state_sizes(self) -> list[int]:
        return [self._output_size, self.hidden_size]

    def _unpacked_states(self, hx: Any) -> list[Tensor] | None:
        return None if hx is None else [hx[0], hx[1]]

    def _packed_states(self, states: Any) -> Any:
        return tuple(states)
