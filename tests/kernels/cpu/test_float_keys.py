"""The greatest and the least of floats, found by their bits: zeros of both signs, infinities, nan of both signs."""

from __future__ import annotations

import numpy as np
import pytest

from specgrad.runtime.kernels.cpu.index_select import min_or_max

CASES = {
    "any": [1.5, -2.0, 0.25, -0.5],
    "positive": [3.0, 1e-3, 7.0],
    "negative": [-3.0, -1e-3, -7.0],
    "zeros": [-0.0, 0.0, -0.0],
    "negative zeros": [-0.0, -0.0],
    "least": [1e-45, -1e-45, 0.0],
    "infinite": [-np.inf, 2.0, np.inf],
    "minus infinite": [-np.inf, -np.inf],
    "one": [-4.0],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES)
def test_extremes(case: str, dtype: type) -> None:
    """-0 is less than 0."""
    row = np.array(CASES[case] * 5, dtype)
    for sign, expected in ((1, row.max()), (-1, row.min())):
        found = min_or_max(row, sign)
        assert found == expected
        if found == 0:
            negative = [bool(np.signbit(x)) for x in row if x == 0]
            assert bool(np.signbit(found)) is (all(negative) if sign > 0 else any(negative))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("nan", [np.nan, -np.nan])
def test_nan_is_both(dtype: type, nan: float) -> None:
    for others in ([1.0, 2.0], [-1.0, -2.0], [np.inf, -np.inf], []):
        row = np.array([*others, nan, *others], dtype)
        assert np.isnan(min_or_max(row, 1)) and np.isnan(min_or_max(row, -1))
