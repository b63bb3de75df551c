"""Distributions of vectors: Gaussian ones beside SciPy's, logistic normal and relaxed ones beside their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import specgrad as sg
from specgrad import distributions as D
from specgrad.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
from specgrad.distributions.relaxed_categorical import ExpRelaxedCategorical

RNG = np.random.default_rng(8)
LOC = RNG.normal(size=(2, 3))
ROOT = RNG.normal(size=(2, 3, 3))
COVARIANCE = ROOT @ ROOT.swapaxes(-1, -2) + np.eye(3)
FACTOR, DIAGONAL = RNG.normal(size=(2, 3, 2)), RNG.uniform(0.5, 2, (2, 3))
LOW_RANK = FACTOR @ FACTOR.swapaxes(-1, -2) + DIAGONAL[..., None] * np.eye(3)
VALUES = RNG.normal(size=(4, 2, 3))


def gaussian(kind: str) -> tuple[Any, Any]:
    """A distribution of two vectors of three numbers, and its covariances."""
    loc, t = sg.tensor(LOC), sg.tensor
    return {
        "covariance": lambda: (D.MultivariateNormal(loc, covariance_matrix=t(COVARIANCE)), COVARIANCE),
        "precision": lambda: (D.MultivariateNormal(loc, precision_matrix=t(np.linalg.inv(COVARIANCE))), COVARIANCE),
        "root": lambda: (D.MultivariateNormal(loc, scale_tril=t(np.linalg.cholesky(COVARIANCE))), COVARIANCE),
        "one root": lambda: (
            D.MultivariateNormal(loc, scale_tril=t(np.linalg.cholesky(COVARIANCE[0]))),
            COVARIANCE[[0, 0]],
        ),
        "low rank": lambda: (D.LowRankMultivariateNormal(loc, t(FACTOR), t(DIAGONAL)), LOW_RANK),
        "one low rank": lambda: (D.LowRankMultivariateNormal(loc, t(FACTOR[0]), t(DIAGONAL[0])), LOW_RANK[[0, 0]]),
    }[kind]()


KINDS = ("covariance", "precision", "root", "one root", "low rank", "one low rank")
each = pytest.mark.parametrize("kind", KINDS)


def close(found: Any, requested: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(found.detach().numpy(), requested, rtol=rtol, atol=1e-12)


@each
def test_gaussian_densities(kind: str) -> None:
    """log_prob and entropy are SciPy's; mean, variance and the three matrices are those of the covariance."""
    made, covariance = gaussian(kind)
    for i in range(2):
        theirs = stats.multivariate_normal(LOC[i], covariance[i])
        close(made.log_prob(sg.tensor(VALUES))[:, i], theirs.logpdf(VALUES[:, i]))
        close(made.entropy()[i], theirs.entropy())
    close(made.mean, LOC)
    close(made.mode, LOC)
    close(made.variance, np.diagonal(covariance, axis1=-2, axis2=-1))
    close(made.covariance_matrix, covariance)
    close(made.precision_matrix, np.linalg.inv(covariance))
    close(made.scale_tril, np.linalg.cholesky(covariance))


@each
def test_gaussian_shapes(kind: str) -> None:
    """Expanded by views; samples and densities have batch shapes, whatever of them is computed once."""
    made, covariance = gaussian(kind)
    assert made.batch_shape == (2,) and made.event_shape == (3,)
    _ = made.covariance_matrix
    wide = made.expand((5, 2))
    assert wide.sample((4,)).shape == (4, 5, 2, 3) and wide.entropy().shape == (5, 2)
    close(wide.covariance_matrix, np.broadcast_to(covariance, (5, 2, 3, 3)))
    close(wide.variance[3], made.variance.numpy())
    close(wide.log_prob(sg.tensor(VALUES)[:, None]), made.log_prob(sg.tensor(VALUES))[:, None].expand(4, 5, 2))
    assert made.log_prob(sg.tensor(VALUES[0, 0])).shape == (2,)


@pytest.mark.cpu("differences of float64 need no device")
@each
def test_gaussian_samples(kind: str) -> None:
    """Whitened samples are standard normal numbers; gradients are differences of samples of one seed."""
    made, covariance = gaussian(kind)
    sg.manual_seed(2)
    samples = made.sample((1500,)).numpy()
    for i in range(2):
        white = np.linalg.solve(np.linalg.cholesky(covariance[i]), (samples[:, i] - LOC[i]).T)
        for j in range(3):
            assert stats.kstest(white[j], "norm").pvalue > 1e-3
        assert abs(np.corrcoef(white) - np.eye(3)).max() < 0.1


