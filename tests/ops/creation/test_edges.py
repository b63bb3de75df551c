"""Ranges whose length no number has, and categories that cannot be drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg

INF = math.inf


@pytest.mark.parametrize(
    ("dtype", "top"), [(sg.float64, 1.6e308), (sg.float32, 2.0**127), (sg.float16, 32768.0)], ids=str
)
def test_a_line_over_the_range(dtype: Any, top: float) -> None:
    """Its ends are exact and its middle is 0; also where ends are tensors. A long one is as exact as others."""
    assert sg.linspace(-top, top, 5, dtype=dtype).tolist() == [-top, -top / 2, 0, top / 2, top]
    ends = sg.tensor(-top, dtype=sg.float64), sg.tensor(top, dtype=sg.float64)
    assert sg.linspace(*ends, 3, dtype=dtype).tolist() == [-top, 0, top]
    long = sg.linspace(-top, top, 200_001, dtype=dtype)
    np.testing.assert_allclose(
        long.double() / top, np.linspace(-1, 1, 200_001), 0, 1e-3 if dtype is sg.float16 else 1e-6
    )


def test_a_line_to_infinity() -> None:
    """It begins at the finite end, and all else is infinite."""
    assert sg.linspace(0.0, INF, 3).tolist() == [0, INF, INF]
    assert sg.linspace(-INF, 0.0, 3, dtype=sg.float64).tolist() == [-INF, -INF, 0]
    assert sg.logspace(-300, 300, 3, dtype=sg.float64).tolist() == [1e-300, 1, 1e300]


@pytest.mark.parametrize(
    ("weights", "positive"),
    [([0.0, 10, 3, 0], 2), ([0.0, 1e-310, 1.0], 2), ([0.0] * 30 + [1.0] * 3, 3), ([0.0] * 30 + [1e-310, 1.0], 2)],
)
def test_no_category_of_weight_0_is_drawn(weights: list[float], positive: int) -> None:
    """Not even last, nor beside tiny weights; an error where more are to be drawn than there are."""
    table = sg.tensor(weights, dtype=sg.float64)
    for _ in range(20):
        chosen = sg.multinomial(table, positive).tolist()
        assert len(set(chosen)) == positive
        assert all(weights[k] > 0 for k in (*chosen, *sg.multinomial(table, 20, True).tolist()))
    for rows in (table, sg.stack([sg.ones_like(table), table])):
        with pytest.raises(RuntimeError, match=f"expected at least {positive + 1} positive weights"):
            sg.multinomial(rows, positive + 1)
