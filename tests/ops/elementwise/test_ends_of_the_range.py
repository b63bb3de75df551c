"""ldexp, frexp, lerp and logaddexp where a power, a distance or an exponential leaves the range."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ldexp_is_rounded_once(dtype: Any) -> None:
    """As NumPy's, which is C's: over all exponents, results that are subnormal, infinite and 0 among them."""
    rng, low = np.random.default_rng(1), 126 if dtype is np.float32 else 1022
    own = rng.integers(-low - 20, low, 600)
    x = np.ldexp(rng.uniform(-2, 2, 600).astype(dtype), own).astype(dtype)
    exponents = rng.integers(-2 * low - 60, 2 * low + 60, 600)
    exponents[:300] = -low - rng.integers(0, 25, 300) - own[:300]
    with np.errstate(all="ignore"):
        right = np.ldexp(x, exponents)
    np.testing.assert_array_equal(sg.ldexp(sg.tensor(x), sg.tensor(exponents)).numpy(), right)


@pytest.mark.parametrize(
    ("dtype", "x", "exponent", "right"),
    [
        (sg.float16, 2.0**-10, 20, 2.0**10),
        (sg.float16, 2.0, -25, 2.0**-24),
        (sg.bfloat16, 2.0**-100, 200, 2.0**100),
        (sg.int32, 3, 4, 48.0),
        (sg.float64, 1.0, 128, 2.0**128),
        (sg.float32, INF, 5, INF),
        (sg.float64, 3.0, 0.5, 3 * 2**0.5),
        (sg.float64, 0.0, 5000, 0.0),
        (sg.float64, 1.0, 5000, INF),
        (sg.float64, 1.0, -5000, 0.0),
    ],
)
def test_ldexp_of_every_dtype(dtype: Any, x: float, exponent: float, right: float) -> None:
    """The dtype of the result is that of x, or the default one of integers."""
    result = sg.ldexp(sg.tensor([x], dtype=dtype), sg.tensor([exponent]))
    assert result.dtype is (dtype if dtype.is_floating_point else sg.float32)
    assert result.item() == pytest.approx(right, 1e-15)


def test_gradients_of_ldexp_and_frexp() -> None:
    """They are scaled by 2^y and 2^-e in the same way."""
    x = sg.tensor([2.0**-1000], dtype=sg.float64, requires_grad=True)
    result = sg.ldexp(x, sg.tensor([1500]))
    assert sg.autograd.grad(result, x, sg.tensor([2.0**-600], dtype=sg.float64))[0].item() == 2.0**900
    y = sg.tensor([0.5], dtype=sg.float64, requires_grad=True)
    (grad,) = sg.autograd.grad(sg.ldexp(sg.tensor([3.0], dtype=sg.float64), y), y)
    assert grad.item() == pytest.approx(3 * 2**0.5 * math.log(2))
    for value, exponent in ((1.5 * 2.0**1023, 1024), (2.0**-1060, -1059)):
        z = sg.tensor([value], dtype=sg.float64, requires_grad=True)
        mantissa = sg.frexp(z).mantissa
        (grad,) = sg.autograd.grad(mantissa, z, sg.tensor([2.0**-100], dtype=sg.float64))
        assert grad.item() == math.ldexp(1.0, -100 - exponent)


@pytest.mark.parametrize(("dtype", "top"), [(sg.float32, 3e38), (sg.float64, 1.6e308)], ids=str)
def test_lerp_between_infinite_and_distant_ends(dtype: Any, top: float) -> None:
    """A share of 0 is none of an infinity, and equal ends are the result."""
    table = [
        (0, INF, 0, 0), (0, INF, 1, INF), (0, INF, 0.3, INF), (0, INF, 0.7, INF), (-INF, 0, 0, -INF), (-INF, 0, 1, 0),
        (-INF, 0, 0.7, -INF), (INF, INF, 0.5, INF), (-INF, INF, 0, -INF), (-INF, INF, 1, INF), (-INF, INF, 0.5, NAN),
        (-top, top, 0.5, 0), (-top, top, 0.75, top / 2),
    ]  # fmt: skip
    start, end, weight, right = (sg.tensor([row[k] for row in table], dtype=dtype) for k in range(4))
    np.testing.assert_allclose(sg.lerp(start, end, weight).numpy(), right.numpy(), 1e-6)
    for k, row in enumerate(table):
        np.testing.assert_allclose(sg.lerp(start[k], end[k], row[2]).item(), right[k].item(), 1e-6)


@pytest.mark.parametrize("function", [sg.logaddexp, sg.logaddexp2])
@pytest.mark.parametrize(
    ("x", "y", "right"),
    [(-INF, -INF, (0, 0)), (-INF, 0.0, (0, 1)), (INF, 0.0, (1, 0)), (INF, -INF, (1, 0)), (INF, INF, (0.5, 0.5))],
)
def test_gradients_of_logaddexp_at_infinity(function: Any, x: float, y: float, right: Any) -> None:
    """Limits where there are some; of two that are -inf 0, as of logsumexp; and finite second derivatives."""
    args = [sg.tensor(value, dtype=sg.float64, requires_grad=True) for value in (x, y)]
    first = sg.autograd.grad(function(*args), args, create_graph=True)
    assert tuple(g.item() for g in first) == right
    assert all(g.isfinite() for g in sg.autograd.grad(first[0] + 2 * first[1], args))
