"""Convolutions of one to three dimensions, transposed ones, and padding modes: against NumPy, and PyTorch's numbers."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

RNG = np.random.default_rng(0)


def _data(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def _close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=tolerance, atol=tolerance)


def test_conv3d_is_a_sum_of_conv2d() -> None:
    """Over the planes of the kernel, each seen from its depth."""
    layer = nn.Conv3d(2, 3, (2, 3, 3), stride=(1, 2, 1), padding=(0, 1, 1), dtype=sg.float64)
    x = sg.from_numpy(_data(2, 2, 4, 6, 5))
    found = layer(x)
    for depth in range(3):
        planes = [
            nn.functional.conv2d(x[:, :, depth + k], layer.weight[:, :, k], stride=(2, 1), padding=1) for k in (0, 1)
        ]
        _close(found[:, :, depth], (planes[0] + planes[1] + layer.bias.reshape(-1, 1, 1)).detach().numpy())


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_a_transposed_convolution_is_the_transpose(dims: int, groups: int) -> None:
    """<g, conv(x)> = <conv_transpose(g), x> with the same weight."""
    sizes = {"stride": 2, "padding": 1, "dilation": 2, "groups": groups, "bias": False, "dtype": sg.float64}
    forth = getattr(nn, f"Conv{dims}d")(4, 6, 3, **sizes)
    back = getattr(nn, f"ConvTranspose{dims}d")(6, 4, 3, **sizes)
    back.load_state_dict(forth.state_dict())
    x = sg.from_numpy(_data(2, 4, *(8, 7, 9)[:dims]))
    y = forth(x)
    g = sg.from_numpy(_data(*y.shape))
    assert float((back(g, output_size=x.shape) * x).sum()) == pytest.approx(float((g * y).sum()))


def test_transposed_output_sizes(lib: Any) -> None:
    """output_size chooses among the sizes that a stride maps to one, output_padding does the same from the start."""
    x = lib.from_numpy(_data(1, 4, 5, 5)).float()
    layer = lib.nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1)
    assert [tuple(layer(x, size).shape[2:]) for size in ((9, 10), (1, 6, 10, 9))] == [(9, 10), (10, 9)]
    assert tuple(lib.nn.ConvTranspose2d(4, 6, 3, 2, 1, output_padding=(1, 0))(x[0]).shape) == (6, 10, 9)
    with pytest.raises(ValueError, match="requested an output size"):
        layer(x, output_size=(12, 10))
    with pytest.raises(ValueError, match="must have 2 or 4 elements"):
        layer(x, output_size=[10])


BAD_TRANSPOSED = [
    ({"output_padding": 2}, "output padding must be smaller"),
    ({"output_padding": -1, "stride": 2}, "negative output_padding"),
    ({"stride": 0}, "non-positive stride"),
    ({"padding": 5}, "Output size is too small"),
    ({"groups": 3}, "divisible by 3"),
    ({"stride": (1, 2, 3)}, "expected stride to be a single integer value or a list of 2 values"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_TRANSPOSED, ids=[message for _, message in BAD_TRANSPOSED])
def test_bad_transposed_convolutions(lib: Any, arguments: dict[str, Any], message: str) -> None:
    """The errors are PyTorch's."""
    F = lib.nn.functional
    with pytest.raises(RuntimeError, match=message):
        F.conv_transpose2d(lib.ones(1, 4, 5, 5), lib.ones(4, 3, 2, 2), **arguments)
    with pytest.raises(RuntimeError, match="Expected 3D"):
        F.conv_transpose2d(lib.ones(5, 5), lib.ones(4, 3, 2, 2))
    with pytest.raises(RuntimeError, match="expected bias to be 1-dimensional with 3 elements"):
        F.conv_transpose2d(lib.ones(1, 4, 5, 5), lib.ones(4, 3, 2, 2), lib.ones(4))


