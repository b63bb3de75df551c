"""The special functions: stated errors at the worst points that were found, SciPy, limits, and identities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import specgrad as sg
from specgrad.runtime.kernels import scalar
from tests.kernels.scalar.special_values import VALUES

INF, NAN = math.inf, math.nan

# The largest error in ulp, as the scalar functions state it; of the value wanted, which is rounded, too.
ULP = {
    "lgamma": 2.1,
    "digamma": 1.9,
    "trigamma": 4.5,
    "i0": 3.5,
    "i0e": 2.7,
    "i1": 5,
    "i1e": 3,
    "erfinv": 2,
    "ndtri": 2.7,
    "erfcx": 1.9,
    "log_ndtr": 2.4,
    "entr": 1.5,
    "modified_bessel_k0": 7.5,
    "modified_bessel_k1": 4.5,
    "scaled_modified_bessel_k0": 8,
    "scaled_modified_bessel_k1": 4,
    "spherical_bessel_j0": 1.5,
}
ABSOLUTE = {"bessel_j0": 8e-16, "bessel_j1": 8e-16, "bessel_y0": 1e-15, "bessel_y1": 1e-15}
# name: reference, intervals that points are drawn from
REFERENCES: dict[str, tuple[Callable[..., Any], list[tuple[float, float]]]] = {
    "lgamma": (special.gammaln, [(-5.9, 3), (3, 12), (12, 1e4)]),
    "digamma": (special.digamma, [(-5.9, 3), (3, 12), (12, 1e4)]),
    "i0": (special.i0, [(-8, 8), (8, 700)]),
    "i1": (special.i1, [(-8, 8), (8, 700)]),
    "i0e": (special.i0e, [(-8, 8), (8, 1e4)]),
    "i1e": (special.i1e, [(-8, 8), (8, 1e4)]),
    "erfinv": (special.erfinv, [(-1, 1), (-1e-9, 1e-9)]),
    "ndtri": (special.ndtri, [(1e-300, 1e-9), (1e-3, 1)]),
    "erfcx": (special.erfcx, [(-20, 0), (0, 30), (30, 1e9)]),
    "log_ndtr": (special.log_ndtr, [(-40, -1), (-1, 8)]),
    "entr": (special.entr, [(1e-9, 50)]),
    "bessel_j0": (special.j0, [(-8, 8), (8, 50)]),
    "bessel_j1": (special.j1, [(-8, 8), (8, 50)]),
    "bessel_y0": (special.y0, [(0.1, 8), (8, 50)]),
    "bessel_y1": (special.y1, [(0.1, 8), (8, 50)]),
    "airy_ai": (lambda x: special.airy(x)[0], [(-40, 2), (-6, 2), (2, 30)]),
    "modified_bessel_k0": (special.k0, [(1e-3, 2), (2, 50)]),
    "modified_bessel_k1": (special.k1, [(1e-3, 2), (2, 50)]),
    "scaled_modified_bessel_k0": (special.k0e, [(1e-3, 2), (2, 1e4)]),
    "scaled_modified_bessel_k1": (special.k1e, [(1e-3, 2), (2, 1e4)]),
    "spherical_bessel_j0": (lambda x: special.spherical_jn(0, x), [(-8, 8), (8, 50)]),
}
LIMITS: dict[str, list[tuple[float, float]]] = {
    "lgamma": [(0, INF), (-1, INF), (INF, INF), (-INF, INF), (1, 0), (2, 0), (NAN, NAN), (-1e-30, 69.0776)],
    "digamma": [(0, -INF), (-0.0, INF), (-1, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "i0": [(0, 1), (INF, INF), (-INF, INF), (NAN, NAN)],
    "i1": [(0, 0), (INF, INF), (-INF, -INF), (NAN, NAN)],
    "i0e": [(0, 1), (INF, 0), (NAN, NAN)],
    "i1e": [(0, 0), (INF, 0), (-INF, 0), (NAN, NAN)],
    "erfinv": [(0, 0), (1, INF), (-1, -INF), (1.5, NAN), (NAN, NAN)],
    "ndtri": [(0, -INF), (0.5, 0), (1, INF), (-0.1, NAN), (1.1, NAN), (NAN, NAN)],
    "erfcx": [(0, 1), (INF, 0), (-INF, INF), (NAN, NAN)],
    "log_ndtr": [(INF, 0), (-INF, -INF), (NAN, NAN)],
    "entr": [(0, 0), (1, 0), (-1, -INF), (INF, -INF), (NAN, NAN)],
    "bessel_j0": [(0, 1), (INF, 0), (-INF, 0), (NAN, NAN)],
    "bessel_j1": [(0, 0), (INF, 0), (-INF, 0), (NAN, NAN)],
    "bessel_y0": [(0, -INF), (-1, NAN), (INF, 0), (NAN, NAN)],
    "bessel_y1": [(0, -INF), (-1, NAN), (INF, 0), (NAN, NAN)],
    "airy_ai": [(0, 0.355028), (INF, 0), (-INF, 0), (1e5, 0), (NAN, NAN)],
    "modified_bessel_k0": [(0, INF), (-1, NAN), (INF, 0), (NAN, NAN)],
    "modified_bessel_k1": [(0, INF), (-1, NAN), (INF, 0), (NAN, NAN)],
    "scaled_modified_bessel_k0": [(0, INF), (-1, NAN), (INF, 0), (NAN, NAN)],
    "scaled_modified_bessel_k1": [(0, INF), (-1, NAN), (INF, 0), (NAN, NAN)],
    "spherical_bessel_j0": [(0, 1), (INF, 0), (-INF, 0), (NAN, NAN)],
}


def computed(name: str, points: Any, dtype: Any = sg.float64) -> np.ndarray:
    """What the op gives, whose kernel is a loop over the scalar function."""
    x = sg.tensor(points, dtype=dtype)
    if name == "trigamma":
        return sg.polygamma(1, x).numpy()
    function = getattr(sg.special, name, None) or getattr(sg, name)
    return np.asarray(function(x).numpy())


@pytest.mark.parametrize("name", VALUES)
def test_the_stated_error(name: str) -> None:
    """No value is further from the exact one than its function says."""
    points, requested = np.array(VALUES[name]).T
    errors = np.abs(computed(name, points) - requested)
    if name in ABSOLUTE:
        assert (errors / np.maximum(np.abs(requested), 1)).max() <= ABSOLUTE[name]
    else:
        assert (errors / np.spacing(np.abs(requested))).max() <= ULP[name] + 0.5


@pytest.mark.parametrize("name", REFERENCES)
def test_random_points(name: str) -> None:
    """Values are SciPy's, whose own errors are larger here and there; in float32 up to its precision."""
    reference, intervals = REFERENCES[name]
    for low, high in intervals:
        points = np.random.default_rng(0).uniform(low, high, 300).astype(np.float32)
        requested = reference(points.astype(np.float64))
        found = computed(name, points)
        np.testing.assert_allclose(found, requested, rtol=2e-13, atol=1e-14 * (high > 1e-3))
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(computed(name, points, sg.float32), found.astype(np.float32), rtol=2e-7)


