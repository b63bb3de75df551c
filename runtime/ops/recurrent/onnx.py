"""Recurrent layers as ONNX's own operators, whose gates stand in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_GATES = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN": (0,)}  # ONNX's order, by ours: i o f c; z r h


def rnn(
    onnx: Any,
    x: Any,
    hidden: Any,
    weights: Sequence[Any],
    batch_sizes: Sequence[int],
    reverse: bool,
    nonlinearity: str,
) -> Any:
    """One layer in one direction: (output, last hidden state)."""
    name = nonlinearity.title()
    return _layer(onnx, "RNN", x, [hidden], weights, batch_sizes, reverse, activations=[name])


def lstm(
    onnx: Any,
    x: Any,
    hidden: Any,
    cell: Any,
    weights: Sequence[Any],
    projection: Any,
    batch_sizes: Sequence[int],
    reverse: bool,
) -> Any:
    """One layer in one direction: (output, last hidden state, last cell)."""
    if projection is not None:
        raise NotImplementedError("ONNX's LSTM has no projection of its state (proj_size)")
    return _layer(onnx, "LSTM", x, [hidden, cell], weights, batch_sizes, reverse)


def gru(onnx: Any, x: Any, hidden: Any, weights: Sequence[Any], batch_sizes: Sequence[int], reverse: bool) -> Any:
    """One layer in one direction: (output, last hidden state)."""
    return _layer(onnx, "GRU", x, [hidden], weights, batch_sizes, reverse, linear_before_reset=1)


def _layer(
    onnx: Any,
    name: str,
    x: Any,
    states: Sequence[Any],
    weights: Sequence[Any],
    batch_sizes: Sequence[int],
    reverse: bool,
    **options: Any,
) -> Any:
    if batch_sizes:
        raise NotImplementedError("packed sequences are not exported: give the layer a padded tensor")
    size = states[0].shape[-1]
    rows = np.concatenate([np.arange(size) + gate * size for gate in _GATES[name]])
    ordered = [None if w is None else onnx.Gather(w, rows) if name != "RNN" else w for w in weights]
    w, r = (onnx.Unsqueeze(each, [0]) for each in ordered[:2])
    biases = None if ordered[2] is None else onnx.Unsqueeze(onnx.Concat(*ordered[2:], axis=0), [0])
    firsts = [onnx.Unsqueeze(state, [0]) for state in states]
    direction = "reverse" if reverse else "forward"
    result = onnx[name](x, w, r, biases, None, *firsts, hidden_size=size, direction=direction, **options)
    output, *lasts = result
    return onnx.Squeeze(output, [1]), *(onnx.Squeeze(last, [0]) for last in lasts)
