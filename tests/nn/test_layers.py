"""Layers: their results against NumPy, their text, their parameters, their errors."""

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
    with pytest.raises(ValueError, match="padding_mode must be 'zeros', but got padding_mode='circular'"):
        nn.Conv2d(1, 1, 3, padding_mode="circular")


def test_max_pool() -> None:
    """The maximum of each window, and where it was."""
    x = _data(2, 3, 6, 6)
    windows = x.reshape(2, 3, 3, 2, 3, 2).transpose(0, 1, 2, 4, 3, 5).reshape(2, 3, 3, 3, 4)
    _close(nn.MaxPool2d(2)(sg.from_numpy(x)), windows.max(-1))
    values, where = nn.MaxPool2d(2, return_indices=True)(sg.from_numpy(x))
    found = np.take_along_axis(x.reshape(2, 3, 36), where.numpy().reshape(2, 3, 9), axis=2)
    np.testing.assert_array_equal(found.reshape(2, 3, 3, 3), values.numpy())


def test_avg_pool() -> None:
    """The mean of each window."""
    x = _data(2, 3, 6, 6)
    _close(nn.AvgPool2d(3)(sg.from_numpy(x)), x.reshape(2, 3, 2, 3, 2, 3).mean((3, 5)))
    ones = nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=False)(sg.ones(1, 1, 4, 4))
    assert (ones == 1).all()
    assert nn.AvgPool2d(2, divisor_override=1)(sg.ones(1, 1, 2, 2)).item() == 4


def test_pooling_of_sequences(lib: Any) -> None:
    """Pooling over sequences is pooling over images of height 1."""
    x = lib.from_numpy(_data(2, 3, 9))
    for name, two_d in (("MaxPool1d", lib.nn.MaxPool2d), ("AvgPool1d", lib.nn.AvgPool2d)):
        found = getattr(lib.nn, name)(3, 2, 1)(x)
        assert (found == two_d((1, 3), (1, 2), (0, 1))(x.unsqueeze(2)).squeeze(2)).all()
    values, where = lib.nn.MaxPool1d(3, return_indices=True)(x)
    assert (x.gather(2, where) == values).all()


def test_adaptive_pooling(lib: Any) -> None:
    """Windows are chosen for the output size; they may overlap."""
    x = _data(2, 3, 5, 4)
    found = lib.nn.AdaptiveAvgPool2d((3, None))(lib.from_numpy(x)).numpy()
    rows = [x[:, :, a:b].mean(2) for a, b in ((0, 2), (1, 4), (3, 5))]
    np.testing.assert_allclose(found, np.stack(rows, axis=2), rtol=1e-12)
    assert lib.nn.AdaptiveAvgPool2d(1)(lib.from_numpy(x)).shape == (2, 3, 1, 1)


@pytest.mark.parametrize(
    ("cls", "shape"), [(nn.BatchNorm1d, (8, 3)), (nn.BatchNorm1d, (4, 3, 5)), (nn.BatchNorm2d, (4, 3, 5, 6))]
)
def test_batch_norm(cls: Any, shape: tuple[int, ...]) -> None:
    """Training normalises with the batch and updates the estimates; evaluation uses them."""
    m = _double(cls(3))
    with sg.no_grad():
        m.weight.copy_(sg.tensor([1.0, 2.0, 3.0]))
        m.bias.copy_(sg.tensor([0.0, -1.0, 1.0]))
    x = _data(*shape) * 2 + 1
    axes = tuple(i for i in range(x.ndim) if i != 1)
    column = [1, 3] + [1] * (x.ndim - 2)
    w, b = m.weight.detach().numpy().reshape(column), m.bias.detach().numpy().reshape(column)
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    _close(m(sg.from_numpy(x)), (x - mean) / np.sqrt(var + 1e-5) * w + b)
    count = x.size / 3
    running_mean, running_var = 0.1 * mean, 0.9 + 0.1 * var * count / (count - 1)
    _close(m.running_mean, running_mean.ravel())
    _close(m.running_var, running_var.ravel())
    assert m.num_batches_tracked.item() == 1
    _close(m.eval()(sg.from_numpy(x)), (x - running_mean) / np.sqrt(running_var + 1e-5) * w + b)
    assert m.num_batches_tracked.item() == 1


