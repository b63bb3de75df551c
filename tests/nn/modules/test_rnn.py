"""RNN, LSTM, GRU and their cells: sequences, layers, directions, states, and errors."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

from .against_torch import same_as_torch

RNG = np.random.default_rng(0)
KINDS = ["RNN", "LSTM", "GRU"]


def data(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def states_of(found: Any) -> list[Any]:
    """The last states as a list."""
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_repeats_its_cell(lib: Any, kind: str) -> None:
    """Output and last state are those of the cell, applied to one step after the other."""
    layer = getattr(lib.nn, kind)(3, 4).double()
    cell = getattr(lib.nn, f"{kind}Cell")(3, 4).double()
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    x = lib.from_numpy(data(5, 2, 3))
    output, last = layer(x)
    state = None
    for step in range(5):
        state = cell(x[step], state)
        assert lib.allclose(output[step], states_of(state)[0])
    for found, expected in zip(states_of(last), states_of(state), strict=True):
        assert lib.allclose(found[0], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_directions_and_layers(lib: Any, kind: str) -> None:
    """A bidirectional layer is two layers, one of them on the reversed sequence; the next takes both outputs."""
    deep = getattr(lib.nn, kind)(3, 4, num_layers=2, bidirectional=True).double()
    x = lib.from_numpy(data(5, 2, 3))
    output, last = deep(x)
    below, lasts = x, []
    for number in range(2):
        parts = []
        for suffix in ("", "_reverse"):
            single = getattr(lib.nn, kind)(below.shape[2], 4).double()
            names = single.state_dict()
            single.load_state_dict({n: deep.state_dict()[f"{n[:-1]}{number}{suffix}"] for n in names})
            found, state = single(below.flip(0) if suffix else below)
            parts.append(found.flip(0) if suffix else found)
            lasts.append(states_of(state))
        below = lib.cat(parts, -1)
    assert lib.allclose(output, below)
    for found, expected in zip(states_of(last), zip(*lasts, strict=True), strict=True):
        assert lib.allclose(found, lib.cat(list(expected)))


@pytest.mark.parametrize("kind", KINDS)
def test_forms_of_input(lib: Any, kind: str) -> None:
    """batch_first, a single sequence, and given states change the form, not the numbers."""
    layer = getattr(lib.nn, kind)(3, 4).double()
    transposed = getattr(lib.nn, kind)(3, 4, batch_first=True).double()
    transposed.load_state_dict(layer.state_dict())
    x = lib.from_numpy(data(5, 2, 3))
    output, last = layer(x)
    assert lib.allclose(transposed(x.transpose(0, 1))[0].transpose(0, 1), output)
    single, state = layer(x[:, 1])
    assert lib.allclose(single, output[:, 1])
    assert [s.shape for s in states_of(state)] == [(1, 4)] * len(states_of(state))
    first, center = layer(x[:3])
    rest, end = layer(x[3:], center)
    assert lib.allclose(lib.cat([first, rest]), output)
    for found, expected in zip(states_of(end), states_of(last), strict=True):
        assert lib.allclose(found, expected)
    assert layer(x[:, :0])[0].shape == (5, 0, 4)


def test_parameters(lib: Any) -> None:
    """Names, order and shapes are PyTorch's; values start uniform in (-1/sqrt(H), 1/sqrt(H))."""
    layer = lib.nn.LSTM(3, 16, 2, bidirectional=True, proj_size=2)
    names = ["weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"]
    ends = [f"_l{number}{suffix}" for number in range(2) for suffix in ("", "_reverse")]
    shapes = {name: tuple(value.shape) for name, value in layer.state_dict().items()}
    assert list(shapes) == [name + end for end in ends for name in names]
    assert [shapes[name + "_l1"] for name in names] == [(64, 4), (64, 2), (64,), (64,), (2, 16)]
    values = lib.cat([p.detach().flatten() for p in layer.parameters()])
    assert 0.24 < float(values.max()) <= 0.25
    assert -0.25 <= float(values.min()) < -0.24
    assert [len(weights) for weights in layer.all_weights] == [5] * 4
    assert layer.flatten_parameters() is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("RNN(3, 4)", "RNN(3, 4)"),
        ("RNN(3, 4, 2, 'relu', False, True)", "RNN(3, 4, num_layers=2, bias=False, batch_first=True)"),
        ("LSTM(3, 4, 2, dropout=0.5, proj_size=2)", "LSTM(3, 4, proj_size=2, num_layers=2, dropout=0.5)"),
        ("GRU(3, 4, bidirectional=True)", "GRU(3, 4, bidirectional=True)"),
        ("RNNCell(3, 4, False, 'relu')", "RNNCell(3, 4, bias=False, nonlinearity=relu)"),
        ("LSTMCell(3, 4)", "LSTMCell(3, 4)"),
    ],
)
def test_repr(lib: Any, text: str, shown: str) -> None:
    """A layer is printed with what differs from the defaults."""
    assert repr(eval(f"nn.{text}", {"nn": lib.nn})) == shown