def test_erfinv_in_single_precision() -> None:
    """Everywhere up to the last number before 1, and of the smallest: at most 0.6 ulp."""
    large = 1 - np.geomspace(2.0**-24, 1, 100_000)
    x = np.concatenate([np.linspace(-1, 1, 200_001), large, -large, np.geomspace(1e-38, 1, 50_000)]).astype(np.float32)
    x = x[(np.abs(x) < 1) & (x != 0)]
    requested = special.erfinv(x.astype(np.float64))
    errors = np.abs(computed("erfinv", x, sg.float32) - requested) / np.spacing(np.abs(requested).astype(np.float32))
    assert errors.max() <= 0.6


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name: str) -> None:
    """Zeros, poles, infinities and nan: in both precisions, and as plain Python, as in the CUDA simulator."""
    points, requested = np.array(LIMITS[name]).T
    for dtype in (sg.float64, sg.float32):
        np.testing.assert_allclose(computed(name, points, dtype), requested, rtol=1e-5)
    with np.errstate(all="ignore"):
        found = [getattr(scalar, name)(np.float64(x)) for x in points]
    np.testing.assert_allclose(found, requested, rtol=1e-5)


def test_zeta_and_polygamma() -> None:
    """Positive arguments against SciPy; negative ones against the recurrence, which SciPy has not."""
    points = np.random.default_rng(0).uniform(0.05, 40, 100)
    for s in (1.001, 2.0, 3.7, 20.0):
        np.testing.assert_allclose(sg.special.zeta(s, sg.tensor(points)).numpy(), special.zeta(s, points), rtol=4e-15)
    x = np.random.default_rng(1).uniform(-9, 0, 20)
    for n in (1, 2, 7):
        found = sg.polygamma(n, sg.tensor(points)).numpy()
        np.testing.assert_allclose(found, special.polygamma(n, points), rtol=4e-15)
        steps = sum((-1.0) ** n * math.factorial(n) / (x + k) ** (n + 1) for k in range(10))
        below, above = (sg.polygamma(n, sg.tensor(at)).numpy() for at in (x, x + 10))
        np.testing.assert_allclose(below, above - steps, rtol=1e-11)
    edges = sg.special.zeta(sg.tensor([1.0, 2.0, 0.5, 2.5, NAN]), sg.tensor([2.0, -3.0, 2.0, -0.5, 1.0]))
    np.testing.assert_equal(edges.numpy(), [INF, INF, NAN, NAN, NAN])


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_incomplete_gamma(name: str) -> None:
    """Small, moderate and large arguments, around the step and far from it; and at the edges."""
    reference = special.gammainc if name == "igamma" else special.gammaincc
    rng = np.random.default_rng(0)
    a = np.concatenate([10.0 ** rng.uniform(-6, 0, 40), rng.uniform(0.5, 30, 60), 10.0 ** rng.uniform(1, 7, 60)])
    for x in (a * rng.uniform(0.2, 2, 160), np.abs(a + np.sqrt(a) * rng.normal(size=160)), rng.uniform(0, 1.5, 160)):
        found, requested = getattr(sg, name)(sg.tensor(a), sg.tensor(x)).numpy(), reference(a, x)
        seen = requested > 1e-200
        np.testing.assert_allclose(found[seen], requested[seen], rtol=1e-11)
    a, x = np.array([(0, 1), (1, 0), (1, INF), (INF, 1), (0, 0), (INF, INF), (-1, 1), (1, -1)]).T
    np.testing.assert_equal(getattr(sg, name)(sg.tensor(a), sg.tensor(x)).numpy(), reference(a, x))