def test_batch_norm_momentum_none_averages() -> None:
    """With momentum None all batches count alike."""
    m = _double(nn.BatchNorm1d(1, momentum=None))
    batches = [_data(5, 1) for _ in range(3)]
    for batch in batches:
        m(sg.from_numpy(batch))
    _close(m.running_mean, np.mean([batch.mean(0) for batch in batches], axis=0))


def test_batch_norm_variants() -> None:
    """Without running estimates the batch counts always; without affine there is nothing to learn."""
    m = nn.BatchNorm1d(2, affine=False, track_running_stats=False)
    assert not list(m.parameters()) and not list(m.buffers()) and m.running_mean is None
    x = _data(6, 2)
    _close(_double(m).eval()(sg.from_numpy(x)), (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5))
    assert nn.BatchNorm1d(2, bias=False).bias is None
    m = nn.BatchNorm1d(2)
    m(sg.randn(4, 2))
    m.reset_running_stats()
    assert m.running_mean.tolist() == [0, 0] and m.running_var.tolist() == [1, 1]
    assert m.num_batches_tracked.item() == 0


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [("BatchNorm1d", (3,), "expected 2D or 3D input"), ("BatchNorm2d", (1, 3, 2), "expected 4D")],
)
def test_batch_norm_dimensions(lib: Any, name: str, shape: tuple[int, ...], message: str) -> None:
    """The wrong number of dimensions is refused."""
    with pytest.raises(ValueError, match=message):
        getattr(lib.nn, name)(3)(lib.ones(*shape))


def test_layer_norm() -> None:
    """Each sample is normalised over the last dimensions."""
    x = _data(2, 3, 4)
    m = _double(nn.LayerNorm((3, 4)))
    with sg.no_grad():
        m.weight.mul_(2)
        m.bias.add_(1)
    expected = (x - x.mean((1, 2), keepdims=True)) / np.sqrt(x.var((1, 2), keepdims=True) + 1e-5) * 2 + 1
    _close(m(sg.from_numpy(x)), expected)
    assert nn.LayerNorm(4, bias=False).bias is None
    assert not list(nn.LayerNorm(4, elementwise_affine=False).parameters())


def test_dropout() -> None:
    """In training zeros appear with probability p and the rest is scaled; in evaluation nothing happens."""
    sg.manual_seed(0)
    m = nn.Dropout(0.25)
    y = m(sg.ones(10000))
    assert set(y.tolist()) <= {0.0, np.float32(1 / 0.75).item()}
    assert abs((y == 0).float().mean().item() - 0.25) < 0.02
    x = sg.ones(3)
    assert (m.eval()(x) == x).all()
    with pytest.raises(ValueError, match="probability has to be between 0 and 1, but got 2"):
        nn.Dropout(2)


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


@pytest.mark.parametrize(
    ("name", "arguments", "function"),
    [
        ("ReLU", (), lambda x: np.maximum(x, 0)),
        ("LeakyReLU", (0.2,), lambda x: np.where(x > 0, x, 0.2 * x)),
        ("ELU", (1.5,), lambda x: np.where(x > 0, x, 1.5 * np.expm1(x))),
        ("SiLU", (), lambda x: x / (1 + np.exp(-x))),
        ("Softplus", (2.0,), lambda x: np.log1p(np.exp(2 * x)) / 2),
        ("Hardtanh", (-0.5, 2.0), lambda x: np.clip(x, -0.5, 2.0)),
        ("Sigmoid", (), lambda x: 1 / (1 + np.exp(-x))),
        ("Tanh", (), np.tanh),
        ("LogSigmoid", (), lambda x: -np.log1p(np.exp(-x))),
        ("Softmax", (0,), lambda x: np.exp(x) / np.exp(x).sum(0)),
        ("LogSoftmax", (1,), lambda x: x - np.log(np.exp(x).sum(1, keepdims=True))),
        ("GELU", ("tanh",), lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))),
    ],
)
def test_activations(lib: Any, name: str, arguments: tuple[Any, ...], function: Any) -> None:
    """Each activation is its formula."""
    x = np.linspace(-3, 3, 12).reshape(3, 4)
    found = getattr(lib.nn, name)(*arguments)(lib.from_numpy(x))
    np.testing.assert_allclose(found.numpy(), function(x), rtol=1e-12)


