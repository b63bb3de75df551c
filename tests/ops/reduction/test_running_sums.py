"""Running sums of float64 along contiguous lines: as exact as their terms allow, whatever is not finite among them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

import specgrad as sg

LENGTHS = (1, 7, 8, 9, 16, 23, 1000)
LARGE = 1e308
EIGHT = [0.0] * 7
UNUSUAL = {
    "infinity": [1.0, 2.0, math.inf, *EIGHT, 3.0],
    "both infinities": [1.0, math.inf, *EIGHT, -math.inf, *EIGHT, 5.0],
    "nan at the end": [1.0] * 10 + [math.nan],
    "nan in eight": [1.0] * 10 + [math.nan] + [1.0] * 20,
    "overflow that stays": [LARGE, LARGE, -LARGE, *EIGHT, *EIGHT],
    "eight that overflow alone": [-LARGE, *EIGHT, LARGE, LARGE, *EIGHT, 1.0],
}


@pytest.mark.parametrize("length", LENGTHS)
def test_long_lines_lose_no_digits(length: int) -> None:
    """Each error is some units of the largest eight that were added, not of as many as were."""
    x = np.random.default_rng(length).uniform(0.5, 1.5, (3, length))
    found = sg.cumsum(sg.tensor(x), 1).numpy()
    for row, sums in zip(x, found, strict=True):
        exact = list(accumulate(map(Fraction, row)))
        for value, true in zip(sums, exact, strict=True):
            assert abs(Fraction(value) - true) <= 4 * Fraction(math.ulp(float(true)))


@pytest.mark.parametrize("times", [1, 9000], ids=["short", "long"])
@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_not_finite(name: str, times: int) -> None:
    """As one after the other is added; a line of many elements is another kernel's."""
    x = np.array(UNUSUAL[name] + EIGHT * (times - 1))
    for line in x, x[::-1].copy():
        with np.errstate(invalid="ignore", over="ignore"):
            expected = np.cumsum(line)
        np.testing.assert_array_equal(sg.cumsum(sg.tensor(line), 0).numpy(), expected)
