"""Transforms: inverses, determinants beside differences, caches, shapes and composition."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributions as D


def numbers(*values: float) -> Any:
    return sg.tensor(values, dtype=sg.float64)


def bijective(name: str) -> tuple[Any, Any]:
    """A transform of vectors of three numbers, or of each of three, and what it is applied to."""
    x, positive = numbers(0.3, -0.8, 1.4), numbers(0.3, 0.8, 0.4)
    return {
        "affine": lambda: (D.AffineTransform(numbers(1.0, 2.0, 3.0), -2.0), x),
        "affine of vectors": lambda: (D.AffineTransform(0.5, numbers(1.0, -2.0, 3.0), event_dim=1), x),
        "affine of a number for vectors": lambda: (D.AffineTransform(0.5, numbers(2.0)[0], event_dim=1), x),
        "exp": lambda: (D.ExpTransform(), x),
        "power": lambda: (D.PowerTransform(numbers(1.5, -2.0, 0.5)), positive),
        "sigmoid": lambda: (D.SigmoidTransform(), x),
        "softplus": lambda: (D.SoftplusTransform(), x),
        "tanh": lambda: (D.TanhTransform(), x),
        "stick": lambda: (D.StickBreakingTransform(), x),
        "correlation": lambda: (D.CorrCholeskyTransform(), x),
        "reshape": lambda: (D.ReshapeTransform((3,), (1, 3)), x),
        "independent": lambda: (D.IndependentTransform(D.ExpTransform(), 1), x),
        "cdf": lambda: (D.CumulativeDistributionTransform(D.Normal(numbers(0.0, 1.0, 2.0), 1.0)), x),
        "composed": lambda: (D.ComposeTransform([D.AffineTransform(1.0, 2.0), D.StickBreakingTransform()]), x),
        "identity": lambda: (D.identity_transform, x),
        "inverse": lambda: (D.SigmoidTransform().inv, positive),
        "cat": lambda: (D.CatTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)], -1, [1, 2]), x),
    }[name]()


NAMES = ("affine", "affine of vectors", "affine of a number for vectors", "exp", "power", "sigmoid", "softplus", "tanh")
NAMES += ("stick", "correlation", "reshape", "independent", "cdf", "composed", "identity", "inverse", "cat")
each = pytest.mark.parametrize("name", NAMES)


def jacobian(transform: Any, x: Any) -> Any:
    """Differences of all results by all arguments; of a matrix or simplex the coordinates that are free."""
    step = 1e-6

    def free(y: Any) -> Any:
        found = y.numpy().copy()
        if repr(transform.codomain) == "CorrCholesky()":
            return found[np.tril_indices(found.shape[-1], -1)]
        return found.ravel()[: x.numel()]

    columns = []
    for i in range(x.numel()):
        moved = np.zeros(x.numel())
        moved[i] = step
        plus, minus = (free(transform(x + sign * sg.tensor(moved))) for sign in (1, -1))
        columns.append((plus - minus) / (2 * step))
    return np.stack(columns, -1)


@each
def test_inverse(name: str) -> None:
    """Both ways give what was given, and results lie in the codomain."""
    transform, x = bijective(name)
    y = transform(x)
    assert transform.bijective and transform.inv.bijective and transform.inv.inv is transform
    np.testing.assert_allclose(transform.inv(y).numpy(), x.numpy(), rtol=1e-9)
    assert bool(transform.domain.check(x).all()) and bool(transform.codomain.check(y).all())
    assert repr(transform.inv.domain) == repr(transform.codomain) and transform.inv.codomain.event_dim >= 0


@each
def test_determinant(name: str) -> None:
    """The determinant is that of differences, also of the inverse; of vectors one, of numbers one each."""
    transform, x = bijective(name)
    y = transform(x)
    found = transform.log_abs_det_jacobian(x, y)
    assert found.shape == x.shape[: x.dim() - transform.domain.event_dim]
    np.testing.assert_allclose(found.sum().numpy(), np.linalg.slogdet(jacobian(transform, x))[1], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(transform.inv.log_abs_det_jacobian(y, x).numpy(), -found.numpy(), rtol=1e-9)


@each
def test_shapes(name: str) -> None:
    """Batches stay, and shapes are foretold."""
    transform, x = bijective(name)
    batch = x.expand(4, 2, 3)
    y = transform(batch)
    assert y.shape == transform.forward_shape(batch.shape)
    assert batch.shape == transform.inverse_shape(y.shape) == transform.inv.forward_shape(y.shape)
    np.testing.assert_allclose(y[1, 1].numpy(), transform(x).numpy(), rtol=1e-12)
    found = transform.log_abs_det_jacobian(batch, y)
    assert found.shape == batch.shape[: batch.dim() - transform.domain.event_dim]


@each
def test_cache(name: str) -> None:
    """With a cache the inverse of the last result is the very argument; a copy, or one from a pickle, is the same."""
    transform, x = bijective(name)
    retained = transform.with_cache()
    y = retained(x)
    if name not in ("identity", "inverse"):
        assert retained(x) is y or name == "composed"
    assert retained.inv(y) is x
    assert retained.with_cache() is retained or name == "inverse"
    for other in (copy.deepcopy(retained), pickle.loads(pickle.dumps(retained))):
        np.testing.assert_array_equal(other(x).numpy(), y.numpy())


@each
def test_densities_integrate(name: str) -> None:
    """A transformed distribution has the base's density over the determinant; samples have the codomain."""
    transform, x = bijective(name)
    base = D.Uniform(sg.full_like(x, 0.0 if name in ("power", "inverse") else -3.0), sg.ones_like(x) * 1.5)
    if name == "inverse":
        base = D.Uniform(sg.zeros_like(x), 1.0)
    made = D.TransformedDistribution(base, transform)
    y = transform(x)
    dims = len(made.event_shape)
    requested = base.log_prob(x).sum() - transform.log_abs_det_jacobian(x, y).sum()
    np.testing.assert_allclose(made.log_prob(y).sum().numpy(), requested.numpy(), rtol=1e-9)
    sample = made.rsample((4,))
    assert sample.shape == (4, *made.batch_shape, *made.event_shape) and dims == made.support.event_dim
    assert bool(made.support.check(sample).all())
    assert made.expand((2, *made.batch_shape)).sample().shape == (2, *made.batch_shape, *made.event_shape)


