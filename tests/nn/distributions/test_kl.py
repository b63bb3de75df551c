"""Divergences: of pairs of numbers beside integrals of SciPy's densities, of Gaussian ones beside linear algebra."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import specgrad as sg
from specgrad import distributions as D
from specgrad.distributions.kl import _KL_MEMOIZE, _KL_REGISTRY

PARAMETERS: dict[str, tuple[tuple[float, ...], tuple[float, ...], Any]] = {  # of p, of q, and SciPy's distribution
    "Beta": ((1.5, 2.5), (2.0, 1.25), stats.beta),
    "Exponential": ((1.5,), (0.75,), lambda rate: stats.expon(scale=1 / rate)),
    "Gamma": ((2.5, 1.5), (1.75, 2.0), lambda a, rate: stats.gamma(a, scale=1 / rate)),
    "Gumbel": ((0.5, 1.5), (-0.25, 2.0), stats.gumbel_r),
    "HalfNormal": ((1.5,), (0.75,), lambda scale: stats.halfnorm(scale=scale)),
    "Laplace": ((0.5, 1.5), (-0.25, 2.0), stats.laplace),
    "LogNormal": ((0.5, 0.5), (-0.25, 0.75), lambda loc, scale: stats.lognorm(scale, scale=np.exp(loc))),
    "Normal": ((0.5, 1.5), (-0.25, 2.0), stats.norm),
    "Pareto": ((1.5, 5.5), (0.75, 2.0), lambda scale, alpha: stats.pareto(alpha, scale=scale)),
    "Uniform": ((0.25, 0.75), (-0.5, 2.0), lambda low, high: stats.uniform(low, high - low)),
    "Cauchy": ((0.5, 1.5), (-0.25, 2.0), stats.cauchy),
}
PAIRS = [(p, q) for p in PARAMETERS for q in PARAMETERS if (getattr(D, p), getattr(D, q)) in _KL_REGISTRY or p == q]


def made(name: str, parameters: tuple[float, ...]) -> Any:
    return getattr(D, name)(*[sg.tensor(value, dtype=sg.float64) for value in parameters])


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_divergence_is_the_integral(p: str, q: str) -> None:
    """Of p (log p - log q), by SciPy's densities; infinite where q does not have all values of p."""
    found = float(D.kl_divergence(made(p, PARAMETERS[p][0]), made(q, PARAMETERS[q][1])))
    ps, qs = PARAMETERS[p][2](*PARAMETERS[p][0]), PARAMETERS[q][2](*PARAMETERS[q][1])
    if ps.support()[0] < qs.support()[0] or ps.support()[1] > qs.support()[1]:
        assert found == np.inf
        return

    def integrand(u: float) -> float:
        x = ps.ppf(u)
        return float(ps.logpdf(x) - qs.logpdf(x))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the integrand is infinite at the ends
        requested = integrate.quad(integrand, 0, 1, limit=200, epsabs=1e-9)[0]
    np.testing.assert_allclose(found, requested, rtol=2e-6)


def test_uniform_within_others() -> None:
    """A uniform p is inside or outside of what q has, per element."""
    p = D.Uniform(sg.tensor([0.25, -0.5, 0.25]), sg.tensor([0.75, 0.5, 1.5]))
    for q, inside in (
        (D.Beta(2.0, 3.0), [True, False, False]),
        (D.Exponential(1.0), [True, False, True]),
        (D.Gamma(2.0, 1.0), [True, False, True]),
        (D.Pareto(0.25, 1.0), [True, False, True]),
        (D.ContinuousBernoulli(0.25), [True, False, False]),
        (D.Uniform(0.0, 1.0), [True, False, False]),
        (D.Normal(0.0, 1.0), [True, True, True]),
    ):
        assert D.kl_divergence(p, q).isfinite().tolist() == inside


@pytest.mark.cpu("differences of float64 need no device")
@pytest.mark.parametrize(("p", "q"), [("Normal", "Laplace"), ("Gumbel", "Gumbel"), ("Exponential", "Gumbel")])
def test_gradients_of_divergences(p: str, q: str) -> None:
    """By the parameters of both."""
    given = [sg.tensor(v, dtype=sg.float64, requires_grad=True) for v in (*PARAMETERS[p][0], *PARAMETERS[q][1])]
    first = len(PARAMETERS[p][0])

    def divergence(*values: Any) -> Any:
        return D.kl_divergence(getattr(D, p)(*values[:first]), getattr(D, q)(*values[first:]))

    assert sg.autograd.gradcheck(divergence, given)


def test_exponential_families() -> None:
    """The Bregman divergence is that of the formulas; of two families it is refused."""
    bregman = _KL_REGISTRY[D.ExponentialFamily, D.ExponentialFamily]
    for name in ("Normal", "Exponential", "Gamma", "Beta"):
        p, q = made(name, PARAMETERS[name][0]), made(name, PARAMETERS[name][1])
        np.testing.assert_allclose(bregman(p, q).numpy(), D.kl_divergence(p, q).numpy(), rtol=1e-10)
    with pytest.raises(NotImplementedError, match="different exponential families"):
        bregman(made("Normal", (0.0, 1.0)), made("Exponential", (1.0,)))


