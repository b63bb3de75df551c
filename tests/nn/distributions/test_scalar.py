"""Distributions of real numbers: densities, moments and samples beside SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import specgrad as sg
from specgrad import distributions as D

from .cases import BY_NAME, CASES, Case

PROBABILITIES = np.array([0.01, 0.3, 0.5, 0.9, 0.999])[:, None, None]
each = pytest.mark.parametrize("case", CASES, ids=list(BY_NAME))


def close(found: Any, requested: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(found.detach().numpy(), requested, rtol=rtol, atol=1e-12)


@each
def test_densities_and_probabilities(case: Case) -> None:
    """log_prob, cdf and icdf are SciPy's, in float64."""
    ours, theirs = case.made(), case.scipys()
    values = theirs.ppf(PROBABILITIES)
    close(ours.log_prob(sg.tensor(values)), theirs.logpdf(values))
    close(ours.cdf(sg.tensor(values)), np.broadcast_to(PROBABILITIES, values.shape))
    close(ours.icdf(sg.tensor(np.broadcast_to(PROBABILITIES, values.shape).copy())), values)


@each
def test_moments(case: Case) -> None:
    """Mean, variance and standard deviation are SciPy's, where these are defined; entropy and perplexity too."""
    ours, theirs = case.made(), case.scipys()
    mean, variance = theirs.stats("mv")
    undefined = case.name == "Cauchy"  # SciPy says nan for the variance as well, which is infinite
    close(ours.mean, mean)
    close(ours.variance, np.full_like(variance, np.inf) if undefined else variance)
    close(ours.stddev, np.sqrt(np.full_like(variance, np.inf) if undefined else variance))
    entropy = theirs.entropy()
    close(ours.entropy(), np.broadcast_to(entropy, ours.batch_shape))
    close(ours.perplexity(), np.broadcast_to(np.exp(entropy), ours.batch_shape))


@each
def test_modes(case: Case) -> None:
    """At the mode the density is at least what it is anywhere else; Uniform has none."""
    ours, theirs = case.made(validate_args=False), case.scipys()
    if case.name == "Uniform":
        assert bool(ours.mode.isnan().all())
        return
    grid = theirs.ppf(np.linspace(0.001, 0.999, 201)[:, None, None])
    at_mode = ours.log_prob(ours.mode).numpy()
    assert bool((at_mode >= theirs.logpdf(grid).max(0) - 1e-12).all())


@pytest.mark.cpu("thousands of samples take long on a simulated device")
@each
def test_samples_have_the_distribution(case: Case) -> None:
    """By Kolmogorov and Smirnov's test, of 2000 samples each of a fixed seed."""
    sg.manual_seed(3)
    ours, theirs = case.made(), case.scipys()
    samples = ours.sample((2000,)).numpy()
    assert samples.shape == (2000, *ours.batch_shape) and not ours.sample().requires_grad
    uniform = theirs.cdf(samples)
    for index in np.ndindex(*ours.batch_shape):
        assert stats.kstest(uniform[(slice(None), *index)], "uniform").pvalue > 1e-3


@pytest.mark.cpu("differences of float64 need no device")
@each
def test_gradients_of_samples_and_densities(case: Case) -> None:
    """They are differences of samples of one seed, and of densities of one value, by every parameter."""
    values = sg.tensor(case.scipys().ppf(0.7))
    names = list(case.parameters)
    cls = getattr(D, case.name)

    def samples(*given: Any) -> Any:
        sg.manual_seed(5)
        return cls(**dict(zip(names, given, strict=True))).rsample((3,))

    def densities(*given: Any) -> Any:
        made = cls(**dict(zip(names, given, strict=True)), validate_args=False)
        return made.log_prob(values), made.cdf(values), made.entropy()

    given = [sg.tensor(case.parameters[name], requires_grad=True) for name in names]
    if case.name == "GeneralizedPareto":
        given[2] = sg.tensor([-0.5, 0.2, 0.3], dtype=sg.float64, requires_grad=True)  # at zero another branch begins
    assert cls(**dict(zip(names, given, strict=True))).has_rsample or case.name in ("Gumbel", "Pareto", "Weibull")
    assert sg.autograd.gradcheck(samples, given)
    assert sg.autograd.gradcheck(densities, given)


@each
def test_dtypes_and_shapes(case: Case) -> None:
    """What comes out has the parameters' dtype; batches may be empty, of no dimensions and expanded."""
    ours = case.made(np.float32)
    assert ours.sample((2,)).dtype == ours.mean.dtype == ours.entropy().dtype == sg.float32
    wide = ours.expand((4, *ours.batch_shape))
    assert type(wide) is type(ours) and wide.batch_shape == (4, *ours.batch_shape) and wide.event_shape == ()
    assert wide.sample((5, 6)).shape == (5, 6, *wide.batch_shape)
    close(wide.mean, np.broadcast_to(ours.mean.numpy(), wide.batch_shape))
    close(
        wide.log_prob(ours.icdf(sg.full((), 0.4))), ours.log_prob(ours.icdf(sg.full((), 0.4))).expand(wide.batch_shape)
    )
    one = getattr(D, case.name)(**{name: float(value.flat[0]) for name, value in case.parameters.items()})
    assert one.batch_shape == one.sample().shape == () and one.sample().dtype == sg.float32
    none = getattr(D, case.name)(**{name: sg.ones(0) for name in case.parameters})
    assert none.sample((2,)).shape == (2, 0) and none.log_prob(sg.ones(2, 0)).shape == (2, 0)


