"""Every op of the package: its formulas, its examples, its generated code, its values, and the layers around them."""

import doctest
import subprocess
import sys
from pathlib import Path

import activation_ops
import numpy as np
import pytest
from activation_ops.generated.registry import BY_NAME
from scipy import special

import specgrad as sg
from specgrad import nn
from specgrad.codegen.verify.op import verify_op

SPEC = Path(activation_ops.__file__).with_name("activation_ops.yaml")
X = np.linspace(-6, 6, 41)
SOFT = np.logaddexp(0, X)
REFERENCES = {
    "swish": (lambda f, x: f(x), X * special.expit(X)),
    "squared_relu": (lambda f, x: f(x), np.where(X > 0, X**2, 0)),
    "tanh_exp": (lambda f, x: f(x), X * np.tanh(np.exp(X))),
    "serf": (lambda f, x: f(x), X * special.erf(SOFT)),
    "isru": (lambda f, x: f(x, alpha=0.5), X / np.hypot(1, 0.5 * X)),
    "elliott": (lambda f, x: f(x, steepness=2), 2 * X / (1 + np.abs(2 * X))),
    "two_slopes": (lambda f, x: f(x, left=-1), np.abs(X)),
    "clipped": (lambda f, x: f(x, -2, 0.5), np.clip(X, -2, 0.5)),
    "log_cosh": (lambda f, x: f(x), np.log(np.cosh(X))),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_formulas(name: str) -> None:
    """Gradients, tangents, batches, layouts and dtypes agree with differences of the function and with each other."""
    report = verify_op(BY_NAME[name])
    assert report.checks and not report.lines(list(BY_NAME))


@pytest.mark.parametrize("name", activation_ops.__all__)
def test_examples(name: str) -> None:
    """What a docstring shows is what one sees."""
    names = {"sg": sg, "activation_ops": activation_ops}
    test = doctest.DocTestParser().get_doctest(getattr(activation_ops, name).__doc__ or "", names, name, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_generated_code_is_fresh() -> None:
    """generated/ is what the spec says, and what this specgrad makes of it."""
    command = [sys.executable, "-m", "specgrad.codegen", str(SPEC), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", REFERENCES)
def test_values(name: str) -> None:
    """What NumPy and SciPy say, which know nothing of the kernels."""
    call, expected = REFERENCES[name]
    found = call(getattr(activation_ops, name), sg.tensor(X))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("bend", [0.25, 1.0, 3.0])
def test_a_cubic_root_solves_its_equation(bend: float) -> None:
    x = np.linspace(-3e4, 3e4, 101)
    y = activation_ops.cubic_root(sg.tensor(x), bend).numpy()
    np.testing.assert_allclose(y + bend * y**3, x, rtol=1e-13)


def test_register() -> None:
    """Methods and functions of nn.functional are there from when they are asked for until they are taken back."""
    x = sg.ones(3)
    assert not hasattr(x, "serf") and not hasattr(nn.functional, "serf")
    activation_ops.register()
    assert x.serf().equal(nn.functional.serf(x)) and x.clone().serf_().equal(x.serf())
    activation_ops.unregister()
    assert not hasattr(x, "serf") and not hasattr(nn.functional, "serf")


def test_a_layer_learns_its_slopes() -> None:
    """The gradient of each beta is the sum of its column's: that of a number is the broadcast one."""
    layer = activation_ops.Swish(4)
    x = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    layer(sg.tensor(x)).sum().backward()
    s = special.expit(x.astype(np.float64))
    np.testing.assert_allclose(layer.beta.grad.numpy(), (x**2 * s * (1 - s)).sum(0), rtol=1e-5)
    assert [name for name, _ in layer.named_parameters()] == ["beta"]
    assert repr(activation_ops.TwoSlopes(left=0.5)) == "TwoSlopes(left=0.5, right=1.0)"
    assert activation_ops.CubicRoot(1)(sg.tensor([10.0])).item() == pytest.approx(2.0)
