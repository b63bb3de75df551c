"""Bessel functions of float32 where no pieces are: next to 0, far from it, and at the limits; also as plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import specgrad as sg
from specgrad.runtime.kernels import scalar
from specgrad.runtime.kernels.cpu.elementwise_fast_range import BLOCK
from specgrad.runtime.kernels.cuda.compile import ptx
from specgrad.runtime.kernels.cuda.elementwise import element_kernel, element_signature
from specgrad.runtime.kernels.cuda.signature import Array

INF, NAN = math.inf, math.nan
NORMAL, MIN_VALUE, LARGEST = 2.0**-126, 2.0**-149, float(np.finfo(np.float32).max)
REFERENCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bessel_j0": special.j0,
    "bessel_j1": special.j1,
    "bessel_y0": special.y0,
    "bessel_y1": special.y1,
    "i0": special.i0,
    "i0e": special.i0e,
    "i1": special.i1,
    "i1e": special.i1e,
    "modified_bessel_k0": special.k0,
    "modified_bessel_k1": special.k1,
    "scaled_modified_bessel_k0": special.k0e,
    "scaled_modified_bessel_k1": special.k1e,
    "spherical_bessel_j0": lambda x: np.sin(x) / x,
}
SECOND_KIND = [name for name in REFERENCES if "_y" in name or "_k" in name]
WAVES = ["bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "spherical_bessel_j0"]
# The largest errors in ulp that `near_zero.py` and `far.py` make: more than what the functions state are none.
NEAR_ZERO = {"bessel_y0": 0.85, "bessel_y1": 0.6, "modified_bessel_k0": 0.9, "modified_bessel_k1": 0.6}
NEAR_ZERO |= {"scaled_modified_bessel_k0": 0.7, "scaled_modified_bessel_k1": 0.6}
# The same where a logarithm of the first doubling of pieces stands for the function.
BESIDE_PIECES = {"bessel_y0": 0.7, "bessel_y1": 0.6, "modified_bessel_k0": 0.75, "modified_bessel_k1": 0.8}
BESIDE_PIECES |= {"scaled_modified_bessel_k0": 0.7, "scaled_modified_bessel_k1": 0.6}
ASYMPTOTIC = {
    "i0": (1.1, 15.5, 91.9),
    "i1": (1.1, 15.5, 91.9),
    "i0e": (0.6, 15.5, LARGEST),
    "i1e": (0.6, 15.5, LARGEST),
    "modified_bessel_k0": (1.1, 21.5, 120.0),
    "modified_bessel_k1": (1.1, 21.5, 120.0),
    "scaled_modified_bessel_k0": (0.6, 2.0**10, LARGEST),
    "scaled_modified_bessel_k1": (0.6, 2.0**10, LARGEST),
}
# J0, J1, Y0, Y1 and sin(x) / x of numbers of which SciPy loses the angle, by mpmath with 100 digits
FAR_WAVES = {
    1e10: (2.17559175e-6, -7.676508176e-6, -7.676508176e-6, -2.175591751e-6, -4.875060251e-11),
    2.0**50: (2.294279367e-8, -6.249812953e-9, -6.249812953e-9, -2.294279367e-8, 4.408886724e-16),
    1e20: (7.959789453e-11, -5.51115078e-12, -5.51115078e-12, -7.959789453e-11, 6.565766647e-21),
    2.0**110: (9.537463512e-18, 1.998676619e-17, 1.998676619e-17, -9.537463512e-18, 7.2622928e-34),
    3e38: (1.272353853e-20, 4.427389153e-20, 4.427389153e-20, -1.272353853e-20, 2.916349621e-39),
}


def computed(name: str, x: Any) -> np.ndarray:
    function = getattr(sg.special, name, None) or getattr(sg, name)
    return np.asarray(function(sg.tensor(np.asarray(x, np.float32))).numpy())


def between(low: float, high: float, count: int = 200_001) -> np.ndarray:
    """Many float32 between two, the two among them."""
    x = np.concatenate([np.geomspace(low, high, count), np.linspace(low, high, count)]).astype(np.float32)
    return np.clip(x, np.float32(low), np.float32(high))


def errors(name: str, x: np.ndarray) -> np.ndarray:
    """The distances from SciPy's values, in units in the last place."""
    requested = REFERENCES[name](x.astype(np.float64))
    return np.abs(computed(name, x) - requested) / np.spacing(np.abs(requested).astype(np.float32))


@pytest.mark.parametrize("name", NEAR_ZERO)
def test_next_to_zero(name: str) -> None:
    """From the least normal number up to where pieces begin."""
    end = 2.0**-6 if name.startswith("scaled") else 2.0**-5
    for low, high in ((NORMAL, 1e-20), (1e-20, 1e-5), (1e-5, end)):
        assert errors(name, between(low, high)).max() <= NEAR_ZERO[name]


@pytest.mark.parametrize("name", BESIDE_PIECES)
def test_where_the_first_pieces_lie(name: str) -> None:
    """From there on to where the function itself is computed by pieces."""
    start = 2.0**-6 if name.startswith("scaled") else 2.0**-5
    assert errors(name, between(start, 2.0 * start)).max() <= BESIDE_PIECES[name]