def test_dropout_between_layers(lib: Any) -> None:
    """In training the input of the second layer is dropped; in evaluation nothing is."""
    layer = lib.nn.GRU(3, 4, 2, dropout=1.0)
    x = lib.randn(5, 2, 3)
    upper = lib.nn.GRU(4, 4)
    upper.load_state_dict({n: layer.state_dict()[f"{n[:-1]}1"] for n in upper.state_dict()})
    assert lib.allclose(layer(x)[0], upper(lib.zeros(5, 2, 4))[0], atol=1e-6)
    layer.eval()
    assert not lib.allclose(layer(x)[0], upper(lib.zeros(5, 2, 4))[0], atol=1e-3)
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last recurrent layer"):
        lib.nn.LSTM(3, 4, dropout=0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_second_derivatives(kind: str) -> None:
    """Gradients are recorded under create_graph, and their derivatives are the slopes of the gradients."""
    layer = getattr(nn, kind)(2, 3).double()
    x, w = sg.from_numpy(data(3, 2, 2)).requires_grad_(), layer.weight_hh_l0
    assert sg.autograd.gradcheck(lambda x, w: layer(x)[0], (x, w))
    assert sg.autograd.gradgradcheck(lambda x, w: layer(x)[0].sin(), (x, w))


@pytest.mark.parametrize("kind", KINDS)
def test_transforms(kind: str) -> None:
    """Per-example gradients by vmap are those of single examples; jvp is the product with the Jacobian."""
    layer = getattr(nn, kind)(2, 3).double()
    weights = {name: p.detach() for name, p in layer.named_parameters()}
    x = sg.from_numpy(data(4, 3, 2, 2))

    def loss(weights: Any, x: Any) -> Any:
        return (sg.func.functional_call(layer, weights, (x,))[0] ** 2).sum()

    found = sg.func.vmap(sg.func.grad(loss), in_dims=(None, 0))(weights, x)
    for number in range(4):
        single = sg.func.grad(loss)(weights, x[number])
        assert all(sg.allclose(found[name][number], single[name]) for name in weights)
    direction = sg.from_numpy(data(3, 2, 2))
    tangent = sg.func.jvp(lambda x: loss(weights, x), (x[0],), (direction,))[1]
    assert sg.allclose(tangent, (sg.func.grad(loss, argnums=1)(weights, x[0]) * direction).sum())


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision(dtype: str) -> None:
    """Computed in float32, and rounded."""
    layer, x = nn.GRU(3, 4), sg.randn(5, 2, 3)
    half = nn.GRU(3, 4).to(getattr(sg, dtype))
    half.load_state_dict(layer.state_dict())
    found = half(x.to(getattr(sg, dtype)))[0]
    assert found.dtype is getattr(sg, dtype)
    assert sg.allclose(found.float(), layer(x)[0], atol=0.02)
    found.sum().backward()
    assert half.weight_ih_l0.grad.dtype is getattr(sg, dtype)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options",
    [{}, {"num_layers": 2, "bidirectional": True}, {"bias": False, "batch_first": True}, {"num_layers": 3}],
    ids=str,
)
def test_as_pytorch(kind: str, options: dict[str, Any]) -> None:
    """Outputs, states and all gradients are PyTorch's."""
    shape = (2, 7, 5) if options.get("batch_first") else (7, 2, 5)
    same_as_torch(lambda lib: getattr(lib.nn, kind)(5, 19, **options), [data(*shape)])


