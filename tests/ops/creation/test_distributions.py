"""What is drawn has the distribution that it is said to have: tests of SciPy's with fixed seeds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import specgrad as sg

COUNT = 200_000
CHANCE = 1e-4  # of a test of a correct distribution to fail, if seeds were not fixed


@pytest.fixture(autouse=True)
def seeded() -> None:
    sg.manual_seed(20261122)


CONTINUOUS: dict[str, tuple[Callable[[], Any], Any]] = {
    "rand": (lambda: sg.rand(COUNT), stats.uniform()),
    "rand in double": (lambda: sg.rand(COUNT, dtype=sg.float64), stats.uniform()),
    "uniform_": (lambda: sg.empty(COUNT).uniform_(-3.0, 5.0), stats.uniform(-3, 8)),
    "randn": (lambda: sg.randn(COUNT), stats.norm()),
    "randn in double": (lambda: sg.randn(COUNT, dtype=sg.float64), stats.norm()),
    "normal_": (lambda: sg.empty(COUNT).normal_(2.0, 3.0), stats.norm(2, 3)),
    "a part of complex numbers": (lambda: sg.randn(COUNT, dtype=sg.complex64).imag, stats.norm(0, 0.5**0.5)),
    "exponential_": (lambda: sg.empty(COUNT).exponential_(2.0), stats.expon(scale=0.5)),
    "exponential_ in double": (lambda: sg.empty(COUNT, dtype=sg.float64).exponential_(), stats.expon()),
    "cauchy_": (lambda: sg.empty(COUNT).cauchy_(1.0, 2.0), stats.cauchy(1, 2)),
    "log_normal_": (lambda: sg.empty(COUNT).log_normal_(1.0, 0.5), stats.lognorm(0.5, scale=np.e)),
    "poisson of many": (lambda: sg.poisson(sg.full((COUNT,), 1e12, dtype=sg.float64)), stats.norm(1e12, 1e6)),
    "binomial of many": (
        lambda: sg.binomial(sg.full((COUNT,), 4e12, dtype=sg.float64), sg.tensor(0.5, dtype=sg.float64)),
        stats.norm(2e12, 1e6),
    ),
    "trunc_normal_": (
        lambda: sg.nn.init.trunc_normal_(sg.empty(COUNT), 1.0, 2.0, -1.0, 4.0),
        stats.truncnorm(-1, 1.5, 1, 2),
    ),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str) -> None:
    """Kolmogorov and Smirnov's test, and the first four moments where there are any."""
    draw, expected = CONTINUOUS[name]
    x = draw().double().numpy()
    assert stats.kstest(x, expected.cdf).pvalue > CHANCE
    if name != "cauchy_":
        z = (x - expected.mean()) / expected.std()
        _, _, skew, excess = expected.stats(moments="mvsk")
        for power, exact in enumerate((0.0, 1.0, skew, 3.0 + excess), 1):
            assert abs((z**power).mean() - exact) < 5 * (z**power).std() / COUNT**0.5


DISCRETE: dict[str, tuple[Callable[[], Any], Any]] = {
    "randint": (lambda: sg.randint(-3, 14, (COUNT,)), stats.randint(-3, 14)),
    "random_": (lambda: sg.empty(COUNT, dtype=sg.uint8).random_(), stats.randint(0, 256)),
    "bernoulli": (lambda: sg.bernoulli(sg.full((COUNT,), 0.3)), stats.bernoulli(0.3)),
    "bernoulli_": (lambda: sg.empty(COUNT).bernoulli_(0.3), stats.bernoulli(0.3)),
    "dropout": (lambda: sg.nn.functional.dropout(sg.ones(COUNT), 0.3) != 0, stats.bernoulli(0.7)),
    "geometric_": (lambda: sg.empty(COUNT).geometric_(0.2), stats.geom(0.2)),
    "multinomial": (lambda: sg.multinomial(sg.ones(9), COUNT, replacement=True), stats.randint(0, 9)),
    "places of a permutation": (lambda: sg.randperm(COUNT) % 7, stats.randint(0, 7)),
}
for rate in (0.3, 3.0, 9.99, 10.0, 12.5, 100.0, 2000.0):
    DISCRETE[f"poisson of {rate}"] = (
        lambda r=rate: sg.poisson(sg.full((COUNT,), r, dtype=sg.float64)),
        stats.poisson(rate),
    )
for count, chance in (
    (10, 0.3),
    (10, 0.9),
    (40, 0.25),
    (100, 0.5),
    (100, 0.7),
    (1000, 0.011),
    (5000, 0.3),
    (1000, 1e-4),
):
    DISCRETE[f"binomial of {count} and {chance}"] = (
        lambda n=count, p=chance: sg.binomial(
            sg.full((COUNT,), float(n), dtype=sg.float64), sg.tensor(p, dtype=sg.float64)
        ),
        stats.binom(count, chance),
    )


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name: str) -> None:
    """Pearson's test over what is expected at least 20 times."""
    draw, expected = DISCRETE[name]
    values, counts = np.unique(draw().double().numpy(), return_counts=True)
    assert (values == np.round(values)).all()
    requested = expected.pmf(values) * COUNT
    often = requested >= 20
    total = ((counts - requested)[often] ** 2 / requested[often]).sum()
    assert stats.chi2.sf(total, max(often.sum() - 1, 1)) > CHANCE
    assert counts[~often].sum() < 20 + 2 * max(COUNT - requested[often].sum(), 20)


def test_permutations_of_few() -> None:
    """All orders of four are equally likely."""
    orders = [tuple(sg.randperm(4).tolist()) for _ in range(4800)]
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert counts.size == 24 and stats.chisquare(counts).pvalue > CHANCE


def test_tails() -> None:
    """Numbers beyond four deviations come as often as they should, on both sides."""
    x = sg.randn(4_000_000).numpy()
    for found in ((x > 4).sum(), (x < -4).sum()):
        assert stats.poisson.cdf(found, 4e6 * stats.norm.sf(4)) > CHANCE
        assert stats.poisson.sf(found, 4e6 * stats.norm.sf(4)) > CHANCE


def test_neighbours() -> None:
    """Neither neighbouring elements nor streams of neighbouring seeds nor the halves of words are correlated."""
    x = sg.randn(COUNT).double().numpy()
    limit = 5 / COUNT**0.5
    for step in (1, 2, 3, 4, 7, 8, 16):
        assert abs(np.corrcoef(x[step:], x[:-step])[0, 1]) < limit
    streams = [sg.randn(COUNT, generator=sg.Generator().manual_seed(s)).double().numpy() for s in (0, 1, 2, 3, 2**32)]
    for a in range(5):
        for b in range(a):
            assert abs(np.corrcoef(streams[a], streams[b])[0, 1]) < limit


def test_counts_of_neighbours() -> None:
    """Attempts of one element have nothing to do with those of the next one, nor with the words themselves."""
    counts = sg.poisson(sg.full((COUNT,), 20.0, dtype=sg.float64), sg.Generator().manual_seed(1)).numpy()
    slot_values = sg.randn(COUNT, dtype=sg.float64, generator=sg.Generator().manual_seed(1)).numpy()
    limit = 5 / COUNT**0.5
    assert abs(np.corrcoef(counts[1:], counts[:-1])[0, 1]) < limit
    assert (
        abs(np.corrcoef(counts, slot_values)[0, 1]) < limit
        and abs(np.corrcoef(counts[4:], slot_values[:-4])[0, 1]) < limit
    )