@pytest.mark.parametrize("name", ASYMPTOTIC)
def test_far_from_zero(name: str) -> None:
    """Up to the largest number, or where results are infinite or 0: also subnormal ones, of which units are larger."""
    ulps, low, high = ASYMPTOTIC[name]
    for center in (low, 40.0, 80.0, 88.0, 1e6):
        if low <= center < high:
            assert errors(name, between(center, high)).max() <= ulps


@pytest.mark.parametrize("name", WAVES)
def test_waves_far_from_zero(name: str) -> None:
    """Next to zeros as well, as far as SciPy's own error there leaves it to be seen."""
    x = between(15.5, 2000.0)
    zeros = np.pi * (np.arange(5, 300)[:, None] + np.array([0.0, 0.25, 0.5, 0.75])).ravel()
    x = np.concatenate([x, *(np.nextafter(zeros.astype(np.float32), np.float32(to)) for to in (0, INF))])
    requested = REFERENCES[name](x.astype(np.float64))
    known = 4e-16 * np.sqrt(x.astype(np.float64))
    ulps = 1.2 * (x < 21.5) + 0.7 * (x >= 21.5)
    assert (
        np.abs(computed(name, x) - requested) <= ulps * np.spacing(np.abs(requested).astype(np.float32)) + known
    ).all()


@pytest.mark.parametrize("name", WAVES)
def test_angles_of_large_numbers(name: str) -> None:
    """Up to the largest, whose last bit is worth many turns."""
    position = WAVES.index(name)
    requested = [values[position] for values in FAR_WAVES.values()]
    np.testing.assert_allclose(computed(name, list(FAR_WAVES)), requested, rtol=1.3e-7, atol=MIN_VALUE)


@pytest.mark.parametrize("name", SECOND_KIND)
def test_subnormal_numbers(name: str) -> None:
    """Poles are right next to 0 too, and infinite where they are more than the largest number."""
    x = np.unique(between(MIN_VALUE, NORMAL, 20_001))
    with np.errstate(over="ignore"):
        requested = REFERENCES[name](x.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(computed(name, x), requested, rtol=1.3e-7)


@pytest.mark.parametrize("name", SECOND_KIND)
def test_limits_of_the_second_kind(name: str) -> None:
    """At 0 and below, at infinity and of nan: alone, and in blocks of usual numbers."""
    pole = -INF if "_y" in name else INF
    x = np.array([0.0, -0.0, -MIN_VALUE, -1.0, -LARGEST, -INF, INF, NAN], np.float32)
    requested = [pole, pole, NAN, NAN, NAN, NAN, 0.0, NAN]
    np.testing.assert_array_equal(computed(name, x), requested)
    mixed = np.full(2 * BLOCK, 3.0, np.float32)
    mixed[: 2 * x.size : 2] = x
    np.testing.assert_array_equal(computed(name, mixed)[: 2 * x.size : 2], requested)


@pytest.mark.parametrize("name", ["i0", "i1", "modified_bessel_k0", "modified_bessel_k1"])
def test_overflow_and_underflow(name: str) -> None:
    """I0 and I1 grow beyond the largest number where they should, K0 and K1 fall to 0, and neither comes back."""
    x = between(90.0, 110.0)
    with np.errstate(over="ignore"):
        requested = REFERENCES[name](x.astype(np.float64)).astype(np.float32)
    at = np.array([120.0, 1e5, LARGEST, INF])
    if "k" in name:
        np.testing.assert_allclose(computed(name, x), requested, rtol=1.3e-7, atol=MIN_VALUE)
        np.testing.assert_array_equal(computed(name, at), 0.0)
    else:
        np.testing.assert_array_equal(np.isinf(computed(name, x)), np.isinf(requested))
        np.testing.assert_array_equal(computed(name, at), INF)


@pytest.mark.parametrize("name", REFERENCES)
def test_neighbours_change_no_bit(name: str) -> None:
    """Numbers of every size give the same bits in blocks of their like, and beside others."""
    x = between(NORMAL, LARGEST, 50_000)
    x = np.sort(np.concatenate([x, between(1e-3, 150.0, 50_000)]))
    x = x[: x.size // BLOCK * BLOCK]
    order = np.random.default_rng(0).permutation(x.size)
    found = computed(name, x)
    np.testing.assert_array_equal(computed(name, x[order]).view(np.int32), found[order].view(np.int32))
    beside = np.full(2 * x.size, NAN, np.float32)
    beside[1::2] = x
    np.testing.assert_array_equal(computed(name, beside)[1::2].view(np.int32), found.view(np.int32))


@pytest.mark.parametrize("name", REFERENCES)
def test_as_plain_python(name: str) -> None:
    """As the simulator of CUDA computes them: the same bits, wherever the argument lies."""
    x = np.concatenate([between(MIN_VALUE, LARGEST, 60), between(1e-3, 120.0, 60), [0.0, INF, NAN]]).astype(np.float32)
    x = np.concatenate([x, -x])
    with np.errstate(all="ignore"):
        found = np.array([getattr(scalar, name)(value) for value in x])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, computed(name, x))


@pytest.mark.parametrize("name", REFERENCES)
def test_compiles_for_cuda(name: str) -> None:
    """Without calls; only waves, of which angles are exact, are computed in float64."""
    single = np.dtype(np.float32)
    kernel = element_kernel("specgrad.generated", "special", f"{name}_forward", single, (False,))
    text = ptx(kernel.make, element_signature((Array(single),), (Array(single),), 0))
    assert "call" not in text and "__nv_" not in text
    assert (".f64" in text) == (name in WAVES)
