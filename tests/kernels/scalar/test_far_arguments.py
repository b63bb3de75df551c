"""float32 functions of the normal distribution's family and Ai far from zero, where other tests do not reach.

Errors against SciPy in float64, subnormal results, limits, and the same bits whatever else a block has, and in plain
Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy import special

import specgrad as sg
from specgrad.generated.ops.special import normal_pdf as normal_density
from specgrad.runtime.kernels import scalar
from specgrad.runtime.kernels.cpu.elementwise_fast_range import BLOCK


class Far(NamedTuple):
    """A function, what it is called among scalar functions, what it is in float64, its largest error in ulp, and the
    parts that its arguments beyond the pieces lie in."""

    function: Callable[[sg.Tensor], sg.Tensor]
    name: str
    reference: Callable[[np.ndarray], np.ndarray]
    bound: float
    parts: tuple[tuple[float, float], ...]


def log_ndtr(x: np.ndarray) -> np.ndarray:
    """Exact where it is next to 0, too."""
    return np.where(x > 0, np.log1p(-special.ndtr(-np.abs(x))), special.log_ndtr(x))


def airy_ai(x: np.ndarray) -> np.ndarray:
    """Ai(x), scaled where it decays, as its exponential loses less by way of more digits."""
    z = np.maximum(x, 0).astype(np.longdouble) ** 1.5 * 2 / 3
    return np.where(x > 0, special.airye(np.maximum(x, 0))[0] * np.exp(-z).astype(float), special.airy(x)[0])


def normal_pdf(x: np.ndarray) -> np.ndarray:
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


S = sg.special
ASYMPTOTIC = {
    "ndtr": Far(S.ndtr, "normal_cdf", special.ndtr, 6.3, ((-13, -6), (-16, -12.5), (3, 16), (-1e4, 1e4))),
    "normal_pdf": Far(normal_density, "normal_pdf", normal_pdf, 2.2, ((-13, -6), (12.5, 16), (-1e4, 1e4))),
    "log_ndtr": Far(S.log_ndtr, "log_ndtr", log_ndtr, 1.1, ((6, 13), (12.5, 16), (-40, -9), (-1e4, -40), (-1e19, 1e4))),
    "erfcx": Far(S.erfcx, "erfcx", special.erfcx, 0.6, ((7.75, 20), (20, 1e4), (1e19, 3e37), (-9.38, -7.75))),
    "airy_ai": Far(S.airy_ai, "airy_ai", airy_ai, 1.2, ((7.75, 25.5), (25, 30), (-20, -7.75), (-60, -20))),
    "ndtri": Far(S.ndtri, "ndtri", special.ndtri, 0.6, ((0, 1e-5), (0, 1e-30), (1 - 2.0**-16, 1), (0, 1e-40))),
}
each_function = pytest.mark.parametrize("one", ASYMPTOTIC.values(), ids=ASYMPTOTIC)


def points(one: Far, count: int) -> np.ndarray:
    """Arguments in order: in each part evenly, and closer and closer to both of its ends."""
    rng = np.random.default_rng(0)
    x = [rng.uniform(low, high, count) for low, high in one.parts]
    for low, high in one.parts:
        steps = np.geomspace(1e-7, 1, count) * (high - low)
        x += [low + steps, high - steps]
    return np.sort(np.concatenate(x).astype(np.float32))


def computed(one: Far, x: np.ndarray) -> np.ndarray:
    return one.function(sg.tensor(x)).numpy()


@each_function
def test_errors(one: Far) -> None:
    """No value is further from SciPy's than its function says; of subnormal results half a unit more is rounded."""
    x = points(one, 40_000)
    x = x[np.isfinite(one.reference(x.astype(np.float64)))]
    requested = one.reference(x.astype(np.float64))
    unit = np.spacing(np.maximum(np.abs(requested), 2.0**-126).astype(np.float32))
    errors = np.abs(computed(one, x) - requested) / unit - np.where(np.abs(requested) < 2.0**-126, 0.5, 0.0)
    assert errors.max() <= one.bound, (x[errors.argmax()], errors.max())


