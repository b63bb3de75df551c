"""Divergences among gamma-like, discrete and matrix distributions are means of differences of log-densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributions as D
from specgrad.distributions import kl_divergence

pytestmark = pytest.mark.cpu("numbers are the same on any device")


def wide(x: Any) -> sg.Tensor:
    return sg.tensor(x, dtype=sg.float64)


A, B = wide([0.7, 2.0, 9.0]), wide([1.3, 0.6, 4.0])
P, Q = wide([0.1, 0.5, 0.7]), wide([0.3, 0.4998, 0.95])
NUMBERS: dict[str, tuple[Any, Any]] = {
    "Gamma": (D.Gamma(A, B), D.Gamma(B, A)),
    "Chi2": (D.Chi2(A), D.Chi2(B)),
    "Beta": (D.Beta(A, B), D.Beta(B, A)),
    "Beta and Gamma": (D.Beta(A, B), D.Gamma(B, A)),
    "Beta and ContinuousBernoulli": (D.Beta(A + 1, B), D.ContinuousBernoulli(Q)),
    "ContinuousBernoulli": (D.ContinuousBernoulli(P), D.ContinuousBernoulli(Q)),
    "Dirichlet": (D.Dirichlet(A), D.Dirichlet(B)),
    "Wishart": (
        D.Wishart(wide([3.0, 6.0]), wide([[2.0, 0.3], [0.3, 1.0]])),
        D.Wishart(wide([4.0, 5.0]), wide([[1.0, -0.2], [-0.2, 1.5]])),
    ),
}


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_numbers(name: str) -> None:
    """Means over samples, within five standard errors."""
    p, q = NUMBERS[name]
    sg.manual_seed(23)
    sampled = p.sample((20000,))
    if name.startswith("Beta"):
        sampled = sampled.clamp(1e-300, 1 - 1e-16)
    differences = p.log_prob(sampled) - q.log_prob(sampled)
    error = 5 * differences.std(0).numpy() / math.sqrt(20000)
    np.testing.assert_array_less(np.abs(kl_divergence(p, q).numpy() - differences.mean(0).numpy()), error + 1e-12)
    np.testing.assert_allclose(kl_divergence(p, p), 0, atol=1e-9)


COUNTS: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "Bernoulli": lambda: (D.Bernoulli(P), D.Bernoulli(Q), range(2)),
    "Bernoulli and Poisson": lambda: (D.Bernoulli(P), D.Poisson(B), range(2)),
    "Binomial": lambda: (D.Binomial(5, P), D.Binomial(5, Q), range(6)),
    "Categorical": lambda: (D.Categorical(A), D.Categorical(logits=B), range(3)),
    "Geometric": lambda: (D.Geometric(P), D.Geometric(Q), range(2000)),
    "Poisson": lambda: (D.Poisson(A), D.Poisson(B), range(100)),
}


@pytest.mark.parametrize("name", sorted(COUNTS))
def test_counts(name: str) -> None:
    """Sums over the values."""
    p, q, values = COUNTS[name]()
    x = wide(list(values)).reshape(-1, *(1,) * len(p.batch_shape))
    log_p, log_q = p.log_prob(x), q.log_prob(x)
    np.testing.assert_allclose(kl_divergence(p, q), (log_p.exp() * (log_p - log_q)).sum(0), rtol=1e-6)


def test_impossible_values() -> None:
    """Infinite where p has values that q has not; what p has not counts for nothing."""
    certain = D.Bernoulli(sg.tensor([0.0, 1.0, 0.5, 0.0]))
    found = kl_divergence(certain, D.Bernoulli(sg.tensor([0.0, 1.0, 0.0, 1.0]))).tolist()
    assert found == [0.0, pytest.approx(0, abs=1e-6), math.inf, math.inf]
    p, q = D.Categorical(sg.tensor([0.0, 0.5, 0.5])), D.Categorical(sg.tensor([0.5, 0.5, 0.0]))
    assert kl_divergence(p, q).item() == math.inf and kl_divergence(p, p).item() == 0
    one_hot = [D.OneHotCategorical(d.probs) for d in (p, q)]
    assert kl_divergence(*one_hot).item() == math.inf
    for q in (D.Bernoulli(0.5), D.Binomial(3, 0.5)):
        assert kl_divergence(D.Poisson(1.0), q).item() == math.inf
    assert kl_divergence(D.Gamma(1.0, 1.0), D.Beta(1.0, 1.0)).item() == math.inf
    assert kl_divergence(D.Binomial(4, 0.5), D.Binomial(3, 0.5)).item() == math.inf
    with pytest.raises(NotImplementedError, match="KL between Binomials where q.total_count > p.total_count"):
        kl_divergence(D.Binomial(3, 0.5), D.Binomial(4, 0.5))
