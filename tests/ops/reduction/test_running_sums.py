"""Running sums along lines: of float64 as exact as their terms allow, whatever is not finite there; of integers too."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate
from typing import Any

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


@pytest.mark.parametrize("dtype", [sg.int64, sg.bool, sg.int32, sg.uint8], ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (9,), (3, 4), (2, 3, 4), (3, 0), (40, 70), (2, 70_000)])
def test_running_sums_of_whole_numbers(dtype: Any, shape: tuple[int, ...]) -> None:
    """NumPy's along every dimension, in int64; the first call finds the plan by which the second is computed."""
    x = sg.tensor(np.random.default_rng(1).integers(0, 9, shape)).to(dtype)
    for dim in range(max(len(shape), 1)):
        for _ in range(2):
            found = x.cumsum(dim)
        requested = np.cumsum(x.numpy(), dim, dtype=np.int64) if shape else x.numpy().astype(np.int64)
        np.testing.assert_array_equal(found.numpy(), requested)
        assert found.dtype is sg.int64
    transposed = sg.tensor(np.random.default_rng(1).integers(-(2**62), 2**62, (7, 5))).t()
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(transposed.cumsum(1).numpy(), np.cumsum(transposed.numpy(), 1))