@each_function
def test_neighbours_change_no_bit(one: Far) -> None:
    """The same bits in blocks of arguments of one size, beside others of any size, nan and infinity, and alone."""
    x = points(one, 2000)
    found = computed(one, x).view(np.int32)
    order = np.random.default_rng(1).permutation(x.size)
    np.testing.assert_array_equal(computed(one, x[order]).view(np.int32), found[order])
    for other in (np.nan, np.inf, -np.inf, 0.5, -3.0):
        mixed = np.full(2 * x.size, other, np.float32)
        mixed[::2] = x
        np.testing.assert_array_equal(computed(one, mixed)[::2].view(np.int32), found)
    small_count = order[: BLOCK // 2]
    np.testing.assert_array_equal(computed(one, x[small_count]).view(np.int32), found[small_count])


@each_function
def test_as_plain_python(one: Far) -> None:
    """As the simulator of CUDA computes it: the same bits."""
    x = np.append(np.random.default_rng(2).permutation(points(one, 1000))[:200], np.float32([np.inf, -np.inf, np.nan]))
    with np.errstate(all="ignore"):
        alone = np.array([getattr(scalar, one.name)(value) for value in x])
    assert alone.dtype == np.float32
    np.testing.assert_array_equal(alone, computed(one, x))


@pytest.mark.parametrize(
    ("name", "requested"),
    [
        ("ndtr", [0, 1, 0, 1, np.nan]),
        ("normal_pdf", [0, 0, 0, 0, np.nan]),
        ("log_ndtr", [-np.inf, -0.0, -np.inf, -0.0, np.nan]),
        ("erfcx", [np.inf, 0, np.inf, 0.5641895835477563 / 3.4028234663852886e38, np.nan]),
        ("ndtri", [np.nan, np.nan, np.nan, np.nan, np.nan]),
    ],
)
def test_limits(name: str, requested: list[float]) -> None:
    """At both infinities, the largest numbers, and nan, and of whole blocks of these."""
    largest = np.finfo(np.float32).max
    x = np.float32([-np.inf, np.inf, -largest, largest, np.nan])
    np.testing.assert_array_equal(computed(ASYMPTOTIC[name], x), np.float32(requested))
    np.testing.assert_array_equal(
        computed(ASYMPTOTIC[name], np.repeat(x, BLOCK)), np.repeat(np.float32(requested), BLOCK)
    )


# Ai(x) for the six arguments below, which are float32, with 60 digits of mpmath
AIRY_VERY_FAR = [
    *(0.055971895773, 0.0129957496694, -0.00219126114134),
    *(0.00453560010799, -0.00192391869867, 0.00168727732422),
]


def test_airy_very_far() -> None:
    """Up to 2^33 the wave's phase is that of the exact argument; beyond, its size is no larger than it should be."""
    assert computed(ASYMPTOTIC["airy_ai"], np.float32([np.inf, -np.inf, 1e30])).tolist() == [0, 0, 0]
    x = -np.float32([1e3, 12345.678, 1e6, 3e7, 123456789.0, 2.0**32])
    found = computed(ASYMPTOTIC["airy_ai"], x)
    np.testing.assert_allclose(found, AIRY_VERY_FAR, rtol=3e-7)
    x = np.geomspace(1e10, 3e38, 1000)
    assert (
        np.abs(computed(ASYMPTOTIC["airy_ai"], -x.astype(np.float32))) <= x**-0.25 / np.sqrt(np.pi) * 1.000001
    ).all()


def test_ends_of_ndtri() -> None:
    """Of 0 and 1 the quantiles are infinite, of the smallest and the largest number between them they are not."""
    x = np.float32([0, -0.0, 1, 2.0**-149, 1 - 2.0**-24, -(2.0**-149), 1 + 2.0**-23])
    found = computed(ASYMPTOTIC["ndtri"], x)
    np.testing.assert_array_equal(found[:3], [-np.inf, -np.inf, np.inf])
    np.testing.assert_allclose(found[3:5], special.ndtri(x[3:5].astype(float)), rtol=6e-8)
    assert np.isnan(found[5:]).all()


def test_gelu_far_below_zero() -> None:
    """As exact as its argument, down to subnormal results; the same bits beside others; -inf times 0 is nan."""
    x = np.concatenate([np.linspace(-16, -10, 20_001), -np.geomspace(1e-44, 1e-36, 2001), np.linspace(0, 20, 2001)])
    x = x.astype(np.float32)
    wide = x.astype(np.float64)
    requested = wide * special.ndtr(wide)
    found = sg.nn.functional.gelu(sg.tensor(x)).numpy()
    unit = np.spacing(np.maximum(np.abs(requested), 2.0**-126).astype(np.float32))
    errors = np.abs(found - requested) / unit
    assert (errors <= 4 + 1.5 * wide**2).all()
    assert (errors[np.abs(requested) < 2.0**-140] <= 1).all()
    beside = np.stack([x, np.full_like(x, -100)]).ravel("F")
    among_others = sg.nn.functional.gelu(sg.tensor(beside)).numpy()[::2]
    np.testing.assert_array_equal(among_others.view(np.int32), found.view(np.int32))
    ends = sg.nn.functional.gelu(sg.tensor([-np.inf, np.inf, np.nan, -3e38])).numpy()
    np.testing.assert_array_equal(ends, [0, np.inf, np.nan, 0])
