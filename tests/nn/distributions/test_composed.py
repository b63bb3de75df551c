"""Distributions made of others: independent values, transformed ones and mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import specgrad as sg
from specgrad import distributions as D


def close(found: Any, requested: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(found.detach().numpy(), requested, rtol=rtol, atol=1e-12)


def test_independent() -> None:
    """Densities and entropies are sums; moments, samples and support are those of the base."""
    loc = np.arange(24.0).reshape(2, 3, 4)
    base = D.Normal(sg.tensor(loc), 2.0)
    joint = D.Independent(base, 2)
    assert joint.batch_shape == (2,) and joint.event_shape == (3, 4) and joint.has_rsample
    close(joint.log_prob(sg.zeros(3, 4)), stats.norm(loc, 2).logpdf(0).sum((1, 2)))
    close(joint.entropy(), np.full(2, 12 * stats.norm(0, 2).entropy()))
    for name in ("mean", "mode", "variance", "stddev"):
        close(getattr(joint, name), getattr(base, name).numpy())
    assert joint.sample((5,)).shape == (5, 2, 3, 4) and joint.rsample().shape == (2, 3, 4)
    assert repr(joint.support) == "IndependentConstraint(Real(), 2)"
    wide = joint.expand((6, 2))
    assert wide.batch_shape == (6, 2) and wide.event_shape == (3, 4) and wide.base_dist.batch_shape == (6, 2, 3, 4)
    assert repr(D.Independent(base, 0).support) == "Real()"


def test_independent_errors(lib: Any) -> None:
    """More dimensions than there are; values of all that are joined cannot be listed."""
    D = lib.distributions
    with pytest.raises(ValueError, match=r"Expected reinterpreted_batch_ndims <= .* actual 2 vs 1"):
        D.Independent(D.Normal(lib.zeros(3), 1.0), 2)
    coins = D.Bernoulli(lib.full((3,), 0.5))
    assert D.Independent(coins, 0).has_enumerate_support and not D.Independent(coins, 1).has_enumerate_support
    assert D.Independent(coins, 0).enumerate_support().shape == (2, 3)
    with pytest.raises(NotImplementedError, match="cartesian product"):
        D.Independent(coins, 1).enumerate_support()


def test_transformed() -> None:
    """A decreasing function turns cdf and icdf round; log_prob takes the determinant."""
    base = D.Exponential(sg.tensor([0.5, 2.0], dtype=sg.float64))
    made = D.TransformedDistribution(base, [D.AffineTransform(1.0, -2.0)])
    theirs = stats.expon(scale=np.array([2.0, 0.5]))
    y = np.array([[-3.0], [0.5]])
    x = (y - 1) / -2
    close(made.log_prob(sg.tensor(y)), theirs.logpdf(x) - np.log(2))
    close(made.cdf(sg.tensor(y)), theirs.sf(x))
    close(made.icdf(made.cdf(sg.tensor(y))), np.broadcast_to(y, (2, 2)))
    assert repr(made.support) == "Real()" and made.has_rsample
    with pytest.raises(ValueError, match="within the support"):
        made.cdf(sg.tensor(2.0))
    assert repr(D.TransformedDistribution(base, []).support) == repr(base.support)


def test_transforms_that_broaden() -> None:
    """Parameters of a transform widen the batch; one of vectors takes dimensions of the batch for events."""
    base = D.Normal(sg.zeros(3), 1.0)
    wide = D.TransformedDistribution(base, D.AffineTransform(sg.zeros(2, 1), 1.0))
    assert wide.batch_shape == (2, 3) and wide.sample((4,)).shape == (4, 2, 3)
    vector = D.TransformedDistribution(D.Normal(sg.zeros(2, 3), 1.0), [D.ExpTransform(), D.SoftmaxTransform()])
    assert (vector.batch_shape, vector.event_shape) == ((2,), (3,)) and isinstance(vector.base_dist, D.Independent)
    matrix = D.TransformedDistribution(D.Normal(sg.zeros(3), 1.0), D.CorrCholeskyTransform())
    assert (matrix.batch_shape, matrix.event_shape) == ((), (3, 3))
    assert matrix.log_prob(matrix.sample((5,))).shape == (5,)
    assert matrix.expand((2, 4)).sample().shape == (2, 4, 3, 3)


def test_transformed_errors(lib: Any) -> None:
    """Something else than transforms, and a base of too few dimensions."""
    D = lib.distributions
    normal = D.Normal(0.0, 1.0)
    for given in (D.ExpTransform, (D.ExpTransform(),)):
        with pytest.raises(ValueError, match="transforms must be a Transform or list, but was"):
            D.TransformedDistribution(normal, given)
    with pytest.raises(ValueError, match="transforms must be a Transform or a list of Transforms"):
        D.TransformedDistribution(normal, [lib.exp])
    with pytest.raises(ValueError, match="with size at least 1, but got"):
        D.TransformedDistribution(normal, D.StickBreakingTransform())


def test_a_cache_keeps_far_samples() -> None:
    """The density of a sample that tanh rounds to one is finite where the transform remembers what it came from."""
    policy = D.TransformedDistribution(D.Normal(sg.tensor([30.0]), 1.0), [D.TanhTransform(cache_size=1)])
    action = policy.rsample()
    assert float(action) == 1.0 and bool(policy.log_prob(action).isfinite().all())


WEIGHTS = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
LOC, SCALE = np.array([[-1.0, 1.0], [0.0, 3.0], [2.0, -2.0]]), np.array([[0.5, 1.0], [1.0, 2.0], [0.3, 0.7]])


@pytest.mark.cpu("thousands of samples take long on a simulated device")
def test_mixtures() -> None:
    """Density, cdf and moments are weighted; samples have that cdf."""
    made = D.MixtureSameFamily(D.Categorical(sg.tensor(WEIGHTS)), D.Normal(sg.tensor(LOC), sg.tensor(SCALE)))
    parts = stats.norm(LOC, SCALE)
    x = np.linspace(-3, 3, 5)[:, None]
    close(made.log_prob(sg.tensor(x)), np.log((WEIGHTS * parts.pdf(x[..., None])).sum(-1)))
    close(made.cdf(sg.tensor(x)), (WEIGHTS * parts.cdf(x[..., None])).sum(-1))
    mean = (WEIGHTS * LOC).sum(-1)
    close(made.mean, mean)
    close(made.variance, (WEIGHTS * (SCALE**2 + LOC**2)).sum(-1) - mean**2)
    sg.manual_seed(4)
    samples = made.sample((1500,)).numpy()
    for i in range(3):
        uniform = (WEIGHTS[i] * stats.norm(LOC[i], SCALE[i]).cdf(samples[:, i, None])).sum(-1)
        assert stats.kstest(uniform, "uniform").pvalue > 1e-3
    assert made.batch_shape == (3,) and not made.has_rsample
    assert made.expand((4, 3)).sample((2,)).shape == (2, 4, 3)
    with pytest.raises(ValueError, match="within the support"):
        made.log_prob(sg.full((3,), np.nan))


def test_mixtures_of_vectors() -> None:
    """Components with events; weights of no batch hold for all."""
    loc = np.random.default_rng(0).normal(size=(5, 2, 3))
    parts = D.Independent(D.Normal(sg.tensor(loc), 1.0), 1)
    for weights in (WEIGHTS[0], np.broadcast_to(WEIGHTS[0], (5, 2)).copy()):
        made = D.MixtureSameFamily(D.Categorical(sg.tensor(weights)), parts)
        assert made.batch_shape == (5,) and made.event_shape == (3,) and made.sample((7,)).shape == (7, 5, 3)
        each = stats.norm(loc, 1).logpdf(0).sum(-1)
        close(made.log_prob(sg.zeros(5, 3)), np.log((WEIGHTS[0] * np.exp(each)).sum(-1)))
        close(made.mean, (WEIGHTS[0][:, None] * loc).sum(1))
    assert repr(made.support) == "MixtureSameFamilyConstraint(IndependentConstraint(Real(), 1))"


def test_mixture_errors(lib: Any) -> None:
    """Other kinds, and batches that do not fit."""
    D = lib.distributions
    classes, normal = D.Categorical(lib.ones(2)), D.Normal(lib.zeros(3), 1.0)
    with pytest.raises(ValueError, match="needs to be an *instance of torch.distributions.Categorical"):
        D.MixtureSameFamily(normal, normal)
    with pytest.raises(ValueError, match="Component distribution needs to be an instance"):
        D.MixtureSameFamily(classes, 1.0)
    with pytest.raises(ValueError, match=r"component` \(2\) does not equal .* \(3\)"):
        D.MixtureSameFamily(classes, normal)
    with pytest.raises(ValueError, match="is not compatible with"):
        D.MixtureSameFamily(D.Categorical(lib.ones(4, 3)), D.Normal(lib.zeros(2, 3), 1.0))
