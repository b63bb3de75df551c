"""Counts and choices at random, heavy-tailed distributions, and that a seed fixes all of them everywhere."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import specgrad as sg


@pytest.fixture(autouse=True)
def seeded() -> None:
    sg.manual_seed(0)


def frequencies(positions: Any) -> np.ndarray:
    """How often each place was drawn, of all draws."""
    return np.bincount(positions.reshape(-1)) / positions.numel()


def test_multinomial_with_replacement() -> None:
    """Places come in proportion to their weights; those of weight 0 never."""
    sampled = sg.multinomial(sg.tensor([1.0, 0.0, 3.0, 4.0]), 8000, replacement=True)
    assert np.allclose(frequencies(sampled), [0.125, 0, 0.375, 0.5], atol=0.02)


def test_multinomial_without_replacement() -> None:
    """Each place is drawn once; the first one in proportion to the weights, one of weight 0 never."""
    rows = sg.tensor([1.0, 2.0, 3.0, 4.0]).expand(5000, 4)
    sampled = rows.multinomial(2)
    assert sampled.shape == (5000, 2) and sampled.dtype is sg.int64 and (sampled[:, 0] != sampled[:, 1]).all()
    assert np.allclose(frequencies(sampled[:, 0]), [0.1, 0.2, 0.3, 0.4], atol=0.02)
    assert sg.multinomial(sg.tensor([0.0, 1.0, 0.0]), 1).tolist() == [1]
    assert sg.multinomial(sg.ones(0, 3), 1).shape == (0, 1)


def test_poisson_and_binomial() -> None:
    """Means and variances are those of the distributions; bounds are met exactly."""
    x = sg.poisson(sg.full((8000,), 4.0))
    assert abs(x.mean().item() - 4) < 0.1 and abs(x.var().item() - 4) < 0.3
    y = sg.binomial(sg.full((8000,), 10.0), sg.tensor(0.3))
    assert abs(y.mean().item() - 3) < 0.1 and abs(y.var().item() - 2.1) < 0.2
    assert sg.binomial(sg.tensor([3.0, 5.0]), sg.tensor([1.0, 0.0])).tolist() == [3, 0]
    assert sg.poisson(sg.zeros(3, dtype=sg.float16)).dtype is sg.float16


def test_skewed() -> None:
    """geometric_ counts trials from 1 on, also in integers; medians of heavy tails are where they should be."""
    trials = sg.empty(8000, dtype=sg.int64).geometric_(0.25)
    assert trials.min().item() == 1 and abs(trials.double().mean().item() - 4) < 0.2
    assert abs(sg.empty(8000).cauchy_(3.0, 0.5).median().item() - 3) < 0.05
    assert abs(sg.empty(8000).log_normal_(1.0, 0.5).log().std().item() - 0.5) < 0.02


def test_out() -> None:
    """Numbers are drawn into a tensor, which gives its shape where nothing else does."""
    out = sg.empty(3)
    assert sg.normal(2.0, 0.0, out=out) is out and out.tolist() == [2, 2, 2]
    assert sg.normal(sg.zeros(3), sg.zeros(3), out=out).tolist() == [0, 0, 0]
    assert sg.bernoulli(sg.ones(3), out=out).tolist() == [1, 1, 1]
    assert sg.multinomial(sg.tensor([0.0, 1.0]), 1, out=sg.empty(1, dtype=sg.int64)).tolist() == [1]
    assert sg.ones(3).bernoulli(0.0).tolist() == [0, 0, 0]


DRAWS: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "uniform": (
        lambda g: sg.rand(3, generator=g, dtype=sg.float64),
        [0.8720734548204873, 0.29536538151378355, 0.4200976785072422],
    ),
    "normal": (
        lambda g: sg.randn(3, generator=g, dtype=sg.float64),
        [1.1362472746449768, -0.5377773613536537, -0.20164360050307598],
    ),
    "integers": (lambda g: sg.randint(1000, (3,), generator=g), [872, 295, 420]),
    "permutation": (lambda g: sg.randperm(5, generator=g), [4, 1, 3, 2, 0]),
    "bernoulli": (lambda g: sg.bernoulli(sg.full((6,), 0.5), generator=g), [0.0, 1.0, 1.0, 1.0, 1.0, 0.0]),
    "exponential": (
        lambda g: sg.empty(3, dtype=sg.float64).exponential_(generator=g),
        [0.13688162144145147, 1.2195421076488318, 0.8672680268700524],
    ),
    "geometric": (lambda g: sg.empty(4).geometric_(0.1, generator=g), [2.0, 12.0, 9.0, 9.0]),
    "cauchy": (
        lambda g: sg.empty(3, dtype=sg.float64).cauchy_(generator=g),
        [2.3527944625525734, -0.7490278058155284, -0.25642929025958067],
    ),
    "log-normal": (
        lambda g: sg.empty(3, dtype=sg.float64).log_normal_(generator=g),
        [26.377056209044355, 0.9272289886650916, 1.8161389634841725],
    ),
    "poisson": (lambda g: sg.poisson(sg.tensor([3.0, 30.0, 300.0]), g), [1.0, 37.0, 297.0]),
    "binomial": (lambda g: sg.binomial(sg.tensor([9.0, 99.0]), sg.tensor(0.4), g), [2.0, 42.0]),
    "multinomial": (lambda g: sg.multinomial(sg.arange(1.0, 7.0), 4, generator=g), [5, 0, 3, 2]),
}


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_on_every_machine(name: str) -> None:
    """A seed stands for these numbers, wherever the program runs."""
    draw, expected = DRAWS[name]
    assert draw(sg.Generator().manual_seed(7)).tolist() == pytest.approx(expected, rel=1e-12)


def test_the_same_in_threads() -> None:
    """Generators of their own give threads the same numbers as one after the other, with any number of workers."""

    def sampled(seed: int) -> Any:
        generator = sg.Generator().manual_seed(seed)
        return [draw(generator).tolist() for draw, _ in DRAWS.values()]

    alone = [sampled(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(sampled, range(8))) == alone
    count = sg.get_num_threads()
    sg.set_num_threads(1)
    assert sampled(0) == alone[0]
    sg.set_num_threads(count)


def test_threads_share_a_stream() -> None:
    """Threads that draw from one new generator get numbers of one stream, each once."""
    generator = sg.Generator()
    with ThreadPoolExecutor(8) as pool:
        for seed in range(20):
            generator.manual_seed(seed)
            sampled = list(pool.map(lambda _: sg.rand(1, dtype=sg.float64, generator=generator).item(), range(8)))
            expected = sg.rand(8, dtype=sg.float64, generator=sg.Generator().manual_seed(seed))
            assert sorted(sampled) == sorted(expected.tolist())


def test_default_generator_by_name() -> None:
    """The default generator is an object that can be passed on, and fork_rng takes PyTorch's arguments."""
    assert sg.manual_seed(3) is sg.default_generator and sg.random.default_generator is sg.default_generator
    with sg.random.fork_rng(devices=[], enabled=True):
        inside = sg.rand(3, generator=sg.default_generator)
    assert sg.equal(inside, sg.rand(3))


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: sg.multinomial(sg.ones(3), 4), r"multinomial\(\): cannot draw 4 samples of 3 without replacement"),
    (lambda: sg.multinomial(sg.ones(3), 0), "expected num_samples > 0, but got 0"),
    (lambda: sg.multinomial(sg.ones(1, 1, 1), 1), "expected a vector or a matrix"),
    (lambda: sg.multinomial(sg.tensor([1, 2]), 1), "expected input of a floating point dtype"),
    (lambda: sg.multinomial(sg.tensor([-1.0, 2.0]), 1), "expected finite weights that are not negative"),
    (lambda: sg.multinomial(sg.tensor([nan, 2.0]), 1), "expected finite weights"),
    (lambda: sg.multinomial(sg.zeros(2, 2), 1), "expected a positive weight in each row"),
    (lambda: sg.poisson(sg.tensor([-1.0])), r"poisson\(\): expected numbers from 0"),
    (lambda: sg.poisson(sg.tensor([1])), "expected input of a floating point dtype"),
    (lambda: sg.binomial(sg.tensor([-1.0]), sg.tensor([0.5])), r"binomial\(\): expected counts from 0"),
    (lambda: sg.empty(1).geometric_(1.0), r"geometric_\(\): expected p between 0 and 1, but got p=1.0"),
    (lambda: sg.empty(1, dtype=sg.bool).geometric_(0.5), "expected integers or real numbers"),
    (lambda: sg.empty(1).cauchy_(0.0, 0.0), r"cauchy_\(\): expected sigma > 0, but got sigma=0.0"),
    (lambda: sg.empty(1, dtype=sg.int64).cauchy_(), "expected a floating point dtype"),
    (lambda: sg.empty(1).log_normal_(0.0, -inf), r"log_normal_\(\): expected std > 0"),
    (lambda: sg.ones(1, requires_grad=True).cauchy_(), "a leaf Variable that requires grad"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_refused(call: Callable[[], Any], message: str) -> None:
    """Errors name the function, what it expects and what came."""
    with pytest.raises(RuntimeError, match=message):
        call()
