"""The activations beside the usual ones: formulas, flags, how layers print, randomness, wrong arguments."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

F = nn.functional


@pytest.mark.parametrize(
    ("code", "function"),
    [
        ("CELU(0.5)", lambda x: np.where(x > 0, x, 0.5 * np.expm1(2 * x))),
        ("ReLU6()", lambda x: np.clip(x, 0, 6)),
        ("Mish()", lambda x: x * np.tanh(np.log1p(np.exp(x)))),
        ("Threshold(0.5, 9)", lambda x: np.where(x > 0.5, x, 9)),
        ("RReLU(0.1, 0.3).eval()", lambda x: np.where(x > 0, x, 0.2 * x)),
        ("Hardsigmoid()", lambda x: np.clip(x + 3, 0, 6) / 6),
        ("Hardswish()", lambda x: x * np.clip(x + 3, 0, 6) / 6),
        ("Hardshrink(1.0)", lambda x: np.where(abs(x) > 1, x, 0)),
        ("Softshrink(1.0)", lambda x: np.sign(x) * np.maximum(abs(x) - 1, 0)),
        ("Tanhshrink()", lambda x: x - np.tanh(x)),
        ("Softsign()", lambda x: x / (1 + abs(x))),
        ("GLU(1)", lambda x: x[:, :2] / (1 + np.exp(-x[:, 2:]))),
        ("Softmin(0)", lambda x: np.exp(-x) / np.exp(-x).sum(0)),
        ("PReLU(4).double()", lambda x: np.where(x > 0, x, 0.25 * x)),
    ],
)
def test_formulas(lib: Any, code: str, function: Any) -> None:
    """Each layer is its formula."""
    x = np.linspace(-8, 8, 12).reshape(3, 4)
    found = eval(f"nn.{code}", {"nn": lib.nn})(lib.from_numpy(x))
    np.testing.assert_allclose(found.detach().numpy(), function(x), rtol=1e-12)


@pytest.mark.parametrize("name", ["CELU", "ReLU6", "SELU", "Mish", "Hardsigmoid", "Hardswish", "RReLU"])
def test_in_place(lib: Any, name: str) -> None:
    """With inplace the result is the input."""
    x = lib.tensor([-2.0, 0.5, 8.0])
    expected = getattr(lib.nn, name)().eval()(x)
    assert getattr(lib.nn, name)(inplace=True).eval()(x) is x
    assert (x == expected).all()


KERNEL_SOURCES = {
    "CELU(2.0, True)": "CELU(alpha=2.0, inplace=True)",
    "SELU()": "SELU()",
    "Mish(True)": "Mish(inplace=True)",
    "Hardswish(True)": "Hardswish()",
    "GLU(0)": "GLU(dim=0)",
    "Softshrink()": "Softshrink(0.5)",
    "Hardshrink(0.3)": "Hardshrink(0.3)",
    "Threshold(0.1, 20, True)": "Threshold(threshold=0.1, value=20, inplace=True)",
    "RReLU()": "RReLU(lower=0.125, upper=0.3333333333333333)",
    "ReLU6()": "ReLU6()",
    "ReLU6(True)": "ReLU6(inplace=True)",
    "Softmin(1)": "Softmin(dim=1)",
    "PReLU(3, 0.1)": "PReLU(num_parameters=3)",
}


@pytest.mark.parametrize("code", KERNEL_SOURCES)
def test_repr(lib: Any, code: str) -> None:
    """Layers print what they were made with."""
    assert repr(eval(f"nn.{code}", {"nn": lib.nn})) == KERNEL_SOURCES[code]


@pytest.mark.parametrize("in_place", [False, True])
def test_random_slopes(in_place: bool) -> None:
    """In training each element has a slope of its own between the bounds, and its gradient is that slope."""
    x = sg.cat([sg.full((1000,), -1.0), sg.ones(10)]).requires_grad_()
    y = F.rrelu(x * 1, 0.1, 0.3, training=True, inplace=in_place)
    derivatives = -y[:1000].detach()
    assert 0.1 <= derivatives.min().item() < 0.11 and 0.29 < derivatives.max().item() <= 0.3
    y.sum().backward()
    assert sg.allclose(x.grad[:1000], derivatives) and (x.grad[1000:] == 1).all()


def test_gumbel_softmax_draws_classes() -> None:
    """One-hot vectors come as often as the probabilities say, and their gradient is that of the soft ones."""
    sg.manual_seed(0)
    logits = sg.tensor([0.1, 0.2, 0.7]).log().expand(20_000, 3).clone().requires_grad_()
    found = F.gumbel_softmax(logits, hard=True)
    assert (found.detach().sum(-1) == 1).all()
    np.testing.assert_allclose(found.detach().mean(0).numpy(), [0.1, 0.2, 0.7], atol=0.02)
    (found * sg.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert logits.grad.abs().sum() > 0 and sg.allclose(logits.grad.sum(-1), sg.zeros(20_000), atol=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.glu(sg.ones(3)), r"glu\(\): expected an even size"),
        (lambda: F.glu(sg.tensor(1.0)), r"glu\(\): expected a tensor with a dimension"),
        (lambda: F.celu(sg.ones(3), 0.0), r"celu\(\): expected alpha other than 0"),
        (lambda: F.softshrink(sg.ones(3), -1.0), r"softshrink\(\): expected a finite lambd >= 0, but got -1"),
        (lambda: F.prelu(sg.ones(2, 3), sg.ones(2)), r"prelu\(\): expected one weight or 3"),
        (lambda: F.prelu(sg.ones(2, 3), sg.ones(1, 3)), r"prelu\(\): expected weight to be a scalar or a 1-d tensor"),
        (lambda: F.prelu(sg.tensor(1.0), sg.ones(2)), r"prelu\(\): expected an input with dimensions"),
        (lambda: F.prelu(sg.ones(3), sg.ones(1).double()), r"prelu\(\): .*float32 and .*float64"),
        (lambda: F.rrelu(sg.ones(3), 0.5, 0.2), r"rrelu\(\): expected lower <= upper"),
        (lambda: sg.complex(sg.ones(1), sg.ones(1).double()), r"complex\(\): expected two tensors of one dtype"),
        (lambda: sg.heaviside(sg.ones(1), sg.tensor([1])), r"heaviside\(\): expected two tensors of one dtype"),
        (lambda: sg.polygamma(-1, sg.ones(1)), r"polygamma\(\): expected an order n >= 0, but got -1"),
        (lambda: sg.mvlgamma(sg.ones(1), 0), r"mvlgamma\(\): expected p >= 1, but got 0"),
        (lambda: F.hardshrink(sg.tensor([1])), r"hardshrink\(\): .*int64"),
        (lambda: sg.polar(sg.tensor([1]), sg.tensor([2])), r"polar\(\): expected .* but got int64 and int64"),
        (lambda: sg.view_as_complex(sg.ones(3)), r"view_as_complex\(\): expected a last dimension of size 2"),
        (lambda: sg.view_as_real(sg.ones(3)), r"view_as_real\(\): expected a complex tensor"),
        (lambda: sg.positive(sg.tensor([True])), r"positive\(\): expected a dtype that is not bool"),
        (lambda: sg.deg2rad(sg.tensor([1j])), r"deg2rad\(\): expected a tensor of real numbers"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    """The message names the function, what was expected, and what came; the class is PyTorch's."""
    with pytest.raises(RuntimeError, match=message):
        call()
