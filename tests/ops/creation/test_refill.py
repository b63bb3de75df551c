"""Random numbers in place and from tensors of parameters: ranges, moments, dtypes and refusals."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg


@pytest.fixture(autouse=True)
def seeded() -> None:
    sg.manual_seed(0)


def test_random_bounds() -> None:
    """[0, to), [from, to), and what the dtype holds exactly."""
    x = sg.empty(2000)
    assert sorted({*x.random_(3).tolist()}) == [0.0, 1.0, 2.0]
    assert sorted({*x.random_(-1, 1).tolist()}) == [-1.0, 0.0]
    assert 2**20 < x.random_().max() <= 2**24
    assert sg.empty(1000, dtype=sg.uint8).random_().max() > 200
    assert {*sg.empty(100, dtype=sg.bool).random_().tolist()} == {True, False}


def test_bernoulli() -> None:
    """0 and 1 with the probability given by a number or by the elements of a tensor."""
    x = sg.empty(4000)
    assert abs(x.bernoulli_(0.3).mean().item() - 0.3) < 0.05 and {*x.tolist()} == {0.0, 1.0}
    assert sg.empty(2, 2).bernoulli_(sg.tensor([0.0, 1.0])).tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert sg.empty(2, dtype=sg.int64).bernoulli_(1.0).tolist() == [1, 1]
    assert sg.bernoulli(sg.tensor([1.0, 0.0], dtype=sg.float64)).dtype is sg.float64


def test_exponential() -> None:
    """Not negative, with the mean 1 / lambd."""
    x = sg.empty(4000).exponential_(2.0)
    assert x.min() >= 0 and abs(x.mean().item() - 0.5) < 0.05


def test_normal() -> None:
    """Means and deviations are numbers with a size, or tensors that broadcast."""
    x = sg.normal(2.0, 0.5, (4000,))
    assert abs(x.mean().item() - 2) < 0.05 and abs(x.std().item() - 0.5) < 0.05
    assert sg.normal(sg.tensor([1.0, 2.0]), 0.0).tolist() == [1.0, 2.0]
    assert sg.normal(3.0, sg.zeros(2)).tolist() == [3.0, 3.0]
    assert sg.normal(sg.zeros(2, 1), sg.ones(3)).shape == (2, 3)
    assert sg.normal(0, 1, (2,), dtype=sg.float64, requires_grad=True).requires_grad


def test_seed_decides() -> None:
    """The same seed gives the same numbers, through the default generator or one of its own."""
    samples: list[Callable[[], Any]] = [
        lambda: sg.empty(9).random_(100),
        lambda: sg.bernoulli(sg.full((99,), 0.5)),
        lambda: sg.empty(9).exponential_(),
        lambda: sg.normal(0.0, 1.0, (9,)),
    ]
    for draw in samples:
        pair = []
        for _ in range(2):
            sg.manual_seed(5)
            pair.append(draw())
        assert sg.equal(*pair)


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: sg.empty(1).random_(3, 2), r"random_\(\): expected low to be less than high"),
    (lambda: sg.empty(1, dtype=sg.uint8).random_(0, 1000), r"random_\(\): the range \[0, 1000\) is out of bounds"),
    (lambda: sg.empty(1).bernoulli_(2.0), r"bernoulli_\(\): expected p between 0 and 1, but got p=2.0"),
    (lambda: sg.bernoulli(sg.tensor([1])), r"bernoulli\(\): expected a floating point dtype"),
    (lambda: sg.empty(1).exponential_(0.0), r"exponential_\(\): expected lambd > 0"),
    (lambda: sg.empty(1, dtype=sg.int64).exponential_(), r"exponential_\(\): expected a floating point dtype"),
    (lambda: sg.normal(0.0, -1.0, (2,)), r"normal\(\): expected std >= 0, but got std=-1.0"),
    (lambda: sg.normal(sg.zeros(2), sg.tensor([1.0, -1.0])), r"normal\(\): expected std >= 0"),
    (lambda: sg.ones(1, requires_grad=True).random_(), "a leaf Variable that requires grad"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_refused(call: Callable[[], Any], message: str) -> None:
    """Errors name the function, what it expects and what came."""
    with pytest.raises(RuntimeError, match=message):
        call()


def test_normal_of_numbers_needs_a_size() -> None:
    """Two numbers alone do not say how many."""
    with pytest.raises(TypeError, match="expected a size"):
        sg.normal(0.0, 1.0)
