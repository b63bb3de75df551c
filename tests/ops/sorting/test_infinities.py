"""Quantiles beside infinities: an element at its rank, and what lies between two has a share of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

INF, NAN = float("inf"), float("nan")
TABLE = [
    ([-INF, 0.0, INF], [0.0, 0.5, 1.0], [-INF, 0, INF]),
    ([0.0, INF], [0.0, 0.1, 0.5, 0.9, 1.0], [0, INF, INF, INF, INF]),
    ([-INF, 0.0], [0.0, 0.1, 0.5, 0.9, 1.0], [-INF, -INF, -INF, -INF, 0]),
    ([1.0, INF, INF], [0.75], [INF]),
    ([-INF, INF], [0.0, 0.5, 1.0], [-INF, NAN, INF]),
]


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64], ids=str)
@pytest.mark.parametrize(("values", "ranks", "right"), TABLE)
def test_quantiles(values: Any, ranks: Any, right: Any, dtype: Any) -> None:
    """With and without a nan, which nanquantile passes over; the gradient goes to the elements by their shares."""
    x, q = sg.tensor(values, dtype=dtype, requires_grad=True), sg.tensor(ranks, dtype=dtype)
    np.testing.assert_array_equal(sg.quantile(x, q).tolist(), right)
    np.testing.assert_array_equal(sg.nanquantile(sg.cat([x, sg.full((1,), NAN, dtype=dtype)]), q).tolist(), right)
    (grad,) = sg.autograd.grad(sg.quantile(x, q).sum(), x)
    np.testing.assert_allclose(grad.sum().item(), len(ranks), 1e-6)


@pytest.mark.parametrize("way", ["lower", "higher", "nearest", "midpoint", "linear"])
def test_an_element_is_itself_in_every_interpolation(way: str) -> None:
    """0 lies between the infinities."""
    assert sg.quantile(sg.tensor([INF, 0.0, -INF]), 0.5, interpolation=way).item() == 0


def test_the_mean_of_the_ends_of_the_range() -> None:
    """Their distance is no number, the quantile between them is."""
    assert sg.quantile(sg.tensor([-3e38, 3e38]), 0.5).item() == 0