@pytest.mark.cpu("thousands of samples take long on a simulated device")
def test_kumaraswamy() -> None:
    """x^a has the beta distribution of 1 and b; moments, entropy and mode are integrals and a search."""
    a, b = np.array([0.8, 2.0, 3.0]), np.array([1.5, 2.0, 0.7])
    ours = D.Kumaraswamy(sg.tensor(a), sg.tensor(b))
    x = np.linspace(0.05, 0.95, 7)[:, None]
    close(ours.log_prob(sg.tensor(x)), stats.beta(1, b).logpdf(x**a) + np.log(a * x ** (a - 1)))
    close(ours.cdf(sg.tensor(x)), stats.beta(1, b).cdf(x**a))
    close(ours.icdf(ours.cdf(sg.tensor(x))), np.broadcast_to(x, (7, 3)))
    for i in range(3):
        density = stats.beta(1, b[i])

        def mean(function: Any, i: int = i, density: Any = density) -> float:
            return float(integrate.quad(lambda u: function(density.ppf(u) ** (1 / a[i])), 0, 1)[0])

        first = mean(lambda x: x)
        close(ours.mean[i], first, 1e-6)
        close(ours.variance[i], mean(lambda x, first=first: (x - first) ** 2), 1e-6)
        grid = np.linspace(1e-4, 1 - 1e-4, 9999)
        densities = ours.log_prob(sg.tensor(grid)[:, None]).numpy()[:, i]
        close(ours.entropy()[i], -np.trapezoid(np.exp(densities) * densities, grid), 2e-2)
        if a[i] > 1 and b[i] > 1:
            close(ours.mode[i], grid[densities.argmax()], 1e-3)
        else:
            assert bool(ours.mode[i].isnan())
    sg.manual_seed(1)
    for i, samples in enumerate(ours.sample((2000,)).numpy().T):
        assert stats.kstest(stats.beta(1, b[i]).cdf(samples ** a[i]), "uniform").pvalue > 1e-3


def test_generalized_pareto_in_the_tail() -> None:
    """Its cdf has a logarithm and a survival function, exact where the cdf is one."""
    tail = D.GeneralizedPareto(0.0, 1.0, sg.tensor(0.1, dtype=sg.float64))
    value = sg.tensor(1e4, dtype=sg.float64)
    close(tail.log_survival_function(value), stats.genpareto(0.1).logsf(1e4))
    close(tail.log_cdf(sg.tensor(0.5, dtype=sg.float64)), stats.genpareto(0.1).logcdf(0.5))
    bounded = D.GeneralizedPareto(0.0, 1.0, -0.5)
    assert repr(bounded.support) == "Interval(lower_bound=0.0, upper_bound=2.0)"
    assert bool(D.GeneralizedPareto(0.0, 1.0, 1.5).mean.isnan())


@pytest.mark.parametrize(
    ("made", "entropy"),
    [
        (lambda x: D.Normal(x, x.exp()), lambda x: 0.5 * np.log(2 * np.pi * np.e) + x),
        (lambda x: D.Exponential(x.exp()), lambda x: 1 - x),
    ],
)
def test_entropy_of_exponential_families(made: Any, entropy: Any) -> None:
    """The Bregman divergence gives it from the log-normaliser, and gradients go through."""
    x = sg.tensor([0.3, -0.7], dtype=sg.float64, requires_grad=True)
    found = D.ExponentialFamily.entropy(made(x))
    close(found, entropy(x.detach().numpy()))
    (derivative,) = sg.autograd.grad(found.sum(), x)
    close(derivative, np.full(2, entropy(1.0) - entropy(0.0)))
    assert not D.ExponentialFamily.entropy(made(x.detach())).requires_grad


def test_densities_far_out() -> None:
    """Outside the support densities are zero where values are not checked; NaN stays NaN."""
    outside = {"validate_args": False}
    assert float(D.Uniform(0.0, 1.0, **outside).log_prob(sg.tensor(2.0))) == -np.inf
    assert float(D.HalfNormal(1.0, **outside).log_prob(sg.tensor(-1.0))) == -np.inf
    assert float(D.HalfCauchy(1.0, **outside).log_prob(sg.tensor(-1.0))) == -np.inf
    assert float(D.Uniform(0.0, 1.0, **outside).cdf(sg.tensor([-1.0, 3.0])).sum()) == 1.0
    assert bool(D.Normal(0.0, 1.0, **outside).log_prob(sg.tensor(np.nan)).isnan())
    assert float(D.Normal(0.0, 1.0).log_prob(sg.tensor(np.inf))) == -np.inf
