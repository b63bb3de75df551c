"""The recurrent layers RNN, GRU and LSTM."""

from typing import Any

from ....generated.tensor import Tensor
from ...docstrings import completed_from
from .base import RNNBase


@completed_from(RNNBase)
class RNN(RNNBase):
    """A recurrent network with tanh or relu.

    Formula: h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh)

    Args:
        nonlinearity: "tanh" or "relu".

    Attributes:
        weight_ih_l0: W_ih of the first layer; further layers end in _l1, _l2, ..., the backward direction in _reverse.
        weight_hh_l0, bias_ih_l0, bias_hh_l0: W_hh, b_ih and b_hh.

    Shape:
        Input: (steps, batch, input_size), or (steps, input_size) for one sequence, or a PackedSequence; hx:
        (layers * directions, batch, hidden_size), zeros when left out. Output: (steps, batch, directions *
        hidden_size), and the last states in the shape of hx.

    Raises:
        ValueError: an argument without meaning, an input of another dtype or without two or three dimensions.
        RuntimeError: sizes of input or states that do not fit.

    Example:
        >>> output, last = sg.nn.RNN(10, 20, num_layers=2)(sg.randn(5, 3, 10))
        >>> list(output.shape), list(last.shape)
        ([5, 3, 20], [2, 3, 20])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        _refuse_projection(kwargs)
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        mode = f"RNN_{nonlinearity.upper()}"
        super().__init__(
            mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )
        self.nonlinearity = nonlinearity


@completed_from(RNN)
class GRU(RNNBase):
    """Gated recurrent units.

    Formula: r, z = sigmoid(W_r x_t + b_r + U_r h_(t-1) + d_r), ...; n = tanh(W_n x_t + b_n + r (U_n h_(t-1) + d_n));
    h_t = (1 - z) n + z h_(t-1)

    Attributes:
        weight_ih_l0: W of the first layer's gates r, z, n, one below the other; further layers end in _l1, _l2, ...,
            the backward direction in _reverse.
        weight_hh_l0, bias_ih_l0, bias_hh_l0: U, b and d.

    Source: Cho et al., "Learning phrase representations using RNN encoder-decoder for statistical machine translation"
    (2014), with the reset gate behind the product.

    Example:
        >>> output, last = sg.nn.GRU(10, 20, batch_first=True)(sg.randn(3, 5, 10))
        >>> list(output.shape), list(last.shape)
        ([3, 5, 20], [1, 3, 20])
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
        device: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        _refuse_projection(kwargs)
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )


def _refuse_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
    if kwargs:
        raise TypeError(f"__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")


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
