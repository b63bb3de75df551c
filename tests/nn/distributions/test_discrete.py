"""Discrete distributions: probabilities, moments and samples are SciPy's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import specgrad as sg
from specgrad import distributions as D

pytestmark = pytest.mark.cpu("compares numbers with SciPy's")

P = [0.15, 0.5, 0.9]


def wide(x: Any) -> sg.Tensor:
    return sg.tensor(x, dtype=sg.float64)


LOGITS = wide(special.logit(P))
SAME: dict[str, tuple[Any, Any]] = {
    "Bernoulli": (D.Bernoulli(wide(P)), stats.bernoulli(P)),
    "Bernoulli of logits": (D.Bernoulli(logits=LOGITS), stats.bernoulli(P)),
    "Binomial": (D.Binomial(7, wide(P)), stats.binom(7, P)),
    "Binomial of logits": (D.Binomial(7, logits=LOGITS), stats.binom(7, P)),
    "Geometric": (D.Geometric(wide(P)), stats.geom(P, loc=-1)),
    "Geometric of logits": (D.Geometric(logits=LOGITS), stats.geom(P, loc=-1)),
    "NegativeBinomial": (
        D.NegativeBinomial(wide([0.5, 3.0, 2.0]), wide(P)),
        stats.nbinom([0.5, 3, 2], 1 - np.array(P)),
    ),
    "Poisson": (D.Poisson(wide([0.2, 3.0, 40.0])), stats.poisson([0.2, 3, 40])),
}
NAMES = sorted(SAME)


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_and_moments(name: str) -> None:
    """log_prob of the values up to 30 that there are, mean and variance; entropy where there is one."""
    ours, theirs = SAME[name]
    max_count = {"Bernoulli": 1, "Binomial": 7}.get(name.split()[0], 30)
    values = np.arange(max_count + 1.0)[:, None]
    np.testing.assert_allclose(ours.log_prob(wide(values)), theirs.logpmf(values), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.mean, theirs.mean(), rtol=1e-9)
    np.testing.assert_allclose(ours.variance, theirs.var(), rtol=1e-9)
    if name not in ("NegativeBinomial", "Poisson"):
        np.testing.assert_allclose(ours.entropy(), theirs.entropy(), rtol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_samples(name: str) -> None:
    """As often as they should, by a chi-square test over the values that are frequent enough."""
    ours, theirs = SAME[name]
    sg.manual_seed(5)
    sampled = ours.sample((4000,)).numpy()
    assert sampled.shape == (4000, 3) and bool(ours.support.check(wide(sampled)).all())
    values = np.arange(80)[:, None]
    expected = 4000 * theirs.pmf(values)
    found = (sampled[None] == values[:, :, None].transpose(0, 2, 1)).sum(1)
    for column in range(3):
        often = expected[:, column] > 8
        rest = [4000 - part[often, column].sum() for part in (found, expected)]
        table = [np.append(part[often, column], last) for part, last in zip((found, expected), rest, strict=True)]
        if table[1][-1] < 1:
            table = [part[:-1] for part in table]
            table[1] = table[1] * table[0].sum() / table[1].sum()
        assert len(table[0]) < 2 or stats.chisquare(*table).pvalue > 1e-3


WEIGHTS = wide([[1.0, 2.0, 5.0], [3.0, 0.0, 1.0]])
PROBS = WEIGHTS.numpy() / WEIGHTS.numpy().sum(-1, keepdims=True)


def test_classes() -> None:
    """Categorical: probabilities of weights and of logits, entropy, mode, samples, and no mean."""
    ours = D.Categorical(WEIGHTS)
    np.testing.assert_allclose(ours.log_prob(wide([2, 0])).exp(), [PROBS[0, 2], PROBS[1, 0]])
    np.testing.assert_allclose(D.Categorical(logits=WEIGHTS).probs, special.softmax(WEIGHTS.numpy(), -1))
    np.testing.assert_allclose(ours.entropy(), stats.entropy(PROBS, axis=-1))
    assert ours.mode.tolist() == [2, 0] and bool(ours.mean.isnan().all()) and ours.support.upper_bound == 2
    sg.manual_seed(3)
    sampled = ours.sample((4000,))
    assert sampled.dtype is sg.int64 and sampled.shape == (4000, 2) and 1 not in sampled[:, 1]
    assert stats.chisquare(np.bincount(sampled[:, 0].numpy()), 4000 * PROBS[0]).pvalue > 1e-3
    assert ours.enumerate_support().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert ours.enumerate_support(False).shape == (3, 1)
    assert D.Categorical(WEIGHTS[0]).sample().shape == ()


def test_one_hot() -> None:
    """Vectors with a one at the class; the straight-through ones have the gradients of the probabilities."""
    ours = D.OneHotCategorical(WEIGHTS)
    assert ours.event_shape == (3,) and ours.mode.tolist() == [[0, 0, 1], [1, 0, 0]]
    np.testing.assert_allclose(ours.log_prob(wide([0, 0, 1])), np.log(PROBS[:, 2]))
    np.testing.assert_allclose(ours.variance, PROBS * (1 - PROBS))
    assert ours.enumerate_support().shape == (3, 2, 3) and ours.sample((5,)).sum(-1).tolist() == [[1, 1]] * 5
    logits = wide([0.5, -1.0, 0.2]).requires_grad_()
    through = D.OneHotCategoricalStraightThrough(logits=logits)
    sampled = through.rsample()
    assert sorted(sampled.tolist()) == pytest.approx([0, 0, 1])
    (found,) = sg.autograd.grad(sampled[1], logits)
    probs = special.softmax(logits.detach().numpy())
    np.testing.assert_allclose(found, probs[1] * ((np.arange(3) == 1) - probs))
    assert not through.sample().requires_grad


def test_counts_of_classes() -> None:
    """Multinomial: probabilities, entropy and samples, whose sums are the number of draws."""
    ours = D.Multinomial(6, WEIGHTS)
    for value in ([1, 2, 3], [4, 0, 2]):
        expected = [stats.multinomial(6, row).logpmf(value) for row in PROBS]
        np.testing.assert_allclose(ours.log_prob(wide(value)).clamp(min=-50), np.maximum(expected, -50))
    np.testing.assert_allclose(ours.entropy(), [stats.multinomial(6, row).entropy() for row in PROBS], rtol=1e-6)
    sg.manual_seed(9)
    sampled = ours.sample((5000,)).numpy()
    assert sampled.shape == (5000, 2, 3) and (sampled.sum(-1) == 6).all()
    np.testing.assert_allclose(sampled.mean(0), 6 * PROBS, atol=0.1)
    np.testing.assert_allclose(sampled.var(0), ours.variance, atol=0.12)
    with pytest.raises(NotImplementedError, match="inhomogeneous total_count is not supported"):
        D.Multinomial(wide([2.0, 3.0]), WEIGHTS)  # type: ignore[arg-type]


def test_continuous_bernoulli() -> None:
    """Density, distribution function, its inverse and moments, also where probs is near 1/2."""
    p = np.array([0.02, 0.3, 0.4995, 0.5, 0.7])
    ours, x = D.ContinuousBernoulli(wide(p)), (np.arange(20000) + 0.5) / 20000
    density = np.exp(ours.log_prob(wide(x[:, None])).numpy())
    np.testing.assert_allclose(density.mean(0), 1, rtol=1e-6)
    np.testing.assert_allclose(ours.mean, (density * x[:, None]).mean(0), rtol=1e-6)
    np.testing.assert_allclose(ours.variance, (density * (x[:, None] - ours.mean.numpy()) ** 2).mean(0), rtol=1e-5)
    np.testing.assert_allclose(ours.entropy(), -(density * np.log(density)).mean(0), rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(ours.cdf(wide(0.6)), density[:12000].sum(0) / 20000, rtol=1e-3)
    np.testing.assert_allclose(ours.icdf(ours.cdf(wide(0.6))), 0.6, rtol=1e-9)
    probs = wide([0.1, 0.8]).requires_grad_()
    sg.manual_seed(1)
    D.ContinuousBernoulli(probs).rsample((20000,)).mean(0).sum().backward()
    means = [D.ContinuousBernoulli(wide([0.1 + h, 0.8 + h])).mean.numpy() for h in (1e-5, -1e-5)]
    assert probs.grad is not None
    np.testing.assert_allclose(probs.grad, (means[0] - means[1]) / 2e-5, rtol=0.05)


def test_certain_events() -> None:
    """Probabilities of 0 and 1 give finite or infinite logarithms, and no NaN."""
    assert D.Geometric(1.0).log_prob(sg.tensor(0.0)).item() == 0.0
    assert D.Binomial(3, sg.tensor([0.0, 1.0])).log_prob(sg.tensor([0.0, 3.0])).abs().max().item() < 1e-5
    assert D.Poisson(0.0).log_prob(sg.tensor([0.0, 1.0])).tolist() == [0.0, -math.inf]
    assert D.NegativeBinomial(0.0, 0.5).log_prob(sg.tensor(0.0)).item() == 0.0
    assert D.Categorical(WEIGHTS).log_prob(sg.tensor(1))[1].item() < -30
    assert bool(D.Bernoulli(sg.tensor(0.5)).mode.isnan()) and D.Bernoulli(0.0).sample((9,)).sum().item() == 0


def test_expanded() -> None:
    """Both parameters, those that were computed too, have the larger batch."""
    for name in NAMES:
        more = SAME[name][0].expand((2, 3))
        assert more.sample((4,)).shape == (4, 2, 3) and sg.equal(more.mean[1], SAME[name][0].mean)
    for ours, event in (
        (D.Categorical(WEIGHTS), ()),
        (D.OneHotCategorical(WEIGHTS), (3,)),
        (D.Multinomial(4, WEIGHTS), (3,)),
    ):
        more = ours.expand((5, 2))
        assert more.sample().shape == (5, 2, *event) and more.logits.shape == (5, 2, 3)


def test_wrong_parameters() -> None:
    """PyTorch's messages."""
    for kind in (D.Bernoulli, D.Categorical, D.Geometric, D.ContinuousBernoulli, D.OneHotCategorical):
        with pytest.raises(ValueError, match="Either `probs` or `logits` must be specified, but not both"):
            kind()
    with pytest.raises(ValueError, match="`probs` parameter must be at least one-dimensional"):
        D.Categorical(sg.tensor(1.0))
    with pytest.raises(ValueError, match="to be positive but found invalid values"):
        D.Geometric(0.0)
    with pytest.raises(ValueError, match="The parameter probs has invalid values"):
        D.ContinuousBernoulli(1.5)
    with pytest.raises(NotImplementedError, match="Inhomogeneous total count not supported by `enumerate_support`"):
        D.Binomial(sg.tensor([2.0, 3.0]), 0.5).enumerate_support()
    with pytest.raises(ValueError, match="within the support"):
        D.Binomial(3, 0.5).log_prob(sg.tensor(4.0))
