"""Gamma, Beta, Chi2, StudentT, FisherSnedecor, InverseGamma, VonMises: densities, moments and samples are SciPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import specgrad as sg
from specgrad import distributions as D

pytestmark = pytest.mark.cpu("compares numbers with SciPy's")

A, B = [0.3, 2.0, 50.0], [1.0, 2.5, 0.5]
ABOVE_ZERO = [0.1, 0.7, 90.0]


def wide(x: Any) -> sg.Tensor:
    return sg.tensor(x, dtype=sg.float64)


SAME: dict[str, tuple[Any, Any, list[float]]] = {
    "Gamma": (D.Gamma(wide(A), wide(B)), stats.gamma(A, scale=1 / np.array(B)), ABOVE_ZERO),
    "Beta": (D.Beta(wide(A), wide(B)), stats.beta(A, B), [0.1, 0.7, 0.95]),
    "Chi2": (D.Chi2(wide(A)), stats.chi2(A), ABOVE_ZERO),
    "StudentT": (D.StudentT(wide([2.5, 5.0, 80.0]), wide(B), wide(2.0)), stats.t([2.5, 5, 80], B, 2), [-3, 0.5, 9]),
    "FisherSnedecor": (D.FisherSnedecor(wide(A), wide([5.0, 9.0, 7.0])), stats.f(A, [5, 9, 7]), [0.1, 0.7, 3]),
    "InverseGamma": (D.InverseGamma(wide([2.3, 5.0, 9.0]), wide(B)), stats.invgamma([2.3, 5, 9], scale=B), [0.2, 1, 9]),
}
NAMES = sorted(SAME)


@pytest.mark.parametrize("name", NAMES)
def test_densities(name: str) -> None:
    """log_prob at several values, broadcast with the batch."""
    ours, theirs, values = SAME[name]
    np.testing.assert_allclose(ours.log_prob(wide(values)), theirs.logpdf(values), rtol=1e-9)
    rows = np.array(values)[:, None]
    np.testing.assert_allclose(ours.log_prob(wide(rows)), theirs.logpdf(rows), rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_moments(name: str) -> None:
    """Mean, variance and, where PyTorch has it, entropy."""
    ours, theirs, _ = SAME[name]
    np.testing.assert_allclose(ours.mean, theirs.mean(), rtol=1e-9)
    np.testing.assert_allclose(ours.variance, theirs.var(), rtol=1e-7)
    np.testing.assert_allclose(ours.stddev, theirs.std(), rtol=1e-7)
    if name == "FisherSnedecor":
        with pytest.raises(NotImplementedError):
            ours.entropy()
    else:
        np.testing.assert_allclose(ours.entropy(), theirs.entropy(), rtol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_samples(name: str) -> None:
    """Their distribution function is SciPy's, of each element of the batch."""
    ours, theirs, _ = SAME[name]
    sg.manual_seed(11)
    levels = theirs.cdf(ours.sample((4000,)).numpy())
    assert levels.shape == (4000, 3)
    assert min(stats.kstest(column, "uniform").pvalue for column in levels.T) > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_modes(name: str) -> None:
    """No value beside the mode has a greater density, where there is one inside the support."""
    ours, _, _ = SAME[name]
    mode = ours.mode
    inside = ours.support.check(mode) & (mode > 1e-3) & (mode < 0.999 if name == "Beta" else mode > 0)
    safe = sg.where(inside, mode, sg.full_like(mode, 0.5))
    at = ours.log_prob(safe)
    assert bool(inside.any())
    for factor in (0.99, 1.01):
        assert bool((~inside | (ours.log_prob(safe * factor) <= at)).all())


def test_distribution_functions() -> None:
    """Those that are known: of gamma distributions and of their inverses."""
    for name in ("Gamma", "Chi2", "InverseGamma"):
        ours, theirs, values = SAME[name]
        np.testing.assert_allclose(ours.cdf(wide(values)), theirs.cdf(values), rtol=1e-9)


