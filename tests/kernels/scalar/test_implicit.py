"""The slopes of draws by their parameters: against differences of SciPy's inverse distribution functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate, special, stats

import specgrad as sg
from specgrad.runtime.namespace import op

LEVELS = (1e-4, 0.1, 0.5, 0.9, 1 - 1e-4)
SHAPES = (1e-3, 0.02, 0.5, 1.0, 3.0, 40.0, 1e3, 1e4)


def derivative(number: Callable[[float], float], at: float) -> float:
    """The derivative of a function by central differences of its logarithm, of fourth order."""
    h = 1e-3 * at
    minus_two, minus, plus, two = (np.log(number(at + k * h)) for k in (-2, -1, 1, 2))
    return float((8 * (plus - minus) - (two - minus_two)) / (12 * h) * number(at))


def gamma_at(level: float) -> Callable[[float], float]:
    return lambda a: special.gammaincinv(a, level) if level < 0.6 else special.gammainccinv(a, 1 - level)


def beta_at(level: float, b: float) -> Callable[[float], float]:
    return lambda a: special.betaincinv(a, b, level)


def test_slopes_of_gamma_numbers() -> None:
    """Within 1e-7 of the differences, in float32 within its precision, for shapes from 0.001 to 10000."""
    cases = [(a, level, gamma_at(level)(a)) for a in SHAPES for level in LEVELS]
    shapes, levels, numbers = np.array([case for case in cases if case[2] > 1e-290]).T
    expected = [derivative(gamma_at(level), a) for a, level in zip(shapes, levels, strict=True)]
    found = sg._standard_gamma_grad(sg.tensor(shapes), sg.tensor(numbers)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    normal = numbers > 1e-30
    single = sg._standard_gamma_grad(*(sg.tensor(x[normal], dtype=sg.float32) for x in (shapes, numbers))).numpy()
    rounded = shapes[normal].astype(np.float32).astype(float), numbers[normal].astype(np.float32).astype(float)
    np.testing.assert_allclose(single, sg._standard_gamma_grad(*map(sg.tensor, rounded)).numpy(), rtol=3e-7)


def test_slopes_of_beta_numbers() -> None:
    """(1 - x) times the slope is that of the differences; near 1 the complement has digits that x has not."""
    cases = [(a, b, level, beta_at(level, b)(a)) for a in SHAPES for b in SHAPES for level in (0.01, 0.4, 0.9)]
    a, b, levels, x = np.array([case for case in cases if 1e-290 < case[3] < 1 - 1e-5]).T
    expected = [derivative(beta_at(level, second), first) for first, second, level in zip(a, b, levels, strict=True)]
    found = sg._dirichlet_grad(*map(sg.tensor, (x, a, a + b))).numpy()
    np.testing.assert_allclose(found * (1 - x), expected, rtol=2e-6)


@pytest.mark.parametrize("concentration", [1e-3, 0.5, 4.0, 300.0, 1e5])
def test_slopes_of_angles(concentration: float) -> None:
    """-(dF / dk) / p, with the distribution function F integrated over the angles."""

    def above(k: float, angle: float) -> float:
        """The integral of exp(k (cos t - 1)) over t from 0 to the angle."""
        part = [t for t in (1 / np.sqrt(k), 5 / np.sqrt(k)) if t < angle]
        return float(integrate.quad(lambda t: np.exp(k * (np.cos(t) - 1)), 0, angle, points=part, epsabs=0)[0])

    for angle in np.array([-2.0, 0.1, 1.0, 3.0]) / max(1.0, np.sqrt(concentration)):
        size = abs(angle)
        level = derivative(lambda k, size=size: above(k, size) / above(k, np.pi), concentration)
        density = np.exp(concentration * (np.cos(size) - 1)) / above(concentration, np.pi)
        found = op.von_mises_grad(sg.tensor(angle, dtype=sg.float64), sg.tensor(concentration, dtype=sg.float64))
        assert found.item() == pytest.approx(-np.sign(angle) * level / density, rel=1e-5)


def test_moves() -> None:
    """A number keeps its level in another gamma distribution, in both tails and far from where it was."""
    anchors, shapes = np.meshgrid([0.05, 1.0, 7.0, 500.0], [0.1, 1.0, 5.0, 800.0])
    for level in (1e-8, 0.3, 0.999):
        sampled = special.gammaincinv(anchors, level)
        found = op.gamma_moved(*map(sg.tensor, (shapes, anchors, sampled))).numpy()
        np.testing.assert_allclose(found, special.gammaincinv(shapes, level), rtol=1e-9)
    assert op.gamma_moved(*map(sg.tensor, ([2.0], [2.0], [0.7]))).item() == np.float32(0.7)


def test_edges() -> None:
    """At 0 nothing moves, at 1 the slope over 1 - x is finite; what no distribution gives has no slope."""
    shape, number = sg.tensor([2.0, 2.0, 2.0, 0.0, -1.0]), sg.tensor([0.0, np.inf, -1.0, 1.0, 1.0])
    np.testing.assert_array_equal(sg._standard_gamma_grad(shape, number).isnan().numpy(), [False, *[True] * 4])
    x, alpha = sg.tensor([0.0, 1.0, 1.0, 1.5]), sg.tensor([2.0, 2.0, 3.0, 2.0])
    found = sg._dirichlet_grad(x, alpha, sg.tensor([3.0] * 4)).numpy()
    np.testing.assert_allclose(found, [0.0, special.digamma(3) - special.digamma(2), 0.0, np.nan], rtol=1e-6)


@pytest.mark.parametrize("shape", [1e-3, 0.02, 0.6, 1.0, 5.5, 3e4])
def test_draws_of_gamma_numbers(shape: float) -> None:
    """Their distribution is that of SciPy's, of small shapes on a scale of logarithms."""
    generator = sg.Generator().manual_seed(5)
    sampled = sg._standard_gamma(sg.full((6000,), shape, dtype=sg.float64), generator).numpy()
    if shape < 0.1:  # the logarithm of a level is nearly `shape` times that of the number: many are too small for one
        min_value = 1e-300
        part = sampled[sampled > min_value]
        assert abs(len(part) / len(sampled) - stats.gamma(shape).sf(min_value)) < 0.03
        below = stats.gamma(shape).cdf(min_value)
        levels = (stats.gamma(shape).cdf(part) - below) / (1 - below)
        assert stats.kstest(levels, "uniform").pvalue > 1e-3
    else:
        assert stats.kstest(sampled, stats.gamma(shape).cdf).pvalue > 1e-3


