"""Pooling of one to three dimensions, adaptive pooling and unpooling: as PyTorch has them."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

RNG = np.random.default_rng(0)


def _data(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def _boxes(x: np.ndarray, size: int) -> np.ndarray:
    """(..., windows, elements) of windows that lie side by side along the last three dimensions."""
    n, c, d, h, w = x.shape
    split = x.reshape(n, c, d // size, size, h // size, size, w // size, size).transpose(0, 1, 2, 4, 6, 3, 5, 7)
    return split.reshape(*split.shape[:5], size**3)


def test_pooling_of_volumes(lib: Any) -> None:
    """The maximum, its place in the flattened volume, and the mean of each window."""
    x = _data(2, 3, 4, 6, 8)
    t = lib.from_numpy(x)
    values, positions = lib.nn.MaxPool3d(2, return_indices=True)(t)
    np.testing.assert_array_equal(values.numpy(), _boxes(x, 2).max(-1))
    assert (t.flatten(2).gather(2, positions.flatten(2)) == values.flatten(2)).all()
    np.testing.assert_allclose(lib.nn.AvgPool3d(2)(t).numpy(), _boxes(x, 2).mean(-1), rtol=1e-12)
    full = lib.nn.AvgPool3d(2, divisor_override=1)(t).numpy()
    np.testing.assert_allclose(full, _boxes(x, 2).sum(-1), rtol=1e-11, atol=1e-12)


def test_pooling_of_one_sample(lib: Any) -> None:
    """Without a batch the channels come first."""
    for dims, shape in ((1, (3, 8)), (2, (3, 8, 6)), (3, (3, 4, 8, 6))):
        x = lib.from_numpy(_data(*shape))
        for name, size in (("MaxPool", 2), ("AvgPool", 2), ("AdaptiveAvgPool", 3), ("AdaptiveMaxPool", 3)):
            pool = getattr(lib.nn, f"{name}{dims}d")(size)
            assert (pool(x) == pool(x.unsqueeze(0))[0]).all()
        with pytest.raises(RuntimeError):
            getattr(lib.nn, f"MaxPool{dims}d")(2)(x[0])


def test_adaptive_pooling_of_all_dimensions(lib: Any) -> None:
    """Window i covers floor(i n / out) to ceil((i + 1) n / out); None keeps a size."""
    x = _data(2, 5)
    rows = [x[:, a:b] for a, b in ((0, 2), (1, 4), (3, 5))]
    found = lib.nn.AdaptiveAvgPool1d(3)(lib.from_numpy(x)).numpy()
    np.testing.assert_allclose(found, np.stack([row.mean(1) for row in rows], 1), rtol=1e-12)
    values, positions = lib.nn.AdaptiveMaxPool1d(3, return_indices=True)(lib.from_numpy(x))
    np.testing.assert_array_equal(values.numpy(), np.stack([row.max(1) for row in rows], 1))
    np.testing.assert_array_equal(np.take_along_axis(x, positions.numpy(), 1), values.numpy())
    volume = lib.from_numpy(_data(2, 3, 4, 5, 6))
    assert tuple(lib.nn.AdaptiveMaxPool3d((2, None, 1))(volume).shape) == (2, 3, 2, 5, 1)
    assert tuple(lib.nn.AdaptiveAvgPool3d((None, 1, 3))(volume).shape) == (2, 3, 4, 1, 3)


def test_unpooling_undoes_pooling(lib: Any) -> None:
    """Maxima return to their places, with zeros between them, and their gradients come from there."""
    for dims in (1, 2, 3):
        x = lib.from_numpy(_data(2, 3, *(6, 8, 4)[:dims])).requires_grad_()
        values, positions = getattr(lib.nn, f"MaxPool{dims}d")(2, return_indices=True)(x)
        back = getattr(lib.nn, f"MaxUnpool{dims}d")(2)(values, positions)
        assert back.shape == x.shape
        assert ((back == 0) | (back == x)).all() and int((back != 0).sum()) == values.numel()
        back.sum().backward()
        assert (x.grad == (back != 0)).all()


def test_unpooling_to_other_sizes(lib: Any) -> None:
    """output_size may differ from the usual sizes by less than a step."""
    F = lib.nn.functional
    x = lib.from_numpy(_data(1, 2, 4, 4))
    values, positions = F.max_pool2d(x, 2, return_indices=True)
    assert F.max_unpool2d(values, positions, 2, output_size=(1, 2, 5, 5)).shape == (1, 2, 5, 5)
    with pytest.raises(ValueError, match="invalid output_size"):
        F.max_unpool2d(values, positions, 2, output_size=(9, 9))
    with pytest.raises(ValueError, match="should be a sequence containing 2 or 4 elements"):
        F.max_unpool2d(values, positions, 2, output_size=(5,))
    with pytest.raises(RuntimeError, match="should be type int64"):
        F.max_unpool2d(values, positions.int(), 2)
    with pytest.raises(RuntimeError, match="Expected shape of indices to be same"):
        F.max_unpool2d(values, positions[..., :1], 2)


@pytest.mark.cpu("a device says later which place was out of range")
def test_unpooling_to_places_outside(lib: Any) -> None:
    """Places that the result has not are refused."""
    values, positions = lib.nn.functional.max_pool2d(lib.from_numpy(_data(1, 2, 4, 4)), 2, return_indices=True)
    with pytest.raises(RuntimeError):
        lib.nn.functional.max_unpool2d(values, positions + 100, 2)


def test_representations(lib: Any) -> None:
    """The layers are printed with their sizes."""
    nn = lib.nn
    layers = [nn.MaxUnpool2d(2), nn.AdaptiveMaxPool2d((None, 2)), nn.AvgPool3d(2), nn.MaxPool3d(2, ceil_mode=True)]
    assert [repr(layer) for layer in layers] == [
        "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))",
        "AdaptiveMaxPool2d(output_size=(None, 2))",
        "AvgPool3d(kernel_size=2, stride=2, padding=0)",
        "MaxPool3d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=True)",
    ]


LAYERS = [
    ("MaxPool1d", (3, 2, 1), (2, 3, 50)),
    ("MaxPool2d", (3, 2, 1), (2, 3, 20, 30)),
    ("MaxPool2d", ((2, 3), None, 0, (2, 1), False, True), (3, 20, 31)),
    ("MaxPool3d", (2, 2, 1, 1, False, True), (1, 2, 5, 9, 11)),
    ("AvgPool1d", (4, 3, 2, True, False), (2, 3, 50)),
    ("AvgPool2d", (3, 2, 1, True, False), (2, 3, 20, 30)),
    ("AvgPool3d", ((1, 2, 3), None, (0, 1, 1)), (1, 2, 5, 9, 11)),
    ("AdaptiveAvgPool2d", ((3, 4),), (2, 3, 10, 9)),
    ("AdaptiveMaxPool3d", (2,), (1, 2, 5, 9, 11)),
]


@pytest.mark.parametrize(("name", "arguments", "shape"), LAYERS, ids=[f"{n}{a}" for n, a, _ in LAYERS])
def test_results_and_gradients_are_pytorchs(name: str, arguments: tuple[Any, ...], shape: Any) -> None:
    """In float32."""
    torch = pytest.importorskip("torch")
    numbers = _data(*shape).astype(np.float32)
    x, y = sg.tensor(numbers, requires_grad=True), torch.tensor(numbers, requires_grad=True)
    found, expected = getattr(sg.nn, name)(*arguments)(x), getattr(torch.nn, name)(*arguments)(y)
    derivatives = _data(*expected.shape).astype(np.float32)
    found.backward(sg.tensor(derivatives))
    expected.backward(torch.tensor(derivatives))
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-5, atol=1e-6)
