"""Argument checks of recurrent layers: the sizes of input, states and weights belong together."""

from collections.abc import Sequence
from typing import Any

from ...dispatch.shape_rules import require_shape
from ...errors import ShapeError


def rnn_layer(
    op: str, input: Any, hidden: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any,
    batch_sizes: Sequence[int], reverse: bool, nonlinearity: str,
) -> tuple[Any, ...]:  # fmt: skip
    """input (steps, batch, features), or (rows, features) with batch_sizes; states and weights of fitting sizes."""
    weights = weight_ih, weight_hh, bias_ih, bias_hh
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"{op}(): Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    sizes = _checked_layer(op, 1, input, hidden, weights, batch_sizes)
    return input, hidden, *weights, sizes, reverse, nonlinearity


def lstm_layer(
    op: str, input: Any, hidden: Any, cell: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any,
    weight_hr: Any, batch_sizes: Sequence[int], reverse: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Sizes of an LSTM layer, with weights of four gates; hidden has the size of the projection where there is one."""
    weights = weight_ih, weight_hh, bias_ih, bias_hh
    sizes = _checked_sizes(op, input, batch_sizes)
    _require_weights(op, 4, input, cell, *weights, hidden)
    if weight_hr is not None:
        require_shape(op, "weight_hr", weight_hr, (hidden._shape[1], cell._shape[1]))
    elif hidden._shape[1] != cell._shape[1]:
        raise ShapeError(f"{op}(): hidden {list(hidden._shape)} and cell {list(cell._shape)} differ, without weight_hr")
    _require_states(op, input, sizes, hidden, cell)
    return input, hidden, cell, *weights, weight_hr, sizes, reverse


def gru_layer(
    op: str, input: Any, hidden: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any,
    batch_sizes: Sequence[int], reverse: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Sizes of a GRU layer, with weights of three gates."""
    weights = weight_ih, weight_hh, bias_ih, bias_hh
    return input, hidden, *weights, _checked_layer(op, 3, input, hidden, weights, batch_sizes), reverse


def _checked_layer(
    op: str, gates: int, input: Any, hidden: Any, weights: Sequence[Any], batch_sizes: Sequence[int]
) -> tuple[int, ...]:
    sizes = _checked_sizes(op, input, batch_sizes)
    _require_weights(op, gates, input, hidden, *weights)
    _require_states(op, input, sizes, hidden)
    return sizes


def plain_cell(
    op: str, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any | None, b_hh: Any | None
) -> tuple[Any, ...]:
    """An input of shape (batch, features), with at least one row, a state with as many; weights of fitting sizes."""
    return _checked_cell(op, 1, input, hx, (hx,), (w_ih, w_hh, b_ih, b_hh))


def gru_cell(op: str, input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any | None, b_hh: Any | None) -> tuple[Any, ...]:
    """An input of shape (batch, features), with at least one row, a state with as many; weights of three gates."""
    return _checked_cell(op, 3, input, hx, (hx,), (w_ih, w_hh, b_ih, b_hh))


def lstm_cell(
    op: str, input: Any, hx: Sequence[Any], w_ih: Any, w_hh: Any, b_ih: Any | None, b_hh: Any | None
) -> tuple[Any, ...]:
    """An input of shape (batch, features), with at least one row, two states with as many; weights of four gates."""
    if len(hx) != 2 or hx[0]._shape != hx[1]._shape:
        raise ShapeError(
            f"{op}(): expected hx to be a hidden state and a cell state of one shape, got {len(hx)} tensors"
        )
    return _checked_cell(op, 4, input, hx, hx, (w_ih, w_hh, b_ih, b_hh))


def _checked_cell(
    op: str, gates: int, input: Any, hx: Any, states: Sequence[Any], weights: Sequence[Any]
) -> tuple[Any, ...]:
    if len(input._shape) != 2 or not input._shape[0]:
        raise ShapeError(f"{op}(): expected input of shape (batch, features), got {list(input._shape)}")
    _require_weights(op, gates, input, states[0], *weights)
    _require_states(op, input, input._shape[:1], *states)
    return input, hx, *weights


def _checked_sizes(op: str, input: Any, batch_sizes: Sequence[int]) -> tuple[int, ...]:
    """The number of sequences at each step: at least one, never growing, and together all rows of the input."""
    sizes = tuple(batch_sizes)
    if len(input._shape) != (2 if sizes else 3) or not input._shape[0]:
        requested = "(rows, features)" if sizes else "(steps, batch, features) with at least one step"
        raise ShapeError(f"{op}(): expected input of shape {requested}, got {list(input._shape)}")
    if sizes and (min(sizes) < 1 or any(a < b for a, b in zip(sizes, sizes[1:], strict=False))):
        raise ShapeError(f"{op}(): batch_sizes must be positive and must not grow, got {list(sizes)}")
    if sizes and sum(sizes) != input._shape[0]:
        raise ShapeError(f"{op}(): batch_sizes sum to {sum(sizes)}, but input has {input._shape[0]} rows")
    return sizes


def _require_weights(
    op: str, gates: int, input: Any, state: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any,
    out: Any = None,
) -> None:  # fmt: skip
    hidden = state if out is None else out
    if len(state._shape) != 2 or len(hidden._shape) != 2:
        raise ShapeError(
            f"{op}(): expected states of shape (batch, size), got {list(hidden._shape)}, {list(state._shape)}"
        )
    rows = gates * state._shape[1]
    require_shape(op, "weight_ih", weight_ih, (rows, input._shape[-1]))
    require_shape(op, "weight_hh", weight_hh, (rows, hidden._shape[1]))
    if (bias_ih is None) != (bias_hh is None):
        raise ShapeError(f"{op}(): expected both biases or none")
    for name, bias in (("bias_ih", bias_ih), ("bias_hh", bias_hh)):
        if bias is not None:
            require_shape(op, name, bias, (rows,))


def _require_states(op: str, input: Any, sizes: Sequence[int], *states: Any) -> None:
    batch = sizes[0] if sizes else input._shape[1]
    for state in states:
        if state._shape[0] != batch:
            raise ShapeError(f"{op}(): expected states of {batch} rows, got shape {list(state._shape)}")