def test_projections_as_pytorch() -> None:
    """An LSTM with projections, in both directions."""
    same_as_torch(lambda lib: lib.nn.LSTM(5, 19, 2, bidirectional=True, proj_size=3), [data(7, 2, 5)])


def test_relu_as_pytorch() -> None:
    """An RNN with relu."""
    same_as_torch(lambda lib: lib.nn.RNN(5, 19, nonlinearity="relu"), [data(7, 2, 5)])


ERRORS = {
    "LSTM(3, 4, dropout=2)": (ValueError, "dropout should be a number in range"),
    "LSTM(3, 4.0)": (TypeError, "hidden_size should be of type int, got: float"),
    "GRU(3, 0)": (ValueError, "hidden_size must be greater than zero"),
    "RNN(3, 4, 0)": (ValueError, "num_layers must be greater than zero"),
    "LSTM(3, 4, proj_size=-1)": (ValueError, "proj_size should be a positive integer or zero"),
    "LSTM(3, 4, proj_size=4)": (ValueError, "proj_size has to be smaller than hidden_size"),
    "GRU(3, 4, proj_size=2)": (ValueError, "proj_size argument is only supported for LSTM"),
    "RNN(3, 4, nonlinearity='x')": (ValueError, "Unknown nonlinearity 'x'. Select from 'tanh' or 'relu'."),
    "LSTM(3, 4)(zeros(3))": (ValueError, "LSTM: Expected input to be 2D or 3D, got 1D"),
    "GRU(3, 4)(zeros(2, 5, 2))": (RuntimeError, "Expected 3, got 2"),
    "GRU(3, 4)(zeros(2, 5, 3).double())": (ValueError, "does not match weight dtype"),
    "LSTM(3, 4)(zeros(2, 5, 3), (zeros(1, 4, 4), zeros(1, 5, 4)))": (RuntimeError, r"Expected hidden\[0\] size"),
    "LSTM(3, 4)(zeros(2, 5, 3), (zeros(5, 4), zeros(5, 4)))": (RuntimeError, "hx and cx should also be 3-D but got"),
    "RNN(3, 4)(zeros(2, 3), zeros(1, 5, 4))": (RuntimeError, "For unbatched 2-D input, hx should also be 2-D"),
    "GRU(3, 4)(zeros(0, 5, 3))": (RuntimeError, "Expected sequence length to be larger than 0 in RNN"),
    "RNNCell(3, 4)(zeros(1, 2, 3))": (ValueError, "RNNCell: Expected input to be 1D or 2D, got 3D instead"),
    "LSTMCell(3, 4)(zeros(2, 2))": (RuntimeError, "input has inconsistent input_size: got 2 expected 3"),
    "GRUCell(3, 4)(zeros(2, 3), zeros(3, 4))": (RuntimeError, "Input batch size 2 doesn't match hidden0 batch size 3"),
    "RNNCell(3, 4, nonlinearity='x')(zeros(2, 3))": (RuntimeError, "Unknown nonlinearity: x"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(lib: Any, text: str) -> None:
    """Mistakes are PyTorch's errors."""
    error, message = ERRORS[text]
    with pytest.raises(error, match=message):
        eval(f"nn.{text}", {"nn": lib.nn, "zeros": lib.zeros})
