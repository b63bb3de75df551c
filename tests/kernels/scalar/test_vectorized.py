"""The vectorised scalar functions over all numbers there are: their errors in ulp, and what they give at the limits.

References have more precision: float64 for float32, and the longdouble of the platform for float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.compiler.passes.scalar_library import cpu_library

# name: reference, the largest error in ulp in float32, and in float64
UNARY: dict[str, tuple[Callable[..., Any], float, float]] = {
    "exp": (np.exp, 0.8, 0.7),
    "exp2": (np.exp2, 0.95, 0.9),
    "expm1": (np.expm1, 0.9, 1.1),
    "log": (np.log, 0.8, 0.9),
    "log2": (np.log2, 0.95, 1.0),
    "log10": (np.log10, 0.8, 0.8),
    "log1p": (np.log1p, 0.9, 0.9),
    "log1p_exp": (lambda x: np.logaddexp(np.zeros_like(x), x), 1.9, 1.5),
    "log_odds": (lambda x: np.where(abs(x - 0.5) < 0.25, 2 * np.arctanh(2 * x - 1), np.log(x / (1 - x))), 0.9, 0.9),
    "sin": (np.sin, 0.6, 1.2),
    "cos": (np.cos, 0.6, 1.2),
    "tan": (np.tan, 0.6, 1.2),
    "asin": (np.arcsin, 0.65, 0.65),
    "acos": (np.arccos, 0.65, 0.65),
    "atan": (np.arctan, 1.05, 1.1),
    "sinh": (np.sinh, 1.0, 0.9),
    "cosh": (np.cosh, 0.85, 0.9),
    "tanh": (np.tanh, 1.2, 1.6),
    "asinh": (np.arcsinh, 1.15, 1.15),
    "acosh": (np.arccosh, 1.9, 1.9),
    "atanh": (np.arctanh, 1.0, 1.0),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 1.75, 1.75),
    "normal_pdf": (lambda x: np.exp(-x * x / 2) / np.sqrt(8 * np.arctan(np.ones_like(x))), 2.3, 2.0),
    "sqrt": (np.sqrt, 0.51, 0.51),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.51, 1.51),
}
BINARY: dict[str, tuple[Callable[..., Any], float, float]] = {
    "pow": (np.power, 0.52, 1.0),
    "hypot": (np.hypot, 1.25, 1.25),
    "atan2": (np.arctan2, 1.05, 1.1),
}
DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])
THRESHOLDS = (
    0.0,
    0.5,
    0.6885,
    0.75,
    0.9385,
    1.0,
    1.0645,
    1.5,
    2.0,
    3.0,
    9.25,
    88.72,
    89.41,
    103.97,
    128.0,
    150.0,
    709.78,
    710.47,
    745.13,
    1024.0,
    1075.0,
)
MIN_MAX = (2.0**-1074, 1e-310, 2.0**-149, 1e-40, 2.0**-126, 1e-5, 2.0**24, 1e10, 3.4e38, 2.0**1000, 1.7e308, math.inf)


def run(name: str, *arguments: np.ndarray) -> np.ndarray:
    """The function of arrays, in a loop as the kernels have it."""
    from numba import njit

    function = cpu_library(False).get(name)

    def unary(x: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i])

    def binary(x: Any, y: Any, result: Any) -> None:
        for i in range(result.size):
            result[i] = function(x[i], y[i])

    result = np.empty_like(arguments[0])
    njit(error_model="numpy")(unary if len(arguments) == 1 else binary)(*arguments, result)
    return result


def special_points(dtype: type) -> np.ndarray:
    """Zeros, infinities, nan, subnormals, thresholds and the neighbours of all of them, of both signs."""
    with np.errstate(over="ignore", under="ignore"):
        points = np.array([*THRESHOLDS, *MIN_MAX]).astype(dtype)
        small = [np.nextafter(points, dtype(0)), np.nextafter(points, dtype(math.inf))]
    points = np.concatenate([points, *small])
    return np.concatenate([points, -points, [dtype(math.nan)]])


def all_binades(dtype: type, size: int, seed: int = 0) -> np.ndarray:
    """Random bits: numbers of every size."""
    integer = np.uint32 if dtype is np.float32 else np.uint64
    return np.random.default_rng(seed).integers(0, np.iinfo(integer).max, size, integer, endpoint=True).view(dtype)


def points_of(dtype: type) -> np.ndarray:
    """Special points, random ones of every size, and more where functions change."""
    rng = np.random.default_rng(1)
    ranges = [rng.uniform(-size, size, 3000) for size in (0.01, 0.5, 1, 3, 20, 100, 750)]
    ranges += [1 + rng.normal(size=3000) * size for size in (1e-6, 1e-3, 0.2)]
    return np.concatenate([special_points(dtype), all_binades(dtype, 10000), *(r.astype(dtype) for r in ranges)])


def errors(found: np.ndarray, requested: np.ndarray) -> np.ndarray:
    """The distances in units in the last place; infinite where a nan or the sign of a zero is wrong."""
    digits, min_value, max_count = (24, -149, 128) if found.dtype == np.float32 else (53, -1074, 1024)
    with np.errstate(all="ignore"):
        beyond = np.ldexp(requested.dtype.type(1), max_count)  # infinity counts as the number after the largest one
        requested = np.clip(requested, -beyond, beyond)
        ulp = np.ldexp(requested.dtype.type(1), np.maximum(np.frexp(requested)[1] - digits, min_value))
        distance = np.abs(np.clip(found.astype(requested.dtype), -beyond, beyond) - requested) / ulp
    distance[found == requested] = 0
    distance[(found == 0) & (np.signbit(found) != np.signbit(requested))] = math.inf
    return np.where(
        np.isnan(found) | np.isnan(requested), np.where(np.isnan(found) & np.isnan(requested), 0, math.inf), distance
    )


def worst(found: np.ndarray, reference: Callable[..., Any], *arguments: np.ndarray) -> str:
    """The largest error and where it is, for a message."""
    wide = np.float64 if found.dtype == np.float32 else np.longdouble
    with np.errstate(all="ignore"):
        distance = errors(found, reference(*(a.astype(wide) for a in arguments)))
    k = int(np.argmax(distance))
    return f"{distance[k]:.4g} ulp at {[float(a[k]) for a in arguments]}: {found[k]}"


@DTYPES
@pytest.mark.parametrize("name", UNARY)
def test_errors(name: str, dtype: type) -> None:
    """At special points and at random ones of every size the error is below its bound."""
    reference, *bounds = UNARY[name]
    points = points_of(dtype)
    found = worst(run(name, points), reference, points)
    assert float(found.split()[0]) <= bounds[dtype is np.float64], found


@DTYPES
@pytest.mark.parametrize("name", BINARY)
def test_errors_of_two_arguments(name: str, dtype: type) -> None:
    """Every special point with every other one, random numbers of every size, and pairs with a finite result."""
    reference, *bounds = BINARY[name]
    rng = np.random.default_rng(2)
    x, y = (a.ravel().copy() for a in np.meshgrid(special_points(dtype), special_points(dtype)))
    base = np.exp(rng.uniform(-80, 80, 20000)).astype(dtype)
    exponent = (rng.uniform(-85, 85, 20000) / np.log(base)).astype(dtype)
    x = np.concatenate([x, all_binades(dtype, 20000, 3), base, rng.uniform(-9, 9, 20000).astype(dtype)])
    y = np.concatenate([y, all_binades(dtype, 20000, 4), exponent, rng.integers(-9, 9, 20000).astype(dtype)])
    found = worst(run(name, x, y), reference, x, y)
    assert float(found.split()[0]) <= bounds[dtype is np.float64], found
