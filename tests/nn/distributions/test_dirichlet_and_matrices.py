"""Dirichlet, Wishart and LKJCholesky: densities, moments, samples and their gradients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import specgrad as sg
from specgrad import distributions as D

pytestmark = pytest.mark.cpu("compares numbers with SciPy's")

ALPHA = np.array([[0.4, 2.0, 5.0], [1.5, 1.0, 0.2]])
V = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.4], [0.1, -0.4, 1.5]])
X = np.array([[4.0, 0.5, 0.2], [0.5, 3.0, 0.4], [0.2, 0.4, 6.0]])


def wide(x: Any) -> sg.Tensor:
    return sg.tensor(x, dtype=sg.float64)


def test_dirichlet() -> None:
    """Density, moments, entropy, and the beta distributions of the elements of samples."""
    ours, theirs = D.Dirichlet(wide(ALPHA)), [stats.dirichlet(a) for a in ALPHA]
    value = [0.2, 0.5, 0.3]
    np.testing.assert_allclose(ours.log_prob(wide(value)), [d.logpdf(value) for d in theirs])
    np.testing.assert_allclose(ours.mean, [d.mean() for d in theirs])
    np.testing.assert_allclose(ours.variance, [d.var() for d in theirs])
    np.testing.assert_allclose(ours.entropy(), [d.entropy() for d in theirs])
    sg.manual_seed(21)
    sampled = ours.sample((3000,)).numpy()
    np.testing.assert_allclose(sampled.sum(-1), 1)
    for row, alpha in enumerate(ALPHA):
        for i, a in enumerate(alpha):
            assert stats.kstest(sampled[:, row, i], stats.beta(a, alpha.sum() - a).cdf).pvalue > 1e-3


def test_modes_of_dirichlet() -> None:
    """(a - 1) / (sum a - K); a corner where all concentrations are below one."""
    assert D.Dirichlet(wide([2.0, 3.0, 4.0])).mode.tolist() == pytest.approx([1 / 6, 2 / 6, 3 / 6])
    assert D.Dirichlet(wide([[0.5, 0.2], [2.0, 3.0]])).mode.tolist() == [[1, 0], pytest.approx([1 / 3, 2 / 3])]
    with pytest.raises(ValueError, match="`concentration` parameter must be at least one-dimensional"):
        D.Dirichlet(wide(1.0))


def test_gradients_of_dirichlet_samples() -> None:
    """The mean of the gradients of sum c x^2 is the derivative of its mean."""
    alpha, c = wide(ALPHA[0]).requires_grad_(), np.array([1.0, -2.0, 3.0])
    sg.manual_seed(7)
    (D.Dirichlet(alpha).rsample((40000,)).square() * wide(c)).sum(-1).mean().backward()

    def mean(a: np.ndarray) -> float:
        return float((c * a * (a + 1)).sum() / (a.sum() * (a.sum() + 1)))

    steps = 1e-5 * np.eye(3)
    expected = [(mean(ALPHA[0] + h) - mean(ALPHA[0] - h)) / 2e-5 for h in steps]
    np.testing.assert_allclose(alpha.grad, expected, atol=0.01)


def test_tiny_concentrations() -> None:
    """Samples are corners and no NaN, and gradients are finite."""
    alpha = sg.full((50, 3), 1e-4).requires_grad_()
    sampled = D.Dirichlet(alpha).rsample()
    sampled[:, 0].sum().backward()
    assert sampled.sum(-1).tolist() == pytest.approx([1.0] * 50) and bool(alpha.grad.isfinite().all())


def test_wishart() -> None:
    """Density, moments, mode and entropy, from each of the three matrices."""
    theirs, factor = stats.wishart(5.5, V), np.linalg.cholesky(V)
    given = ({"covariance_matrix": V}, {"precision_matrix": np.linalg.inv(V)}, {"scale_tril": factor})
    for parameter in given:
        ours = D.Wishart(wide(5.5), **{name: wide(matrix) for name, matrix in parameter.items()})
        assert ours.log_prob(wide(X)).item() == pytest.approx(theirs.logpdf(X))
        np.testing.assert_allclose(ours.mean, theirs.mean(), rtol=1e-9)
        np.testing.assert_allclose(ours.variance, theirs.var(), rtol=1e-9)
        np.testing.assert_allclose(ours.mode, theirs.mode(), rtol=1e-9)
        np.testing.assert_allclose(ours.precision_matrix, np.linalg.inv(V), rtol=1e-9)
        np.testing.assert_allclose(ours.scale_tril, factor, rtol=1e-9)
        assert ours.entropy().item() == pytest.approx(theirs.entropy())


def test_samples_of_wishart() -> None:
    """Positive definite, with the mean and variance, and with gradients for df and V."""
    df, v = wide(6.0).requires_grad_(), wide(V).requires_grad_()
    ours = D.Wishart(df, v)
    sg.manual_seed(13)
    sampled = ours.rsample((6000,))
    assert bool(ours.support.check(sampled).all())
    np.testing.assert_allclose(sampled.detach().mean(0), 6 * V, atol=0.25)
    np.testing.assert_allclose(sampled.detach().var(0), ours.variance.detach(), rtol=0.15)
    sampled.mean(0).sum().backward()
    assert df.grad is not None and v.grad is not None
    assert df.grad.item() == pytest.approx(V.sum(), rel=0.1)
    assert v.grad.sum().item() == pytest.approx(6 * 9, rel=0.1)


def test_batches_of_wishart() -> None:
    """Degrees of freedom and matrices broadcast; few of them are warned of, too few refused."""
    batch = D.Wishart(wide([4.0, 7.0]), wide(V))
    assert batch.batch_shape == (2,) and batch.sample((5,)).shape == (5, 2, 3, 3)
    more = batch.expand((4, 2))
    assert more.rsample().shape == (4, 2, 3, 3) and sg.equal(more.mean[1], batch.mean)
    assert sg.equal(more.log_prob(wide(X))[0], batch.log_prob(wide(X)))
    with pytest.warns(UserWarning, match="Low df values detected"):
        D.Wishart(wide(2.5), wide(V))
    with pytest.raises(ValueError, match="expected to be greater than ndim - 1 = 2"):
        D.Wishart(wide(1.5), wide(V))
    with pytest.raises(AssertionError, match="Exactly one of"):
        D.Wishart(wide(4.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert D.Wishart(4, wide(V)).df.item() == 4


@pytest.mark.parametrize("concentration", [0.5, 1.0, 4.0])
def test_correlations(concentration: float) -> None:
    """LKJ: of size 2 the correlation has the density of 2 Beta(c, c) - 1, and log_prob is that of the entry."""
    ours, marginal = D.LKJCholesky(2, wide(concentration)), stats.beta(concentration, concentration, loc=-1, scale=2)
    sg.manual_seed(17)
    sampled = ours.sample((3000,))
    assert bool(ours.support.check(sampled).all())
    assert stats.kstest(sampled[:, 1, 0].numpy(), marginal.cdf).pvalue > 1e-3
    r = np.array([-0.7, 0.1, 0.9])
    factors = np.stack([np.linalg.cholesky([[1, x], [x, 1]]) for x in r])
    np.testing.assert_allclose(ours.log_prob(wide(factors)), marginal.logpdf(r), rtol=1e-9)


def test_larger_correlations() -> None:
    """Each correlation of size n has the density of 2 Beta(c + n / 2 - 1, c + n / 2 - 1) - 1; batches and errors."""
    ours = D.LKJCholesky(4, wide([1.0, 3.0]))
    sg.manual_seed(19)
    sampled = ours.sample((3000,))
    matrices = (sampled @ sampled.mT).numpy()
    for k, c in enumerate((2.0, 4.0)):
        for i, j in ((1, 0), (3, 0), (3, 2)):
            marginal = stats.beta(c, c, loc=-1, scale=2)
            assert stats.kstest(matrices[:, k, i, j], marginal.cdf).pvalue > 1e-3
    assert ours.expand((3, 2)).sample().shape == (3, 2, 4, 4) and not ours.has_rsample
    with pytest.raises(ValueError, match="greater than or equal to 2. Found dim=1"):
        D.LKJCholesky(1)