@pytest.mark.cpu("differences of float64 need no device")
@pytest.mark.parametrize("kind", ["covariance_matrix", "precision_matrix", "scale_tril", "low rank"])
def test_gaussian_gradients(kind: str) -> None:
    """Of samples, densities and entropies by mean and matrix."""
    value = sg.tensor(VALUES[:, :1])

    def made(loc: Any, root: Any) -> Any:
        if kind == "low rank":
            return D.LowRankMultivariateNormal(loc, root[:, :2], root[:, 2].exp())
        lower = root.tril(-1) + root.diagonal().exp().diag_embed()
        matrix = lower if kind == "scale_tril" else root @ root.mT + sg.eye(3, dtype=root.dtype)
        return D.MultivariateNormal(loc, **{kind: matrix}, validate_args=False)

    def computed(loc: Any, root: Any) -> Any:
        sg.manual_seed(1)
        normal = made(loc, root)
        return normal.rsample((2,)), normal.log_prob(value), normal.entropy()

    given = (sg.tensor(LOC[0], requires_grad=True), sg.tensor(ROOT[0], requires_grad=True))
    assert sg.autograd.gradcheck(computed, given)


def test_gaussian_errors(lib: Any) -> None:
    """Matrices that are missing, too many or of another kind."""
    D, loc, eye = lib.distributions, lib.zeros(2), lib.eye(2)
    with pytest.raises(ValueError, match="Exactly one of covariance_matrix or precision_matrix or scale_tril"):
        D.MultivariateNormal(loc)
    with pytest.raises(ValueError, match="Exactly one of"):
        D.MultivariateNormal(loc, eye, eye)
    with pytest.raises(ValueError, match="loc must be at least one-dimensional"):
        D.MultivariateNormal(lib.tensor(0.0), eye)
    with pytest.raises(ValueError, match="covariance_matrix must be at least two-dimensional"):
        D.MultivariateNormal(loc, lib.ones(2))
    with pytest.raises(ValueError, match=r"covariance_matrix .* PositiveDefinite\(\)"):
        D.MultivariateNormal(loc, -eye)
    with pytest.raises(ValueError, match=r"scale_tril .* LowerCholesky\(\)"):
        D.MultivariateNormal(loc, scale_tril=lib.ones(2, 2))
    with pytest.raises(ValueError, match="cov_factor must be a batch of matrices with shape 2 x m"):
        D.LowRankMultivariateNormal(loc, lib.ones(3, 1), lib.ones(2))
    with pytest.raises(ValueError, match="cov_diag must be a batch of vectors with shape"):
        D.LowRankMultivariateNormal(loc, lib.ones(2, 1), lib.ones(3))
    with pytest.raises(ValueError, match="Incompatible batch shapes"):
        D.LowRankMultivariateNormal(lib.zeros(4, 2), lib.ones(3, 2, 1), lib.ones(2))
    with pytest.raises(ValueError, match="Expected parameter cov_diag"):
        D.LowRankMultivariateNormal(loc, lib.ones(2, 1), -5 * lib.ones(2))


def test_logistic_normal() -> None:
    """The density is the normal one over the determinant, here by differences, of all probabilities but the last."""
    loc, scale = np.array([0.3, -0.5]), np.array([0.7, 1.2])
    made = D.LogisticNormal(sg.tensor(loc), sg.tensor(scale))
    x, step = np.array([0.4, 0.1]), 1e-6
    transform = D.StickBreakingTransform()

    def y(x: Any) -> Any:
        return transform(sg.tensor(x)).numpy()[:2]

    derivatives = np.stack([(y(x + step * e) - y(x - step * e)) / (2 * step) for e in np.eye(2)], -1)
    requested = stats.norm(loc, scale).logpdf(x).sum() - np.log(abs(np.linalg.det(derivatives)))
    close(made.log_prob(transform(sg.tensor(x))), requested, 1e-6)
    assert made.sample((5,)).shape == (5, 3) and bool(D.constraints.simplex.check(made.sample((5,))).all())
    assert D.LogisticNormal(0.0, 1.0).event_shape == (2,) and made.expand((4,)).sample().shape == (4, 3)