def test_conv_transpose_arguments(lib: Any) -> None:
    """The order of the arguments, the weight's shape, how the layer is printed, and what it refuses."""
    layer = lib.nn.ConvTranspose2d(4, 6, (3, 2), 2, 1, 1, 2, False, 1)
    assert tuple(layer.weight.shape) == (4, 3, 3, 2)
    assert repr(layer) == (
        "ConvTranspose2d(4, 6, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), output_padding=(1, 1), groups=2, "
        "bias=False)"
    )
    with pytest.raises(ValueError, match='Only "zeros" padding mode is supported for ConvTranspose1d'):
        lib.nn.ConvTranspose1d(4, 6, 3, padding_mode="reflect")


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(("mode", "numpys"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
def test_padding_modes(lib: Any, mode: str, numpys: str, dims: int) -> None:
    """The layer convolves what is padded so."""
    layer = getattr(lib.nn, f"Conv{dims}d")(2, 3, 3, padding=(2, 1, 2)[:dims], padding_mode=mode, dtype=lib.float64)
    x = _data(2, 2, *(5, 6, 4)[:dims])
    wide = np.pad(x, [(0, 0), (0, 0), *[(n, n) for n in (2, 1, 2)[:dims]]], numpys)
    expected = getattr(lib.nn.functional, f"conv{dims}d")(lib.from_numpy(wide), layer.weight, layer.bias)
    _close(layer(lib.from_numpy(x)), expected.detach().numpy())
    assert repr(layer).endswith(f"padding_mode={mode})")


def test_padding_mode_with_named_padding(lib: Any) -> None:
    """'same' keeps the size with any border."""
    layer = lib.nn.Conv2d(1, 1, (2, 3), padding="same", padding_mode="circular", dilation=2, dtype=lib.float64)
    x = _data(1, 1, 6, 5)
    wide = lib.from_numpy(np.pad(x, [(0, 0), (0, 0), (1, 1), (2, 2)], "wrap"))
    expected = lib.nn.functional.conv2d(wide, layer.weight, layer.bias, dilation=2)
    _close(layer(lib.from_numpy(x)), expected.detach().numpy())
    with pytest.raises(ValueError, match="padding_mode must be one of"):
        lib.nn.Conv2d(1, 1, 3, padding_mode="nonsense")


BAD_PADS = [
    ((1, 1), "reflect", NotImplementedError, "not supported for 4D"),
    ((5, 1, 1, 1), "reflect", RuntimeError, "Padding size should be less than"),
    ((6, 1, 1, 1), "circular", RuntimeError, "wrapping around more than once"),
    ((1, 1, 1), "replicate", RuntimeError, "divisible by 2"),
    ((1, 1, 1, 1), "nonsense", NotImplementedError, "Unrecognised padding mode"),
]


@pytest.mark.parametrize(("pad", "mode", "error", "message"), BAD_PADS, ids=[case[3] for case in BAD_PADS])
def test_bad_pads(lib: Any, pad: Any, mode: str, error: type[Exception], message: str) -> None:
    """The errors are PyTorch's."""
    with pytest.raises(error, match=message):
        lib.nn.functional.pad(lib.ones(1, 4, 5, 5), pad, mode=mode)
    with pytest.raises(RuntimeError, match="doesn't take in value argument"):
        lib.nn.functional.pad(lib.ones(1, 4, 5, 5), (1, 1, 1, 1), mode="reflect", value=1.0)


LAYERS = [
    ("Conv1d", (4, 6, 3), {"stride": 2, "padding": 1, "padding_mode": "reflect"}, (2, 4, 20)),
    ("Conv2d", (4, 6, 3), {"stride": 2, "padding": 1, "groups": 2}, (2, 4, 9, 21)),
    ("Conv2d", (8, 8, 3), {"padding": 1, "groups": 8}, (2, 8, 20, 30)),
    ("Conv3d", (2, 5, (2, 3, 3)), {"padding": 1, "dilation": (1, 2, 1)}, (2, 2, 4, 8, 30)),
    ("ConvTranspose1d", (4, 6, 5), {"stride": 3, "output_padding": 2}, (2, 4, 40)),
    ("ConvTranspose2d", (4, 6, 4), {"stride": 2, "padding": 1, "groups": 2}, (2, 4, 9, 21)),
    ("ConvTranspose2d", (4, 6, 3), {"output_padding": 1, "dilation": 2, "padding": 1}, (4, 9, 7)),
    ("ConvTranspose3d", (2, 3, 2), {"stride": (1, 2, 2), "bias": False}, (1, 2, 3, 4, 5)),
]


@pytest.mark.parametrize(("name", "sizes", "arguments", "shape"), LAYERS, ids=[f"{n}{s}" for n, s, _, _ in LAYERS])
def test_results_and_gradients_are_pytorchs(name: str, sizes: Any, arguments: dict[str, Any], shape: Any) -> None:
    """With one state_dict, in float32."""
    torch = pytest.importorskip("torch")
    ours, theirs = (getattr(lib.nn, name)(*sizes, **arguments) for lib in (sg, torch))
    theirs.load_state_dict({key: torch.from_numpy(value.numpy()) for key, value in ours.state_dict().items()})
    numbers = _data(*shape).astype(np.float32)
    x, y = sg.tensor(numbers, requires_grad=True), torch.tensor(numbers, requires_grad=True)
    found, expected = ours(x), theirs(y)
    derivatives = _data(*expected.shape).astype(np.float32)
    found.backward(sg.tensor(derivatives))
    expected.backward(torch.tensor(derivatives))
    _close(found, expected.detach().numpy(), 2e-5)
    _close(x.grad, y.grad.numpy(), 2e-5)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        _close(mine.grad, other.grad.numpy(), 1e-4)


def test_a_list_of_one_number_is_for_all_dimensions(lib: Any) -> None:
    """As stride, padding, dilation and output padding."""
    x = lib.ones(1, 2, 7, 7)
    assert lib.nn.Conv2d(2, 3, 3, stride=[2], padding=[1], dilation=[1])(x).shape == (1, 3, 4, 4)
    assert lib.nn.ConvTranspose2d(2, 3, 3, stride=[2], padding=[1], output_padding=[1])(x).shape == (1, 3, 14, 14)