def test_signs() -> None:
    """Increasing functions have the sign 1, decreasing ones -1, and compositions the product."""
    assert D.ExpTransform().sign == D.TanhTransform().inv.sign == D.identity_transform.sign == 1
    assert D.AffineTransform(0.0, -2.0).sign == -1 and D.AffineTransform(0.0, 0.0).sign == 0
    assert D.AffineTransform(0.0, sg.tensor([2.0, -1.0])).sign.tolist() == [1.0, -1.0]
    assert D.PowerTransform(-2.0).sign == -1
    assert D.ComposeTransform([D.AffineTransform(0.0, -1.0), D.ExpTransform()]).sign == -1
    with pytest.raises(NotImplementedError):
        _ = D.StickBreakingTransform().sign


def test_equality() -> None:
    """Transforms are equal by what they compute."""
    assert D.ExpTransform() == D.ExpTransform() != D.TanhTransform()
    assert D.ExpTransform().inv == D.ExpTransform().inv
    assert D.AffineTransform(sg.ones(2), 2.0) == D.AffineTransform(1.0, 2.0) != D.AffineTransform(0.0, 2.0)
    assert D.PowerTransform(2.0) == D.PowerTransform(sg.tensor(2.0)) != D.PowerTransform(3.0)
    assert D.ComposeTransform([D.AbsTransform()]) == D.ComposeTransform([D.AbsTransform()]) != D.identity_transform
    assert D.SoftmaxTransform() == D.SoftmaxTransform() and D.StickBreakingTransform() != D.SoftmaxTransform()
    assert D.LowerCholeskyTransform() == D.LowerCholeskyTransform() != D.PositiveDefiniteTransform()


def test_those_without_a_determinant() -> None:
    """They give values of the codomain, and an argument for each value."""
    y = sg.tensor([[0.2, 0.3, 0.5]], dtype=sg.float64)
    np.testing.assert_allclose(D.SoftmaxTransform()(D.SoftmaxTransform().inv(y)).numpy(), y.numpy(), rtol=1e-12)
    assert D.AbsTransform().inv(D.AbsTransform()(numbers(-2.0))).tolist() == [2.0]
    x = sg.tensor(np.random.default_rng(0).normal(size=(2, 3, 3)))
    for transform in (D.LowerCholeskyTransform(), D.PositiveDefiniteTransform()):
        found = transform(x)
        assert bool(transform.codomain.check(found).all()) and not transform.bijective
        np.testing.assert_allclose(transform(transform.inv(found)).numpy(), found.numpy(), rtol=1e-10)
        with pytest.raises(NotImplementedError):
            transform.log_abs_det_jacobian(x, found)


