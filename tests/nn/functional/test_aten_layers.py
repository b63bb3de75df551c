"""Layers as functions of weights in a list, and pieces of a tensor: as the layers compute them, in both libraries."""

from typing import Any

import numpy as np
import pytest


@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_recurrent_functions(lib: Any, name: str, bidirectional: bool) -> None:
    """The function of a layer's weights gives what the layer gives, for sequences and packed ones."""
    layer = getattr(lib.nn, name)(3, 4, num_layers=2, bidirectional=bidirectional, batch_first=True)
    function = {"RNN": lib.rnn_tanh, "GRU": lib.gru, "LSTM": lib.lstm}[name]
    x, directions = lib.randn(2, 5, 3), 2 if bidirectional else 1
    state = lib.zeros(2 * directions, 2, 4)
    states = (state, state) if name == "LSTM" else state
    weights = [w for ws in layer.all_weights for w in ws]
    output, *last = function(x, states, weights, True, 2, 0.0, False, bidirectional, True)
    expected, final = layer(x)
    assert lib.allclose(output, expected) and lib.allclose(last[0], final[0] if name == "LSTM" else final)
    packed = lib.nn.utils.rnn.pack_padded_sequence(x, lib.tensor([5, 3]), batch_first=True)
    output, *last = function(packed.data, packed.batch_sizes, states, weights, True, 2, 0.0, False, bidirectional)
    expected, final = layer(packed)
    assert lib.allclose(output, expected.data) and lib.allclose(last[0], final[0] if name == "LSTM" else final)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
def test_convolution(lib: Any, dims: int, transposed: bool) -> None:
    """One function for all numbers of dimensions and both directions."""
    x, weight, bias = lib.randn(2, 4, *[5] * dims), lib.randn(4, 4, *[2] * dims), lib.randn(4)
    stride, padding, dilation = [2] * dims, [1] * dims, [1] * dims
    found = lib.convolution(x, weight, bias, stride, padding, dilation, transposed, [0] * dims, 1)
    function = getattr(lib.nn.functional, f"conv{'_transpose' if transposed else ''}{dims}d")
    assert lib.allclose(found, function(x, weight, bias, stride=2, padding=1), atol=1e-6)


def test_rows_of_a_table(lib: Any) -> None:
    """Rows that are named are scaled to the norm, others and shorter ones stay."""
    table = lib.tensor([[3.0, 4.0], [6.0, 8.0], [0.3, 0.4]])
    lib.embedding_renorm_(table, lib.tensor([1, 2]), 5.0, 2.0)
    assert np.allclose(table.tolist(), [[3.0, 4.0], [3.0, 4.0], [0.3, 0.4]], atol=1e-5)


def _pieces(values: np.ndarray, sizes: list[int], name: str, initial: float | None) -> np.ndarray:
    """Piece by piece with NumPy."""
    found = []
    for end, size in zip(np.cumsum(sizes), sizes, strict=True):
        piece = values[end - size : end]
        if name == "mean":
            start = 0.0 if initial is None else initial
            empty = np.full(values.shape[1:], np.nan if initial is None else initial)
            found.append((piece.sum(0) + start) / size if size else empty)
            continue
        ufunc = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[name]
        start = {"sum": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}[name] if initial is None else initial
        found.append(ufunc.reduce(piece, axis=0, initial=start))
    return np.stack(found)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
@pytest.mark.parametrize("initial", [None, 0.5])
def test_pieces(lib: Any, name: str, initial: float | None) -> None:
    """Reductions of pieces, by lengths and by offsets, empty ones too."""
    values, sizes = np.arange(12.0).reshape(6, 2) - 4.5, [2, 0, 3, 1]
    expected = _pieces(values, sizes, name, initial)
    by_lengths = lib.segment_reduce(lib.tensor(values), name, lengths=lib.tensor(sizes), initial=initial)
    assert np.allclose(by_lengths.cpu().numpy(), expected, equal_nan=True)
    offsets = lib.tensor([0, *np.cumsum(sizes).tolist()])
    by_offsets = lib.segment_reduce(lib.tensor(values), name, offsets=offsets, initial=initial)
    assert np.allclose(by_offsets.cpu().numpy(), expected, equal_nan=True)


def test_pieces_of_rows(lib: Any) -> None:
    """Along another dimension each row has pieces of its own; gradients go to the elements of a piece."""
    x = lib.tensor([[2.0, 2.0, 3.0], [1.0, 2.0, 3.0]], requires_grad=True)
    found = lib.segment_reduce(x, "sum", lengths=lib.tensor([[1, 2], [2, 1]]), axis=1)
    assert found.tolist() == [[2.0, 5.0], [3.0, 3.0]]
    (found * lib.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert x.grad.tolist() == [[1.0, 2.0, 2.0], [3.0, 3.0, 4.0]]


def test_pieces_that_do_not_fit(lib: Any) -> None:
    """Lengths add up to the data, and there must be some."""
    with pytest.raises(RuntimeError, match="Expected all rows of lengths"):
        lib.segment_reduce(lib.ones(4), "sum", lengths=lib.tensor([2, 1]))
    with pytest.raises(RuntimeError, match="Either lengths or offsets"):
        lib.segment_reduce(lib.ones(4), "sum")
