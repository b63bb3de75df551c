"""Impossible and certain events, ends of supports, and counts of many: log probabilities, gradients, divergences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributions as D

pytestmark = pytest.mark.cpu("compares numbers that are known")

INF = math.inf
KINDS = (sg.float32, sg.float64)


def leaf(x: Any, dtype: Any = sg.float64) -> sg.Tensor:
    return sg.tensor(x, dtype=dtype, requires_grad=True)


def checked(log_prob: sg.Tensor, expected: list[float], gradients: dict[Any, list[float]]) -> None:
    """The values, and the gradients of their sum by some leaves."""
    np.testing.assert_allclose(log_prob.detach(), expected, rtol=1e-6, atol=1e-30)
    for tensor, value in gradients.items():
        (result,) = sg.autograd.grad(log_prob.sum(), tensor, retain_graph=True)
        np.testing.assert_allclose(result, value, rtol=1e-6)


@pytest.mark.parametrize("dtype", KINDS)
def test_events_of_probability_zero_and_one(dtype: Any) -> None:
    """Of impossible events log_prob is -inf, of certain ones 0; gradients are limits, from probs and from logits."""
    probs, logits = leaf([0, 1, 0, 1], dtype), leaf([-INF, INF, -INF, INF], dtype)
    k = sg.tensor([0, 1, 1, 0], dtype=dtype)
    checked(D.Bernoulli(probs).log_prob(k), [0, 0, -INF, -INF], {probs: [-1, 1, INF, -INF]})
    checked(D.Bernoulli(logits=logits).log_prob(k), [0, 0, -INF, -INF], {logits: [0, 0, 1, -1]})
    k = sg.tensor([0, 3, 1, 0], dtype=dtype)
    checked(D.Binomial(3, probs).log_prob(k), [0, 0, -INF, -INF], {probs: [-3, 3, INF, -INF]})
    checked(D.Binomial(3, logits=logits).log_prob(k), [0, 0, -INF, -INF], {logits: [0, 0, 1, -3]})
    ones, certain = leaf([1, 1], dtype), leaf([INF, INF], dtype)
    k = sg.tensor([0, 2], dtype=dtype)
    checked(D.Geometric(ones).log_prob(k), [0, -INF], {ones: [1, -INF]})
    checked(D.Geometric(logits=certain).log_prob(k), [0, -INF], {certain: [0, -2]})
    zeros, never = leaf([0, 0], dtype), leaf([-INF, -INF], dtype)
    checked(D.NegativeBinomial(3.0, zeros).log_prob(k), [0, -INF], {zeros: [-3, INF]})
    checked(D.NegativeBinomial(3.0, logits=never).log_prob(k), [0, -INF], {never: [0, 2]})
    checked(D.Poisson(zeros).log_prob(k), [0, -INF], {zeros: [-1, INF]})


@pytest.mark.parametrize("dtype", KINDS)
def test_classes_of_weight_zero(dtype: Any) -> None:
    """They are impossible; the others have finite gradients beside them."""
    weights, logits = leaf([0, 0.25, 0.75], dtype), leaf([-INF, math.log(0.25), math.log(0.75)], dtype)
    right = [-INF, math.log(0.25), math.log(0.75)]
    classes = sg.tensor([0, 1, 2])
    for ours in (D.Categorical(weights), D.Categorical(logits=logits)):
        np.testing.assert_allclose(ours.log_prob(classes).detach(), right, rtol=1e-6)
        np.testing.assert_allclose(ours.entropy().detach(), 0.5623351446, rtol=1e-6)
    checked(D.Categorical(weights).log_prob(classes[1:]), right[1:], {weights: [-2, 2, -2 / 3]})
    one_hot = sg.eye(3, dtype=dtype)
    np.testing.assert_allclose(D.OneHotCategorical(weights).log_prob(one_hot).detach(), right, rtol=1e-6)
    counts = sg.tensor([[1, 1, 1], [0, 1, 2]], dtype=dtype)
    possible = math.log(3) + math.log(0.25) + 2 * math.log(0.75)
    for many in (D.Multinomial(3, weights), D.Multinomial(3, logits=logits)):
        np.testing.assert_allclose(many.log_prob(counts).detach(), [-INF, possible], rtol=1e-6)
    checked(D.Multinomial(3, weights).log_prob(counts[1:]), [possible], {weights: [-3, 1, -1 / 3]})
    components = D.Normal(sg.tensor([0.0, 5.0, 6.0], dtype=dtype), 1.0)
    mixed = D.MixtureSameFamily(D.Categorical(weights), components).log_prob(sg.tensor(0.0, dtype=dtype))
    (gradient,) = sg.autograd.grad(mixed, weights)
    parts = -0.918938533 + math.log(0.25) - 12.5 + math.log1p(3 * math.exp(-5.5))
    assert mixed.item() == pytest.approx(parts, rel=1e-6) and bool(gradient.isfinite().all())


def test_ends_of_supports() -> None:
    """At 0 the density of the gamma distribution is 0, finite or infinite, by its shape; beyond all numbers it is 0."""
    shapes, zeros = sg.tensor([0.5, 1.0, 2.0], dtype=sg.float64), sg.zeros(3, dtype=sg.float64)
    for ours in (D.Gamma(shapes, 3.0), D.Weibull(3.0, shapes, validate_args=False), D.Beta(shapes, 2.0)):
        first, second, third = ours.log_prob(zeros).tolist()
        assert first == INF and math.isfinite(second) and third == -INF
    assert D.Gamma(2.0, 1.0).log_prob(sg.tensor(INF)).item() == -INF
    shape = leaf([-0.5, 0.0, 0.5])
    tail = D.GeneralizedPareto(1.0, 3.0, shape)
    assert tail.icdf(sg.ones(3, dtype=sg.float64)).tolist() == [7.0, INF, INF]
    (gradient,) = sg.autograd.grad(tail.log_survival_function(sg.tensor(4.0)).sum(), shape)
    z = 1.0  # of log(1 + c z) / c the derivative by c at 0 is -z^2 / 2
    assert gradient[1].item() == pytest.approx(z * z / 2)
    x = leaf(-1e6)
    cdf = D.Gumbel(sg.zeros((), dtype=sg.float64), 1.0).cdf(x)
    assert cdf.item() == 0.0 and sg.autograd.grad(cdf, x)[0].item() == 0.0
    x = leaf(0.0)
    (gradient,) = sg.autograd.grad(D.Laplace(sg.zeros((), dtype=sg.float64), 2.0).cdf(x), x)
    assert gradient.item() == 0.25


def test_entropies_at_the_edges() -> None:
    """Certain events have none, nearly certain ones have digits; large shapes do not cancel."""
    logits = leaf([-INF, INF, -50, 50])
    small, slope = 51 * math.exp(-50), 50 * math.exp(-50)
    checked(
        D.Bernoulli(logits=logits).entropy(),
        [0, 0, small, small],
        {logits: [0, 0, slope, -slope]},
    )
    np.testing.assert_allclose(D.Bernoulli(sg.tensor([0.0, 1.0])).entropy(), [0, 0], atol=0)
    np.testing.assert_allclose(D.Geometric(sg.tensor([1.0])).entropy(), [0], atol=0)
    np.testing.assert_allclose(D.Binomial(3, sg.tensor([0.0, 1.0])).entropy(), [0, 0], atol=0)
    # of Gamma(a, 1), for large a: log(2 pi e a) / 2 - 1 / (3 a)
    for dtype in KINDS:
        result = D.Gamma(sg.tensor(1e7, dtype=dtype), 1.0).entropy().item()
        assert result == pytest.approx(0.5 * math.log(2 * math.pi * math.e * 1e7), rel=1e-6)


def test_rare_events_of_continuous_bernoulli() -> None:
    """Probabilities below the rounding error of 1 count: log p(x) = x log(p) + log(-log(p)) where p is small."""
    for p in (1e-10, 1e-30):
        for dtype in KINDS:
            result = D.ContinuousBernoulli(sg.tensor(p, dtype=dtype)).log_prob(sg.tensor(0.3, dtype=dtype)).item()
            assert result == pytest.approx(0.3 * math.log(p) + math.log(-math.log(p)), rel=1e-6)


def test_divergences_at_the_edges() -> None:
    """0 log 0 is 0; what q never gives and p does is infinite; nearly equal large parameters do not cancel."""

    def wide(*x: float) -> sg.Tensor:
        return sg.tensor(x, dtype=sg.float64)

    def compared(p: Any, q: Any, expected: list[float], rtol: float = 1e-9) -> None:
        np.testing.assert_allclose(D.kl_divergence(p, q).reshape(-1), expected, rtol=rtol)

    log2 = math.log(2)
    compared(D.Bernoulli(wide(0, 1, 0, 1)), D.Bernoulli(wide(0, 1, 0.5, 0)), [0, 0, log2, INF])
    compared(D.Bernoulli(logits=wide(-INF, INF)), D.Bernoulli(logits=wide(-INF, 0)), [0, log2])
    compared(D.Binomial(3, wide(0, 1, 0.5)), D.Binomial(3, wide(0.5, 1, 0)), [3 * log2, 0, INF])
    compared(D.Geometric(wide(1, 0.5)), D.Geometric(wide(0.5, 1)), [log2, INF])
    compared(D.Poisson(wide(0, 0, 3, 1e7)), D.Poisson(wide(0, 2, 0, 1.001e7)), [0, 2, INF, 4.99666916466865])
    compared(D.Bernoulli(wide(0, 1)), D.Poisson(wide(0, 2)), [0, 2 - log2])
    compared(D.Categorical(wide(0, 1)), D.Categorical(wide(0.5, 0.5)), [log2])
    compared(D.Categorical(wide(0, 0.5, 0.5)), D.Categorical(wide(0.5, 0.5, 0)), [INF])
    compared(D.Normal(0.0, wide(1e-200)), D.Normal(0.0, wide(1)), [200 * math.log(10) - 0.5])
    compared(D.Cauchy(0.0, wide(1e200)), D.Cauchy(0.0, wide(1e180)), [20 * math.log(10) - 2 * log2])
    for dtype in KINDS:  # of Gamma(a, 1) from Gamma(b, 1): a difference of b - a = h squared over 2 a, and h^3 terms
        p, q = (D.Gamma(sg.tensor(x, dtype=dtype), 1.0) for x in (1e7, 1.001e7))
        assert D.kl_divergence(p, q).item() == pytest.approx(4.9983344, rel=1e-3)


def test_logits_far_out() -> None:
    """Where probabilities are no normal numbers, logarithms are those of the logits."""
    for dtype, logit in ((sg.float32, 200.0), (sg.float64, 2000.0)):
        many = sg.tensor([logit, -logit], dtype=dtype)
        k = sg.tensor([4.0, 6.0], dtype=dtype)
        np.testing.assert_allclose(
            D.Binomial(10, logits=many).log_prob(k), math.log(210) - logit * np.array([6, 6]), rtol=1e-6
        )
        counts = D.Multinomial(3, logits=sg.tensor([0.0, -logit], dtype=dtype)).log_prob(
            sg.tensor([1.0, 2.0], dtype=dtype)
        )
        assert counts.item() == pytest.approx(math.log(3) - 2 * logit, rel=1e-6)


def test_counts_of_many_classes() -> None:
    """A million of each of four classes, and concentrations of a million, in both dtypes."""
    n = 10**6
    ways = math.lgamma(4 * n + 1) - 4 * math.lgamma(n + 1) - 4 * n * math.log(4)
    density = math.lgamma(4 * n) - 4 * math.lgamma(n) - 4 * (n - 1) * math.log(4)
    for dtype in KINDS:
        quarters, counts = sg.full((4,), 0.25, dtype=dtype), sg.full((4,), 1e6, dtype=dtype)
        assert D.Multinomial(4 * n, quarters).log_prob(counts).item() == pytest.approx(ways, rel=1e-6)
        assert D.Dirichlet(counts).log_prob(quarters).item() == pytest.approx(density, rel=1e-6)


def test_large_shapes_of_the_incomplete_gamma_function() -> None:
    """The derivative by the shape is that of mpmath, and can be differentiated by both arguments."""
    a, x = leaf([2.0, 0.5, 10.0]), leaf([1.0, 0.5, 3.0])
    right = [-0.2761960457028348, -0.6472003523777539, -0.0014156364605752093]
    for function, sign in ((sg.special.gammainc, 1), (sg.special.gammaincc, -1)):
        (gradient,) = sg.autograd.grad(function(a, x).sum(), a, create_graph=True)
        np.testing.assert_allclose(gradient.detach(), sign * np.array(right), rtol=1e-12)
        by_a, by_x = sg.autograd.grad(gradient.sum(), (a, x))
        near = [leaf((a + h).tolist()) for h in (1e-5, -1e-5)]
        above, below = (sg.autograd.grad(function(shape, x).sum(), shape)[0] for shape in near)
        np.testing.assert_allclose(by_a, (above - below) / 2e-5, rtol=1e-6)
        density = [
            math.exp((s - 1) * math.log(v) - v - math.lgamma(s)) for s, v in zip(a.tolist(), x.tolist(), strict=True)
        ]
        expected = sign * np.array(density) * (x.log() - a.digamma()).detach().numpy()
        np.testing.assert_allclose(by_x, expected, rtol=1e-9)
    ends = leaf([0.0, INF])
    (gradient,) = sg.autograd.grad(sg.special.gammainc(leaf([2.0, 2.0]), ends).sum(), ends)
    np.testing.assert_array_equal(gradient, [0, 0])