@pytest.mark.cpu("thousands of samples take long on a simulated device")
def test_relaxed_bernoulli() -> None:
    """Its logits have a logistic distribution; both parameters are each other's."""
    temperature, probs = 0.6, np.array([0.3, 0.8])
    made = D.RelaxedBernoulli(sg.tensor(temperature, dtype=sg.float64), probs=sg.tensor(probs))
    logistic = stats.logistic(special.logit(probs) / temperature, 1 / temperature)
    logits = LogitRelaxedBernoulli(made.temperature, logits=made.logits)
    y = np.array([[-1.5], [0.5]])
    close(logits.log_prob(sg.tensor(y)), logistic.logpdf(y))
    x = special.expit(y)
    close(made.log_prob(sg.tensor(x)), logistic.logpdf(y) - np.log(x * (1 - x)))
    close(made.logits, special.logit(probs))
    close(logits.probs, probs)
    sg.manual_seed(6)
    for i in range(2):
        samples = special.logit(made.rsample((2000,)).numpy()[:, i])
        one = stats.logistic(special.logit(probs[i]) / temperature, 1 / temperature)
        assert stats.kstest(samples, one.cdf).pvalue > 1e-3
    assert made.expand((3, 2)).sample().shape == (3, 2) and logits.param_shape == (2,)
    for given in ({}, {"probs": 0.5, "logits": 0.0}):
        with pytest.raises(ValueError, match="Either `probs` or `logits` must be specified, but not both."):
            D.RelaxedBernoulli(sg.tensor(1.0), **given)
    close(D.RelaxedBernoulli(temperature, sg.tensor(probs)).log_prob(sg.tensor(x)), made.log_prob(sg.tensor(x)).numpy())
    large = LogitRelaxedBernoulli(sg.tensor(1.0), logits=sg.tensor(0.0)).log_prob(sg.tensor([-200.0, 200.0]))
    assert large.tolist() == [-200.0, -200.0]


@pytest.mark.cpu("thousands of samples take long on a simulated device")
def test_relaxed_one_hot() -> None:
    """Its density, in numbers; the largest probability is that of each class as often as its weight says."""
    weights, t = np.array([0.2, 0.5, 0.3]), 0.7
    made = D.RelaxedOneHotCategorical(sg.tensor(t, dtype=sg.float64), probs=sg.tensor(weights))
    x = np.array([[0.1, 0.6, 0.3], [0.7, 0.2, 0.1]])
    powers = weights * x**-t
    density = special.gamma(3) * t**2 * (weights * x ** (-t - 1)).prod(-1) / powers.sum(-1) ** 3
    close(made.log_prob(sg.tensor(x)), np.log(density))
    logs = ExpRelaxedCategorical(made.temperature, logits=made.logits)
    close(logs.log_prob(sg.tensor(np.log(x))), np.log(density * x.prod(-1)))
    sg.manual_seed(9)
    largest = made.rsample((4000,)).argmax(-1)
    counts = np.bincount(largest.cpu().numpy(), minlength=3)
    assert stats.chisquare(counts, 4000 * weights).pvalue > 1e-3
    assert made.expand((2,)).sample((5,)).shape == (5, 2, 3) and logs.param_shape == made.event_shape == (3,)


@pytest.mark.cpu("differences of float64 need no device")
def test_relaxed_gradients() -> None:
    """Of samples of one seed and of densities, by temperature and parameter."""

    def bernoulli(t: Any, logits: Any) -> Any:
        sg.manual_seed(1)
        made = D.RelaxedBernoulli(t, logits=logits)
        return made.rsample((3,)), made.log_prob(sg.tensor([0.2, 0.7, 0.4], dtype=sg.float64))

    def one_hot(t: Any, logits: Any) -> Any:
        sg.manual_seed(1)
        made = D.RelaxedOneHotCategorical(t, logits=logits)
        return made.rsample((3,)), made.log_prob(sg.tensor([0.2, 0.7, 0.1], dtype=sg.float64))

    given = [sg.tensor(v, dtype=sg.float64, requires_grad=True) for v in (0.7, [0.3, -0.8, 0.1])]
    assert sg.autograd.gradcheck(bernoulli, given) and sg.autograd.gradcheck(one_hot, given)
