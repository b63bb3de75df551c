"""The scalar functions for real numbers, compiled and as plain Python, against NumPy and SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

from specgrad.runtime.kernels import scalar

from .library import compiled, equal

LIMITS = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 1e4, -1e4, math.inf, -math.inf, math.nan)

# name: reference, the interval that points are drawn from, the worst error in units in the last place
ACCURACY: dict[str, tuple[Callable[..., Any], float, float, float]] = {
    "exp": (np.exp, -87, 88, 1),
    "exp2": (np.exp2, -120, 120, 1),
    "expm1": (np.expm1, -80, 80, 1),
    "log": (np.log, 0, 50, 1),
    "log2": (np.log2, 0, 50, 1),
    "log10": (np.log10, 0, 50, 2),
    "log1p": (np.log1p, -1, 50, 1),
    "sqrt": (np.sqrt, 0, 50, 0.501),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 0.001, 50, 1.501),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -80, 80, 2.5),
    "sin": (np.sin, -50, 50, 1),
    "cos": (np.cos, -50, 50, 1),
    "tan": (np.tan, -50, 50, 1),
    "asin": (np.arcsin, -1, 1, 1),
    "acos": (np.arccos, -1, 1, 1),
    "atan": (np.arctan, -50, 50, 1),
    "sinh": (np.sinh, -80, 80, 2),
    "cosh": (np.cosh, -80, 80, 2),
    "tanh": (np.tanh, -10, 10, 2.5),
    "asinh": (np.arcsinh, -50, 50, 2),
    "acosh": (np.arccosh, 1, 50, 2),
    "atanh": (np.arctanh, -1, 1, 2),
    "erf": (special.erf, -4, 4, 2.5),
    "erfc": (special.erfc, -4, 0.5, 4),
}
DOUBLE_ONLY = ("erf", "erfc")  # the reference has no more precision than float64, so its error adds to ours


def points_of(low: float, high: float, dtype: type) -> np.ndarray:
    """Random points of the interval, some of them very small or at an end."""
    points = np.random.default_rng(0).uniform(low, high, 2000)
    points[:200] = np.clip(points[:200] * 1e-5, low, high)
    return points.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ACCURACY)
def test_accuracy(name: str, dtype: type) -> None:
    """Random points are within the stated number of ulp of a reference of higher precision."""
    reference, low, high, limit = ACCURACY[name]
    points = points_of(low, high, dtype)
    wide = np.float64 if dtype is np.float32 or name in DOUBLE_ONLY else np.longdouble
    found = np.array([compiled(name)(x) for x in points])
    with np.errstate(all="ignore"):
        requested = reference(points.astype(wide))
    inside = np.isfinite(requested)
    errors = np.abs(found - requested)[inside] / np.spacing(np.abs(requested[inside]).astype(dtype))
    assert errors.max() <= limit


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ACCURACY)
def test_limits(name: str, dtype: type) -> None:
    """At zeros, infinities and nan, and where it overflows or is undefined, a function does as NumPy's."""
    reference = ACCURACY[name][0]
    for value in LIMITS:
        with np.errstate(all="ignore"):
            requested = reference(dtype(value))
        found = compiled(name)(dtype(value))
        nearly = np.isfinite(requested) and requested != 0 and abs(found / requested - 1) <= 4 * np.finfo(dtype).eps
        assert nearly or equal(found, requested), f"{name}({value}) = {found}, NumPy {requested}"


@pytest.mark.parametrize("name", ACCURACY)
def test_plain_python_is_the_same(name: str) -> None:
    """Uncompiled, on NumPy scalars, as in the CUDA simulator, a function gives what it gives compiled."""
    for value in map(np.float64, LIMITS):
        with np.errstate(all="ignore"):
            found = getattr(scalar, name)(value)
        requested = compiled(name)(value)
        assert equal(found, requested) or abs(found - requested) <= 4 * abs(np.spacing(requested)), f"{name}({value})"


@pytest.mark.parametrize("name", ACCURACY)
def test_float32_stays_float32(name: str) -> None:
    """No constant promotes float32 to float64, which would double the cost."""
    from numba import types

    function = compiled(name)
    function(np.float32(0.5))
    found = function.overloads[types.float32,].signature.return_type  # type: ignore[attr-defined]
    assert found == types.float32