def test_parts_of_several_kinds() -> None:
    """`cat` along the batch puts determinants side by side; parts of an event have one together."""
    x = sg.tensor([[0.1, 0.2], [0.3, 0.4]], dtype=sg.float64)
    rows = D.CatTransform([D.IndependentTransform(D.ExpTransform(), 1), D.StackTransform([D.ExpTransform()] * 2, -1)])
    assert rows.lengths == [1, 1] and rows.length == 2 and rows.event_dim == 1
    both = D.CatTransform([D.IndependentTransform(D.ExpTransform(), 1)] * 2)
    np.testing.assert_allclose(both.log_abs_det_jacobian(x, both(x)).numpy(), [0.3, 0.7])
    x = sg.tensor([[0.1, 0.2], [0.3, 0.4]], dtype=sg.float64)
    for dim in (0, 1):
        stacked = D.StackTransform([D.ExpTransform(), D.AffineTransform(0.0, 3.0)], dim=dim)
        y = stacked(x)
        np.testing.assert_allclose(y.select(dim, 0).numpy(), x.select(dim, 0).exp().numpy())
        np.testing.assert_allclose(stacked.inv(y).numpy(), x.numpy(), rtol=1e-12)
        found = stacked.log_abs_det_jacobian(x, y)
        np.testing.assert_allclose(found.select(dim, 0).numpy(), x.select(dim, 0).numpy())
        np.testing.assert_allclose(found.select(dim, 1).numpy(), np.full(2, np.log(3.0)))
        assert bool(stacked.codomain.check(y).all()) and stacked.bijective
    within = D.CatTransform([D.IndependentTransform(D.ExpTransform(), 1)] * 2, dim=-1)
    np.testing.assert_allclose(within.log_abs_det_jacobian(x, within(x)).numpy(), [0.3, 0.7])


def test_extremes() -> None:
    """Sigmoids stay inside, so that their inverse is finite; tanh's determinant does not vanish."""
    ends = sg.tensor([-200.0, 200.0])
    for transform in (D.SigmoidTransform(), D.StickBreakingTransform()):
        assert bool(transform.inv(transform(ends)).isfinite().all())
    found = D.TanhTransform().log_abs_det_jacobian(ends, ends.tanh())
    np.testing.assert_allclose(found.numpy(), np.full(2, 2 * (np.log(2) - 200)), rtol=1e-6)
    assert bool(D.CorrCholeskyTransform()(sg.tensor([50.0, -50.0, 50.0])).isfinite().all())


def test_printed() -> None:
    """As PyTorch prints them."""
    composed = D.ComposeTransform([D.ExpTransform(), D.TanhTransform().inv])
    assert repr(composed) == "ComposeTransform(\n    ExpTransform(),\n    _InverseTransform(TanhTransform())\n)"
    assert repr(D.IndependentTransform(D.ExpTransform(), 2)) == "IndependentTransform(ExpTransform(), 2)"


def test_errors() -> None:
    """Sizes, shapes and parts that do not fit are named."""
    with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
        D.ExpTransform(cache_size=2)
    with pytest.raises(ValueError, match="different numbers of elements"):
        D.ReshapeTransform((2,), (3,))
    with pytest.raises(ValueError, match="Shape mismatch"):
        D.ReshapeTransform((4,), (2, 2)).forward_shape((3, 5))
    with pytest.raises(ValueError, match="Too few dimensions"):
        D.IndependentTransform(D.ExpTransform(), 1)(sg.tensor(1.0))
    with pytest.raises(ValueError, match="Too few dimensions"):
        D.StickBreakingTransform().forward_shape(())
    with pytest.raises(ValueError, match="not a flattened lower-diagonal"):
        D.CorrCholeskyTransform().forward_shape((2,))
    with pytest.raises(ValueError, match="Input is not square"):
        D.CorrCholeskyTransform().inverse_shape((3, 2))
    with pytest.raises(ValueError, match="either .domain.event_dim or .codomain.event_dim"):
        _ = D.CorrCholeskyTransform().event_dim
    with pytest.raises(AssertionError, match="expected 2"):
        D.CatTransform([D.ExpTransform()] * 2)(sg.ones(3))
    with pytest.raises(AssertionError, match="must match tseq"):
        D.CatTransform([D.ExpTransform()], lengths=[1, 2])
    with pytest.raises(AssertionError, match="Transform instances"):
        D.StackTransform([sg.exp])  # type: ignore[list-item]
    with pytest.raises(AssertionError, match="out of range"):
        D.StackTransform([D.ExpTransform()], dim=1)(sg.ones(1))


def test_a_transform_of_ones_own() -> None:
    """A derived class says what it computes; what it leaves out is not there."""

    class Double(D.Transform):
        domain = codomain = D.constraints.real
        bijective = True

        def _call(self, x: Any) -> Any:
            return 2 * x

    assert Double()(sg.tensor(2.0)) == 4 and Double() != Double() and repr(Double()) == "Double()"
    assert Double(cache_size=1).with_cache(0)._cache_size == 0
    with pytest.raises(NotImplementedError):
        Double().inv(sg.tensor(1.0))

    class Scaled(Double):
        def __init__(self, factor: float) -> None:
            super().__init__()

    with pytest.raises(NotImplementedError, match="with_cache is not implemented"):
        Scaled(1.0).with_cache()
