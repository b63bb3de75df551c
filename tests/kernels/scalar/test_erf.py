"""The error function and the normal distribution against sums of their series in integers, where nothing is lost."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from specgrad.runtime.compiler.passes.scalar_library import cpu_library

# name: the largest error in ulp in float32, and in float64
BOUNDS = {"erf": (1.2, 1.2), "erfc": (0.52, 3.0), "normal_cdf": (6.0, 3.0)}
LIMITS = {"erf": (-1.0, 1.0), "erfc": (2.0, 0.0), "normal_cdf": (0.0, 1.0)}  # at the infinities


def arctan_of_inverse(n: int, one: int) -> int:
    """one * arctan(1 / n), rounded down."""
    total, term, k = 0, one // n, 1
    while term:
        total += term // k
        term, k = -term // (n * n) if term > 0 else (-term) // (n * n), k + 2
    return total


def erf_of(x: Fraction, precision: int) -> Fraction:
    """erf(x) from its series, with an error of some 2^-precision."""
    one = 1 << precision
    value = int(x * one)
    square, term, total, n = value * value >> precision, value, 0, 0
    while term and abs(term) > 1:
        total += term // (2 * n + 1)
        n += 1
        term = -(term * square >> precision) // n
    pi = 4 * (4 * arctan_of_inverse(5, one) - arctan_of_inverse(239, one))
    return Fraction(2 * total, math.isqrt(pi << precision))


@functools.cache  # several tests ask for the same points
def exact(name: str, x: float) -> Fraction:
    """The value with so many digits that what cancels does not matter."""
    precision = 400 + int(8 * x * x)
    if name == "gelu":
        return Fraction(x) * exact("normal_cdf", x)
    if name == "normal_cdf":
        root = Fraction(math.isqrt(2 << 2 * precision), 2 << precision)
        return (1 + erf_of(Fraction(x) * root, precision)) / 2
    value = erf_of(Fraction(x), precision)
    return value if name == "erf" else 1 - value


def error(found: float, requested: Fraction, dtype: type) -> float:
    """The distance in units in the last place."""
    digits, min_value = (24, -149) if dtype is np.float32 else (53, -1074)
    exponent = max(math.frexp(float(requested))[1] - digits, min_value)
    return float(abs(Fraction(found) - requested) / Fraction(2) ** exponent)


def points(name: str, dtype: type) -> np.ndarray:
    """Points of the whole range where the result is neither 0 nor a limit, and near zero and where formulas change."""
    rng = np.random.default_rng(0)
    low, high = {"erf": (-6, 6), "erfc": (-6, 27.3), "normal_cdf": (-38.6, 9)}[name]
    if dtype is np.float32 and name != "erf":
        low, high = max(low, -14.2), min(high, 10.1)
    changes = [-1.0, -0.75, -0.5, 0.5, 0.7, 0.75, 0.82, 1.0, 1.09, 1.5, 4.0]
    return np.concatenate([rng.uniform(low, high, 100), rng.normal(size=60), changes, [1e-3, -1e-8, 1e-20]]).astype(
        dtype
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BOUNDS)
def test_errors(name: str, dtype: type) -> None:
    """The error is below its bound, also where the result is subnormal."""
    function = cpu_library(False).get(name)
    found = {float(x): error(function(x), exact(name, float(x)), dtype) for x in points(name, dtype)}
    worst = max(found, key=found.__getitem__)
    assert found[worst] <= BOUNDS[name][dtype is np.float64], (worst, found[worst])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu(dtype: type) -> None:
    """x times the distribution function: the error grows with the condition of the function; zeros and infinities."""
    gelu = cpu_library(False).get("gelu")
    for x in map(float, np.append(points("normal_cdf", dtype), [-0.9, -1.5, -13.0]).astype(dtype)):
        bound = 4.0 if dtype is np.float64 else 4.0 + 1.5 * x * x if x < 0 else 2.5
        assert error(gelu(dtype(x)), exact("gelu", x), dtype) <= bound, x
    assert gelu(dtype(math.inf)) == math.inf
    assert gelu(dtype(-math.inf)) == 0 and np.isnan(gelu(dtype(math.nan)))
    assert [math.copysign(1, gelu(dtype(x))) for x in (0.0, -0.0, -50.0)] == [1, -1, -1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BOUNDS)
def test_limits(name: str, dtype: type) -> None:
    """Infinities, nan and zeros."""
    function = cpu_library(False).get(name)
    assert [function(dtype(x)) for x in (-math.inf, math.inf)] == list(LIMITS[name])
    assert np.isnan(function(dtype(math.nan)))
    zeros = [function(dtype(x)) for x in (0.0, -0.0)]
    assert zeros == [{"erf": 0, "erfc": 1, "normal_cdf": 0.5}[name]] * 2
    assert name != "erf" or [bool(np.signbit(z)) for z in zeros] == [False, True]
