"""Linear, convolutions, Embedding and Flatten: their results against NumPy, their errors."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

RNG = np.random.default_rng(0)


def _data(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def _close(found: Any, expected: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=rtol, atol=rtol)


def _double(layer: Any) -> Any:
    return layer.to(sg.float64)


def test_linear() -> None:
    """y = x A^T + b, with and without a bias."""
    x = _data(4, 3, 5)
    for bias in (True, False):
        m = _double(nn.Linear(5, 2, bias=bias))
        expected = x @ m.weight.detach().numpy().T + (m.bias.detach().numpy() if m.bias is not None else 0)
        _close(m(sg.from_numpy(x)), expected)


def test_identity() -> None:
    """The input itself, whatever the arguments were."""
    x = sg.ones(2)
    assert nn.Identity(3, size=4)(x) is x


def _correlate(x: np.ndarray, w: np.ndarray, stride: int, dilation: int) -> np.ndarray:
    """Cross-correlation by definition: x (N, C, H, W), w (O, C, k, k)."""
    n, _, h, width = x.shape
    o, _, k, _ = w.shape
    span = dilation * (k - 1) + 1
    rows, columns = (h - span) // stride + 1, (width - span) // stride + 1
    y = np.zeros((n, o, rows, columns))
    for i in range(rows):
        for j in range(columns):
            top, left = i * stride, j * stride
            window = x[:, :, top : top + span : dilation, left : left + span : dilation]
            y[:, :, i, j] = np.einsum("nckl,ockl->no", window, w)
    return y


@pytest.mark.parametrize(("stride", "padding", "dilation"), [(1, 0, 1), (2, 1, 1), (1, 2, 2)])
def test_conv2d(stride: int, padding: int, dilation: int) -> None:
    """The definition of cross-correlation, padded with zeros, plus the bias."""
    x = _data(2, 3, 7, 8)
    m = _double(nn.Conv2d(3, 4, 3, stride, padding, dilation))
    padded = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    expected = _correlate(padded, m.weight.detach().numpy(), stride, dilation)
    _close(m(sg.from_numpy(x)), expected + m.bias.detach().numpy()[:, None, None])


def test_conv2d_groups() -> None:
    """Groups are convolutions of their own on their share of the channels."""
    x = _data(2, 4, 5, 5)
    m = _double(nn.Conv2d(4, 6, 3, groups=2, bias=False))
    w = m.weight.detach().numpy()
    assert w.shape == (6, 2, 3, 3)
    parts = [_correlate(x[:, 2 * g : 2 * g + 2], w[3 * g : 3 * g + 3], 1, 1) for g in range(2)]
    _close(m(sg.from_numpy(x)), np.concatenate(parts, axis=1))


def test_conv1d() -> None:
    """A convolution over sequences is one over images of height 1."""
    x = _data(2, 3, 9)
    m = _double(nn.Conv1d(3, 4, 4, stride=2, bias=False))
    w = m.weight.detach().numpy()
    expected = np.stack([np.einsum("nck,ock->no", x[:, :, i : i + 4], w) for i in range(0, 6, 2)], axis=2)
    _close(m(sg.from_numpy(x)), expected)


@pytest.mark.parametrize(("kernel", "dilation"), [(3, 1), (4, 1), (2, 3), (1, 1)])
def test_conv_same_keeps_the_size(kernel: int, dilation: int) -> None:
    """With 'same' the output has the input's size; an odd number of zeros has one more at the end."""
    m = _double(nn.Conv2d(1, 1, kernel, padding="same", dilation=dilation, bias=False))
    x = _data(1, 1, 6, 7)
    total = dilation * (kernel - 1)
    padded = np.pad(x, [(0, 0), (0, 0)] + [(total // 2, total - total // 2)] * 2)
    _close(m(sg.from_numpy(x)), _correlate(padded, m.weight.detach().numpy(), 1, dilation))


def test_conv_valid_pads_nothing() -> None:
    """'valid' is padding 0."""
    m = nn.Conv1d(1, 1, 3, padding="valid")
    assert list(m(sg.ones(2, 1, 5)).shape) == [2, 1, 3]
    assert list(m(sg.ones(1, 5)).shape) == [1, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": 2, "in_channels": 3}, "in_channels must be divisible by groups"),
        ({"groups": 2, "out_channels": 3}, "out_channels must be divisible by groups"),
        ({"groups": 0}, "groups must be a positive integer"),
        ({"padding": "some"}, "Invalid padding string 'some'"),
        ({"padding": "same", "stride": 2}, "padding='same' is not supported for strided convolutions"),
        ({"padding_mode": "other"}, "padding_mode must be"),
    ],
)
def test_conv_errors(lib: Any, arguments: dict[str, Any], message: str) -> None:
    """Arguments that do not fit are refused when the layer is made."""
    with pytest.raises(ValueError, match=message):
        lib.nn.Conv2d(**{"in_channels": 4, "out_channels": 4, "kernel_size": 3, **arguments})


def test_conv_refuses_wrong_sizes() -> None:
    """A size for each dimension, or one for all."""
    with pytest.raises(ValueError, match=r"kernel_size must be one int or a sequence of 2, but got \(3,\)"):
        nn.Conv2d(1, 1, (3,))


def test_embedding() -> None:
    """Rows by index; padding_idx starts at zero and learns nothing."""
    m = nn.Embedding(5, 3, padding_idx=-1)
    assert m.padding_idx == 4 and m.weight[4].tolist() == [0.0] * 3
    index = sg.tensor([[0, 4], [1, 0]])
    y = m(index)
    np.testing.assert_array_equal(y.detach().numpy(), m.weight.detach().numpy()[index.numpy()])
    y.sum().backward()
    assert m.weight.grad.tolist() == [[2.0] * 3, [1.0] * 3, [0.0] * 3, [0.0] * 3, [0.0] * 3]


def test_embedding_from_pretrained(lib: Any) -> None:
    """A given table, frozen unless asked otherwise."""
    m = lib.nn.Embedding.from_pretrained(lib.ones(2, 3))
    assert not m.weight.requires_grad and m(lib.tensor([1])).tolist() == [[1.0] * 3]
    assert lib.nn.Embedding.from_pretrained(lib.ones(2, 3), freeze=False).weight.requires_grad
    with pytest.raises(AssertionError, match="expected to be 2-dimensional"):
        lib.nn.Embedding.from_pretrained(lib.ones(2))
    with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
        lib.nn.Embedding(3, 4, padding_idx=5)
    with pytest.raises(AssertionError, match="Shape of weight does not match"):
        lib.nn.Embedding(3, 4, _weight=lib.ones(2, 2))


def test_flatten_and_unflatten(lib: Any) -> None:
    """Unflatten takes apart what Flatten joined."""
    x = lib.arange(24).reshape(2, 3, 4)
    assert lib.nn.Flatten()(x).shape == (2, 12)
    assert lib.nn.Flatten(0, 1)(x).shape == (6, 4)
    assert (lib.nn.Unflatten(1, (3, 4))(lib.nn.Flatten()(x)) == x).all()
    assert lib.nn.Unflatten(-1, (2, -1))(x).shape == (2, 3, 2, 2)
    with pytest.raises(TypeError, match="tuple of ints, but found element of type float at pos 1"):
        lib.nn.Unflatten(1, (3, 2.0))
