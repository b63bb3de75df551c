"""Draws whose probabilities are given element by element take the words of a stream as uniform numbers do, so NumPy
says what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

WEIGHTS = np.random.default_rng(5).uniform(0.01, 1.0, (6, 20)).astype(np.float32)
WEIGHTS[:, 7] = 0.0


def seeded() -> Any:
    return sg.Generator().manual_seed(11)


def weights_in(layout: str) -> Any:
    """The weights in rows, or as a transposed tensor."""
    return sg.tensor(WEIGHTS) if layout == "rows" else sg.tensor(WEIGHTS.T.copy()).T


@pytest.mark.parametrize("layout", ["rows", "turned"])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_places_with_replacement(layout: str, count: int) -> None:
    """Where uniform shares of the total fall among the running sums."""
    found = sg.multinomial(weights_in(layout), count, replacement=True, generator=seeded())
    shares = sg.rand(6, count, dtype=sg.float64, generator=seeded()).numpy()
    sums = np.cumsum(WEIGHTS.astype(np.float64), 1)
    requested = [np.searchsorted(row, share * row[-1], side="right") for row, share in zip(sums, shares, strict=True)]
    np.testing.assert_array_equal(found.numpy(), requested)
    assert found.dtype is sg.int64 and 7 not in found.tolist()


@pytest.mark.parametrize("layout", ["rows", "turned"])
@pytest.mark.parametrize("count", [1, 3, 16, 17, 19])
def test_places_without_replacement(layout: str, count: int) -> None:
    """The first to arrive; what has no weight never does."""
    found = sg.multinomial(weights_in(layout), count, generator=seeded())
    arrivals = sg.empty(6, 20, dtype=sg.float64).exponential_(generator=seeded()).numpy()
    with np.errstate(divide="ignore"):
        order = np.argsort(arrivals / WEIGHTS.astype(np.float64), 1, kind="stable")
    np.testing.assert_array_equal(found.numpy(), order[:, :count])


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16])
@pytest.mark.parametrize("layout", ["rows", "turned"])
def test_trials(layout: str, dtype: Any) -> None:
    """1 where a uniform number is less than the probability, in the dtype of the probabilities."""
    chances = weights_in(layout).to(dtype)
    found = sg.bernoulli(chances, generator=seeded())
    uniform = sg.rand(6, 20, dtype=sg.float64, generator=seeded()).numpy()
    np.testing.assert_array_equal(found.float().numpy(), uniform < chances.double().numpy())
    assert found.dtype is dtype
    filled = sg.empty(6, 20, dtype=dtype).bernoulli_(0.3, generator=seeded())
    np.testing.assert_array_equal(filled.float().numpy(), uniform < 0.3)


def test_draws_that_follow_take_other_words() -> None:
    """As many words are used up as there are elements that are decided."""
    for draw, slot_values in (
        (lambda generator: sg.multinomial(sg.tensor(WEIGHTS), 3, replacement=True, generator=generator), 18),
        (lambda generator: sg.multinomial(sg.tensor(WEIGHTS), 3, generator=generator), 120),
        (lambda generator: sg.bernoulli(sg.tensor(WEIGHTS), generator=generator), 120),
    ):
        first, second = seeded(), seeded()
        draw(first)
        sg.rand(slot_values, dtype=sg.float64, generator=second)
        assert sg.equal(sg.rand(4, generator=first), sg.rand(4, generator=second))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[1.0, -1.0]], "finite weights"),
        ([[1.0, float("nan")]], "finite weights"),
        ([1.0, float("inf")], "finite weights"),
        ([[1.0, 1.0], [0.0, 0.0]], "positive weight in each row"),
        (1.0, "a vector or a matrix"),
        ([[]], "cannot draw"),
    ],
)
@pytest.mark.parametrize("replacement", [False, True])
def test_wrong_weights(weights: Any, message: str, replacement: bool) -> None:
    """They are refused before anything is drawn."""
    generator = seeded()
    with pytest.raises(RuntimeError, match=message):
        sg.multinomial(sg.tensor(weights), 1, replacement, generator=generator)
    assert sg.equal(generator.get_state(), seeded().get_state())
