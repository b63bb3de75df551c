"""Every op of the package: its formulas, its examples, its generated code, its values, and what it refuses."""

import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import row_ops
from row_ops.generated.registry import BY_NAME
from scipy import special

import specgrad as sg
from specgrad.codegen.verify.op import verify_op

SPEC = Path(row_ops.__file__).with_name("row_ops.yaml")
RNG = np.random.default_rng(0)
X, WEIGHT, GAIN = RNG.uniform(0.5, 2, (3, 5, 4)), RNG.uniform(0.1, 2, 5), RNG.normal(size=4)
CALLS = {
    "power_mean": (lambda x: row_ops.power_mean(x, -2.0, 1), np.mean(X**-2.0, 1) ** -0.5),
    "weighted_logsumexp": (
        lambda x: row_ops.weighted_logsumexp(x, sg.tensor(WEIGHT, dtype=x.dtype), 1),
        special.logsumexp(X, 1, WEIGHT[:, None]),
    ),
    "rms_rows": (
        lambda x: row_ops.rms_rows(x, sg.tensor(GAIN, dtype=x.dtype), 0.5),
        X * GAIN / np.sqrt(np.mean(X**2, -1, keepdims=True) + 0.5),
    ),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_formulas(name: str) -> None:
    """Gradients, tangents, batches, layouts and dtypes agree with differences of the function and with each other."""
    report = verify_op(BY_NAME[name])
    assert report.checks and not report.lines(list(BY_NAME))


@pytest.mark.parametrize("name", row_ops.__all__)
def test_examples(name: str) -> None:
    """What a docstring shows is what one sees."""
    names = {"sg": sg, "row_ops": row_ops}
    test = doctest.DocTestParser().get_doctest(getattr(row_ops, name).__doc__ or "", names, name, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_generated_code_is_fresh() -> None:
    """generated/ is what the spec says, and what this specgrad makes of it."""
    command = [sys.executable, "-m", "specgrad.codegen", str(SPEC), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("dtype", "exact"), [(sg.float64, 1e-13), (sg.float32, 1e-6)])
def test_values(name: str, dtype: sg.dtype, exact: float) -> None:
    """NumPy's and SciPy's, in both dtypes, also of rows that do not lie together."""
    call, expected = CALLS[name]
    x = sg.tensor(X, dtype=dtype)
    separate = sg.tensor(np.ascontiguousarray(X.T), dtype=dtype).permute(2, 1, 0)
    assert not separate.is_contiguous()
    for given in (x, separate):
        found = call(given)
        assert found.dtype == dtype
        np.testing.assert_allclose(found.numpy(), expected, rtol=exact)


@pytest.mark.parametrize("name", CALLS)
def test_both_orders_of_gradients(name: str) -> None:
    """Against differences of the function, and of its gradients, which come from the formulas."""
    call, _ = CALLS[name]
    x = sg.tensor(X[:1, :, :2] if name != "rms_rows" else X[:1, :2], requires_grad=True)
    assert sg.autograd.gradcheck(call, (x,))
    assert sg.autograd.gradgradcheck(call, (x,))


def test_a_batch_of_weights() -> None:
    """What vmap gives is what a loop gives, whatever differs between the examples."""
    x, weight = sg.tensor(X), sg.tensor(RNG.uniform(0.1, 2, (3, 4)))
    expected = sg.stack([row_ops.weighted_logsumexp(a, w) for a, w in zip(x, weight, strict=True)])
    assert sg.func.vmap(row_ops.weighted_logsumexp)(x, weight).allclose(expected)
    shared = sg.func.vmap(row_ops.weighted_logsumexp, in_dims=(1, None))(x, weight[0])
    assert shared.allclose(row_ops.weighted_logsumexp(x, weight[0]).T)


def test_what_does_not_fit_is_refused() -> None:
    """The errors name the op, what was expected and what came."""
    with pytest.raises(
        RuntimeError, match=r"weighted_logsumexp\(\): expected one number .* rows of 4, but got shape \(3"
    ):
        row_ops.weighted_logsumexp(sg.ones(2, 4), sg.ones(3))
    with pytest.raises(RuntimeError, match=r"rms_rows\(\): expected rows, but got a single number"):
        row_ops.rms_rows(sg.ones(()), sg.ones(1))
    with pytest.raises(RuntimeError, match=r"power_mean\(\): expected rows of numbers and a power, but got 0 and 2"):
        row_ops.power_mean(sg.ones(2, 0))


def test_the_layer_learns_its_gains() -> None:
    """One for each column, with the gradient that NumPy gives."""
    layer = row_ops.RowNorm(4, eps=0.5)
    x = X[0].astype(np.float32)
    layer(sg.tensor(x)).sum().backward()
    unit = x / np.sqrt(np.mean(x.astype(np.float64) ** 2, -1, keepdims=True) + 0.5)
    np.testing.assert_allclose(layer.gain.grad.numpy(), unit.sum(0), rtol=1e-5)