def test_draws_are_reproducible() -> None:
    """A generator's seed decides the numbers; dtypes and shapes are those of the argument; integers are refused."""
    first, second = (sg._standard_gamma(sg.full((2, 3), 0.5), sg.Generator().manual_seed(1)) for _ in range(2))
    assert sg.equal(first, second) and first.dtype is sg.float32
    assert sg._standard_gamma(sg.ones(3, dtype=sg.float16)).dtype is sg.float16
    assert sg._standard_gamma(sg.zeros(2)).tolist() == [0.0, 0.0] and sg._standard_gamma(sg.ones(0)).shape == (0,)
    assert sg._sample_dirichlet(sg.full((4, 3), 1e-3)).sum(-1).tolist() == pytest.approx([1.0] * 4)
    with pytest.raises(RuntimeError, match="floating point"):
        sg._standard_gamma(sg.ones(2, dtype=sg.int64))


def test_modes_of_differentiation() -> None:
    """Gradients, tangents and batches agree; the second derivative is that of the first, the third is refused."""
    shape = sg.tensor([0.4, 3.0, 200.0], dtype=sg.float64, requires_grad=True)
    sampled = sg._standard_gamma(shape)
    (found,) = sg.autograd.grad(sampled.sum(), shape, create_graph=True)
    np.testing.assert_array_equal(found.detach(), sg._standard_gamma_grad(shape.detach(), sampled.detach()))
    (second,) = sg.autograd.grad(found.sum(), shape, create_graph=True)
    level = special.gammainc(shape.detach().numpy(), sampled.detach().numpy())
    moved = [special.gammaincinv(shape.detach().numpy() * (1 + h), level) for h in (-1e-3, 0.0, 1e-3)]
    expected = (moved[0] - 2 * moved[1] + moved[2]) / (1e-3 * shape.detach().numpy()) ** 2
    np.testing.assert_allclose(second.detach(), expected, rtol=1e-3, atol=1e-5)
    with pytest.raises(RuntimeError, match="differentiated twice"):
        sg.autograd.grad(second.sum(), shape)
    value, tangent = sg.func.jvp(sg._standard_gamma, (shape.detach(),), (sg.ones(3, dtype=sg.float64),))
    np.testing.assert_allclose(tangent, sg._standard_gamma_grad(shape.detach(), value))
    assert sg.vmap(sg._standard_gamma, randomness="different")(sg.ones(3, 2)).shape == (3, 2)


def test_slopes_end() -> None:
    """Also where shapes are so large or small that sums and starting points overflow."""
    numbers = [5e-324, 1e-300, 0.5, 1 - 2**-53, 1.0, 101.0, 1e20, 1.7e308, np.inf]
    x, alpha, total = (sg.tensor(part.ravel(), dtype=sg.float64) for part in np.meshgrid(*[numbers] * 3))
    assert sg._dirichlet_grad(x, alpha, total).shape == x.shape
    assert sg._standard_gamma_grad(alpha, x).shape == x.shape
