"""Pooling, normalisation and dropout as layers, against NumPy."""

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