@pytest.mark.parametrize("name", ["ReLU", "LeakyReLU", "ELU", "SiLU", "Hardtanh"])
def test_inplace_activations(lib: Any, name: str) -> None:
    """With inplace the result is the input."""
    x = lib.tensor([-2.0, 0.5, 3.0])
    expected = getattr(lib.nn, name)()(x)
    assert getattr(lib.nn, name)(inplace=True)(x) is x
    assert (x == expected).all()


@pytest.mark.filterwarnings("ignore:Implicit dimension choice")
@pytest.mark.parametrize(("ndim", "dim"), [(1, 0), (2, 1), (3, 0), (4, 1)])
def test_softmax_without_dim(lib: Any, ndim: int, dim: int) -> None:
    """Without a dimension one is chosen by the number of dimensions, with a warning."""
    x = lib.randn([2] * ndim)
    assert (lib.nn.Softmax()(x) == lib.nn.Softmax(dim)(x)).all()
    assert (lib.nn.LogSoftmax()(x) == lib.nn.LogSoftmax(dim)(x)).all()


def test_hardtanh_interval(lib: Any) -> None:
    """The interval must not be empty."""
    with pytest.raises(AssertionError, match=r"max_val \(1\) must be greater than min_val \(2\)"):
        lib.nn.Hardtanh(2, 1)


TEXTS = {
    "Linear(2, 3, False)": "Linear(in_features=2, out_features=3, bias=False)",
    "Conv2d(2, 4, 3)": "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1))",
    "Conv2d(2, 4, 3, padding='same', dilation=2, groups=2, bias=False)": (
        "Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=same, dilation=(2, 2), groups=2, bias=False)"
    ),
    "Conv1d(4, 4, 3, padding=1)": "Conv1d(4, 4, kernel_size=(3,), stride=(1,), padding=(1,))",
    "MaxPool2d((2, 3), 1)": "MaxPool2d(kernel_size=(2, 3), stride=1, padding=0, dilation=1, ceil_mode=False)",
    "MaxPool1d(2)": "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)",
    "AvgPool1d(2, 1)": "AvgPool1d(kernel_size=(2,), stride=(1,), padding=(0,))",
    "AdaptiveAvgPool2d((1, None))": "AdaptiveAvgPool2d(output_size=(1, None))",
    "AvgPool2d(2)": "AvgPool2d(kernel_size=2, stride=2, padding=0)",
    "LayerNorm((3, 4), bias=False)": "LayerNorm((3, 4), eps=1e-05, elementwise_affine=True, bias=False)",
    "BatchNorm2d(2)": ("BatchNorm2d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"),
    "Dropout()": "Dropout(p=0.5, inplace=False)",
    "Embedding(3, 4, padding_idx=-1, max_norm=2.0, norm_type=1, scale_grad_by_freq=True)": (
        "Embedding(3, 4, padding_idx=2, max_norm=2.0, norm_type=1, scale_grad_by_freq=True)"
    ),
    "Flatten()": "Flatten(start_dim=1, end_dim=-1)",
    "Unflatten(1, (2, 3))": "Unflatten(dim=1, unflattened_size=(2, 3))",
    "ReLU()": "ReLU()",
    "ReLU(True)": "ReLU(inplace=True)",
    "LeakyReLU(0.2, True)": "LeakyReLU(negative_slope=0.2, inplace=True)",
    "ELU()": "ELU(alpha=1.0)",
    "GELU('tanh')": "GELU(approximate='tanh')",
    "Softplus()": "Softplus(beta=1.0, threshold=20.0)",
    "Hardtanh(-2, 2, True)": "Hardtanh(min_val=-2, max_val=2, inplace=True)",
    "Softmax(1)": "Softmax(dim=1)",
    "CrossEntropyLoss()": "CrossEntropyLoss()",
    "Identity(5)": "Identity()",
}


@pytest.mark.parametrize("code", TEXTS)
def test_repr(lib: Any, code: str) -> None:
    """Layers print what they were made with."""
    assert repr(eval(f"nn.{code}", {"nn": lib.nn})) == TEXTS[code]