def gradient(distribution: Any, parameter: sg.Tensor, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples, and the gradient of each by its parameter."""
    sampled = distribution.rsample((count,))
    derivatives = [sg.autograd.grad(sampled[i].sum(), parameter, retain_graph=True)[0].numpy() for i in range(count)]
    return sampled.detach().numpy(), np.array(derivatives)


@pytest.mark.parametrize("name", ["Gamma", "Chi2", "InverseGamma", "Beta"])
def test_gradients_of_samples(name: str) -> None:
    """A sample moves with the shape so that its level stays: differences of SciPy's inverse distribution functions."""
    shape, h = np.array([0.4, 3.0, 70.0]), 1e-4
    parameter = wide(shape).requires_grad_()
    made = {
        "Gamma": (D.Gamma(parameter, wide(2.0)), lambda a: stats.gamma(a, scale=0.5)),
        "Chi2": (D.Chi2(parameter), stats.chi2),
        "InverseGamma": (D.InverseGamma(parameter, wide(2.0)), lambda a: stats.invgamma(a, scale=2)),
        "Beta": (D.Beta(parameter, wide(1.5)), lambda a: stats.beta(a, 1.5)),
    }
    ours, theirs = made[name]
    sg.manual_seed(2)
    sampled, derivatives = gradient(ours, parameter, 5)
    levels = theirs(shape).cdf(sampled)
    expected = (theirs(shape * (1 + h)).ppf(levels) - theirs(shape * (1 - h)).ppf(levels)) / (2 * h * shape)
    np.testing.assert_allclose(derivatives, expected, rtol=1e-4)


def test_gradient_of_a_mean() -> None:
    """The mean of the gradients of x^2 is the derivative of the mean of x^2, also through quotients of numbers."""
    sg.manual_seed(4)
    df = wide(9.0).requires_grad_()
    D.StudentT(df, wide(0.0), wide(1.0)).rsample((40000,)).square().mean().backward()
    assert df.grad is not None and df.grad.item() == pytest.approx(-2 / 49, rel=0.1)
    df.grad = None
    D.FisherSnedecor(wide(4.0), df).rsample((40000,)).mean().backward()
    assert df.grad.item() == pytest.approx(-2 / 49, rel=0.1)


ANGLES = D.VonMises(wide([0.3, -2.0, 3.0]), wide([1e-7, 2.0, 500.0]))


def test_angles() -> None:
    """VonMises: density, circular variance and samples, which lie between -pi and pi."""
    theirs = stats.vonmises([1e-7, 2.0, 500.0], loc=[0.3, -2.0, 3.0])
    values = [0.1, -1.5, 2.9]
    np.testing.assert_allclose(ANGLES.log_prob(wide(values)), theirs.logpdf(values), rtol=1e-9)
    kappa = np.array([1e-7, 2.0, 500.0])
    np.testing.assert_allclose(ANGLES.variance, 1 - special.ive(1, kappa) / special.ive(0, kappa), rtol=1e-9)
    sg.manual_seed(8)
    sampled = ANGLES.sample((4000,)).numpy()
    assert np.abs(sampled).max() <= math.pi
    transposed = (sampled - [0.3, -2.0, 3.0] + math.pi) % (2 * math.pi) - math.pi
    for column, concentration in zip(transposed.T, kappa, strict=True):
        assert stats.kstest(column, stats.vonmises(concentration).cdf).pvalue > 1e-3


def test_gradients_of_angles() -> None:
    """Samples turn with loc, and draw nearer with the concentration, as implicit slopes say."""
    loc, concentration = wide(0.5).requires_grad_(), wide(3.0).requires_grad_()
    sg.manual_seed(6)
    sampled = D.VonMises(loc, concentration).rsample((20000,))
    (sampled - 0.5).cos().mean().backward()
    ratio = special.iv(1, 3) / special.iv(0, 3)
    assert concentration.grad is not None and loc.grad is not None
    assert concentration.grad.item() == pytest.approx(1 - ratio / 3 - ratio**2, rel=0.05)
    assert abs(loc.grad.item()) < 0.02


def test_expanded() -> None:
    """A larger batch has the parameters as views, and every sample its own number."""
    for name in NAMES:
        more = SAME[name][0].expand((2, 3))
        assert type(more) is type(SAME[name][0]) and more.batch_shape == (2, 3)
        assert more.rsample((4,)).shape == (4, 2, 3) and sg.equal(more.mean[0], SAME[name][0].mean)
    assert ANGLES.expand((2, 3)).sample().shape == (2, 3)


def test_numbers_too_small() -> None:
    """Samples of tiny shapes are the least normal numbers, whose logarithms are finite."""
    for kind in (sg.float32, sg.float64):
        small = D.Gamma(sg.full((50,), 1e-4, dtype=kind), sg.ones(50, dtype=kind)).rsample()
        assert bool((small >= sg.finfo(kind).tiny).all())


def test_wrong_parameters() -> None:
    """Each is refused with its name."""
    for make in (
        lambda: D.Gamma(-1.0, 1.0),
        lambda: D.Gamma(1.0, float("nan")),
        lambda: D.Chi2(0.0),
        lambda: D.StudentT(1.0, 0.0, -1.0),
        lambda: D.FisherSnedecor(1.0, -1.0),
        lambda: D.VonMises(0.0, 0.0),
        lambda: D.Beta(1.0, 0.0),
        lambda: D.InverseGamma(0.0, 1.0),
    ):
        with pytest.raises(ValueError, match="Expected parameter"):
            make()
    with pytest.raises(ValueError, match="within the support"):
        D.Gamma(1.0, 1.0).log_prob(sg.tensor(-1.0))