def gaussian(rng: Any, batch: tuple[int, ...], kind: str) -> tuple[Any, Any, Any]:
    """A distribution of three numbers, its mean and covariance."""
    loc = rng.normal(size=(*batch, 3))
    if kind == "low":
        factor, diag = rng.normal(size=(*batch, 3, 2)), rng.uniform(0.5, 2, (*batch, 3))
        ours = D.LowRankMultivariateNormal(sg.tensor(loc), sg.tensor(factor), sg.tensor(diag))
        return ours, loc, factor @ factor.swapaxes(-1, -2) + diag[..., None] * np.eye(3)
    root = rng.normal(size=(*batch, 3, 3))
    covariance = root @ root.swapaxes(-1, -2) + np.eye(3)
    return D.MultivariateNormal(sg.tensor(loc), sg.tensor(covariance)), loc, covariance


@pytest.mark.parametrize("kinds", [("full", "full"), ("full", "low"), ("low", "full"), ("low", "low")])
@pytest.mark.parametrize("batches", [((), ()), ((2,), (2,)), ((4, 1), (2,))])
def test_gaussian_vectors(kinds: tuple[str, str], batches: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """(tr(Q^-1 P) + d^T Q^-1 d - n + log |Q| / |P|) / 2, with batches that broadcast."""
    rng = np.random.default_rng(4)
    (p, p_loc, P), (q, q_loc, Q) = (gaussian(rng, batch, kind) for batch, kind in zip(batches, kinds, strict=True))
    separate = q_loc - p_loc
    trace = np.trace(np.linalg.solve(Q, P), axis1=-2, axis2=-1)
    distance = (separate * np.linalg.solve(Q, separate[..., None])[..., 0]).sum(-1)
    requested = 0.5 * (trace + distance - 3 + np.linalg.slogdet(Q)[1] - np.linalg.slogdet(P)[1])
    np.testing.assert_allclose(D.kl_divergence(p, q).numpy(), requested, rtol=1e-9)


def test_other_sizes_of_gaussian_vectors() -> None:
    """They are refused."""
    p, q = (D.MultivariateNormal(sg.zeros(n), sg.eye(n)) for n in (2, 3))
    with pytest.raises(ValueError, match="two Multivariate Normals with different event shapes cannot be computed"):
        D.kl_divergence(p, q)


def test_transformed_and_independent() -> None:
    """A function of both changes nothing; independent values add up; what does not fit is refused."""
    p, q = D.Normal(sg.zeros(2, 3), 1.0), D.Normal(sg.ones(2, 3), 2.0)
    each = D.kl_divergence(p, q)
    transforms = [D.ExpTransform(), D.AffineTransform(1.0, 2.0)]
    moved = [D.TransformedDistribution(base, transforms) for base in (p, q)]
    np.testing.assert_array_equal(D.kl_divergence(*moved).numpy(), each.numpy())
    joint = [D.Independent(base, 1) for base in (p, q)]
    np.testing.assert_allclose(D.kl_divergence(*joint).numpy(), each.sum(-1).numpy(), rtol=1e-6)
    simplices = [D.LogisticNormal(base.loc, base.scale) for base in (p, q)]
    np.testing.assert_allclose(D.kl_divergence(*simplices).numpy(), each.sum(-1).numpy(), rtol=1e-6)
    with pytest.raises(NotImplementedError):
        D.kl_divergence(moved[0], D.TransformedDistribution(q, D.TanhTransform()))
    with pytest.raises(NotImplementedError):
        D.kl_divergence(joint[0], D.Independent(q, 2))


@pytest.fixture
def registry() -> Iterator[None]:
    """What a test registers is forgotten."""
    before = dict(_KL_REGISTRY)
    yield
    _KL_REGISTRY.clear()
    _KL_REGISTRY.update(before)
    _KL_MEMOIZE.clear()


def test_the_most_specific_function(registry: None) -> None:
    """Derived classes take that of their bases, until they have one; of two p decides, with a warning."""

    class P(D.Normal):
        pass

    class Q(D.Normal):
        pass

    p, q = P(0.0, 1.0), Q(1.0, 1.0)
    assert float(D.kl_divergence(p, q)) == 0.5
    D.register_kl(P, D.Normal)(lambda p, q: "p")
    assert D.kl_divergence(p, q) == "p" and float(D.kl_divergence(q, p)) == 0.5
    D.register_kl(D.Normal, Q)(lambda p, q: "q")
    with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(P, Q\). Please register_kl\(P, Q\)"):
        assert D.kl_divergence(p, q) == "p"
    D.register_kl(P, Q)(lambda p, q: "both")
    assert D.kl_divergence(p, q) == "both"


def test_no_function() -> None:
    """Pairs without one, and classes that are no distributions, are errors."""
    with pytest.raises(NotImplementedError, match="p type Cauchy and q type Normal"):
        D.kl_divergence(D.Cauchy(0.0, 1.0), D.Normal(0.0, 1.0))
    with pytest.raises(TypeError, match="Expected type_q to be a Distribution subclass but got"):
        D.register_kl(D.Normal, D.Normal(0.0, 1.0))  # type: ignore[arg-type]
