"""Special functions of float32 by pieces: stated errors all over the usual domain, and the same bits beside others."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy import special

import specgrad as sg
from specgrad.runtime.kernels import scalar
from specgrad.runtime.kernels.cpu.elementwise_fast_range import BLOCK


class Stated(NamedTuple):
    """The largest error that a function states in ulp, where it is usual, its reference and its zeros."""

    function: Callable[[sg.Tensor], sg.Tensor]
    ulps: float
    low: float
    high: float
    reference: Callable[[np.ndarray], np.ndarray]
    zeros: np.ndarray


def ratio_of_sine(x: np.ndarray) -> np.ndarray:
    """sin(x) / x."""
    return np.divide(np.sin(x), x, out=np.ones_like(x), where=x != 0)


def sinc(x: np.ndarray) -> np.ndarray:
    """np.sinc, but exact about its zeros: sin(pi x) is that of what lies beyond a whole number, but for its sign."""
    entire = np.rint(x)
    sign = np.where(entire % 2 == 0, 1.0, -1.0)
    return np.divide(sign * np.sin(np.pi * (x - entire)), np.pi * x, out=np.ones_like(x), where=x != 0)


NONE = np.array([])
SHORT, SMALL_RANGE, NEARER = (2.0**-126, 21.5), (-15.5, 15.5), (-7.75, 7.75)
S = sg.special
STATED = {
    "digamma": Stated(sg.digamma, 1.0, 2.0**-126, 2.0**10, special.digamma, np.array([1.4616321449683623])),
    "lgamma": Stated(sg.lgamma, 1.9, 2.0**-126, 2.0**10, special.gammaln, np.array([1.0, 2.0])),
    "trigamma": Stated(lambda x: sg.polygamma(1, x), 1.2, 2.0**-50, 2.0**10, lambda x: special.polygamma(1, x), NONE),
    "k0e": Stated(S.scaled_modified_bessel_k0, 0.7, 2.0**-126, 2.0**10, special.k0e, NONE),
    "k1e": Stated(S.scaled_modified_bessel_k1, 1.1, 2.0**-126, 2.0**10, special.k1e, NONE),
    "k0": Stated(S.modified_bessel_k0, 1.3, *SHORT, special.k0, NONE),
    "k1": Stated(S.modified_bessel_k1, 1.7, *SHORT, special.k1, NONE),
    "y0": Stated(S.bessel_y0, 1.2, *SHORT, special.y0, special.y0_zeros(7)[0].real),
    "y1": Stated(S.bessel_y1, 1.0, *SHORT, special.y1, special.y1_zeros(6)[0].real),
    "j0": Stated(S.bessel_j0, 1.1, *SMALL_RANGE, special.j0, special.jn_zeros(0, 5)),
    "j1": Stated(S.bessel_j1, 1.1, *SMALL_RANGE, special.j1, special.jn_zeros(1, 4)),
    "spherical_j0": Stated(S.spherical_bessel_j0, 1.2, *SMALL_RANGE, ratio_of_sine, np.pi * np.arange(1, 5)),
    "sinc": Stated(sg.sinc, 1.5, *NEARER, sinc, np.arange(1.0, 8.0)),
    "airy_ai": Stated(S.airy_ai, 1.2, *NEARER, lambda x: special.airy(x)[0], special.ai_zeros(4)[0]),
}
each_function = pytest.mark.parametrize("one", STATED.values(), ids=STATED)


def neighbours(x: np.ndarray, count: int) -> np.ndarray:
    """The float32 about numbers."""
    return (x.astype(np.float32).view(np.int32)[:, None] + np.arange(-count, count + 1, dtype=np.int32)).view(
        np.float32
    )


def usual_points(one: Stated) -> np.ndarray:
    """Many float32 of the usual domain, and those about zeros and the edges of pieces and of the domain."""
    low, high = one.low, np.nextafter(np.float32(one.high), np.float32(0))
    steps = np.linspace(low, high, 100_001)
    powers = np.geomspace(max(low, 1e-6), high, 100_001)
    halves, quarters = np.arange(1, 44) / 2, np.arange(1, 63) / 4
    octaves = np.ldexp(np.array([1.0, 1.5]), np.arange(-6, 10)[:, None]).ravel()
    about = [neighbours(edges, 40).ravel() for edges in (one.zeros, halves, quarters, octaves)]
    x = np.concatenate([steps, powers, *about, [one.low, high]]).astype(np.float32)
    x = np.concatenate([x, -x]) if low < 0 else x
    return x[(x >= low) & (x <= high)]


def computed(one: Stated, x: np.ndarray) -> np.ndarray:
    return one.function(sg.tensor(x)).numpy()


@each_function
def test_the_stated_error(one: Stated) -> None:
    """No value is further from SciPy's than the function says, also relative to the smallest about a zero."""
    x = usual_points(one)
    requested = one.reference(x.astype(np.float64))
    unit = np.spacing(np.maximum(np.abs(requested), 2.0**-126).astype(np.float32))
    errors = np.abs(computed(one, x) - requested) / unit
    assert errors.max() <= one.ulps, (x[errors.argmax()], errors.max())


@each_function
def test_neighbours_change_no_bit(one: Stated) -> None:
    """What is usual gives the same bits in blocks of its own and beside nan, infinity, and what is beyond an edge."""
    x = usual_points(one)
    x = x[: x.size // BLOCK * BLOCK]
    alone = computed(one, x)
    for other in (np.nan, one.high, np.nextafter(np.float32(one.low), np.float32(-np.inf)), -np.inf, np.inf):
        mixed = np.full(2 * x.size, other, np.float32)
        mixed[::2] = x
        np.testing.assert_array_equal(computed(one, mixed)[::2].view(np.int32), alone.view(np.int32))


@each_function
def test_beyond_the_edges(one: Stated) -> None:
    """Whole blocks of what is next to the usual domain: rounded once, but about zeros."""
    high = neighbours(np.array([one.high]), 2 * BLOCK).ravel()
    low = neighbours(np.array([abs(one.low)]), 2 * BLOCK).ravel() * np.float32(np.sign(one.low))
    for x in (high, low):
        requested = one.reference(x.astype(np.float64))
        np.testing.assert_allclose(computed(one, x), requested, rtol=2.5e-7)


@pytest.mark.parametrize("name", ["bessel_j0", "bessel_j1", "bessel_y0", "digamma", "lgamma", "sinc", "airy_ai"])
def test_as_plain_python(name: str) -> None:
    """The functions as the simulator of CUDA computes them: the same bits."""
    x = np.random.default_rng(0).uniform(0.1, 7.5, 50).astype(np.float32)
    function = getattr(sg, name, None) or getattr(sg.special, name)
    np.testing.assert_array_equal([getattr(scalar, name)(value) for value in x], function(sg.tensor(x)).numpy())


def test_sinc_far_from_zero() -> None:
    """In single precision: whole numbers are zeros exactly, and their neighbours right, up to where all are whole."""
    x = np.concatenate([np.linspace(7.75, 300, 200_001), np.geomspace(7.75, 1e9, 200_001), np.arange(8, 300)])
    x = np.concatenate([x.astype(np.float32), neighbours(np.arange(8.0, 300), 20).ravel()])
    requested = sinc(x.astype(np.float64))
    errors = np.abs(sg.sinc(sg.tensor(x)).numpy() - requested)
    assert (errors <= 2.5 * np.spacing(np.maximum(np.abs(requested), 2.0**-126).astype(np.float32))).all()
    for dtype in (sg.float32, sg.float64):
        np.testing.assert_equal(sg.sinc(sg.tensor([np.inf, -np.inf, np.nan], dtype=dtype)).numpy(), [0.0, 0.0, np.nan])


def test_lgamma_far_from_its_pieces() -> None:
    """Below 0, subnormal and beyond 2^10 in single precision: relative to the largest term."""
    x = -np.concatenate([np.linspace(1e-3, 40, 100_001), np.geomspace(1e-44, 1e6, 100_001)])
    x = np.concatenate([x, np.geomspace(1e-44, 2.0**-126, 20_001), np.geomspace(2.0**10, 3e36, 20_001)])
    x = x.astype(np.float32)
    x = x[(x > 0) | (x != np.rint(x))]
    requested = special.gammaln(x.astype(np.float64))
    terms = np.maximum(np.abs(requested), np.abs(special.gammaln(np.abs(x).astype(np.float64))))
    found = sg.lgamma(sg.tensor(x)).numpy()
    assert (np.abs(found - requested) <= 0.51 * np.spacing(terms.astype(np.float32)) + 1e-9).all()


@pytest.mark.parametrize("name", ["digamma", "trigamma"])
def test_derivatives_of_lgamma_far_from_their_pieces(name: str) -> None:
    """The same of the derivatives, whose terms are those of reflection."""
    x = -np.concatenate([np.linspace(1e-3, 40, 100_001), np.geomspace(1e-37, 1e5, 100_001)])
    x = np.concatenate([x, np.geomspace(1e-38, 2.0**-126, 20_001), np.geomspace(2.0**10, 3e36, 20_001)])
    x = x.astype(np.float32).astype(np.float64)
    x = x[(x > 0) | (x != np.rint(x))]
    order = ["digamma", "trigamma"].index(name)
    positive = special.polygamma(order, np.where(x > 0, x, 1 - x))
    turn = np.pi * np.where(x < 0, x - np.rint(x), 0.5)
    mirrored = -np.pi / np.tan(turn) if order == 0 else (np.pi / np.sin(turn)) ** 2
    requested = np.where(x > 0, positive, mirrored + (positive if order == 0 else -positive))
    terms = np.maximum(np.abs(requested), np.where(x > 0, 0, np.maximum(np.abs(positive), np.abs(mirrored))))
    found = sg.polygamma(order, sg.tensor(x.astype(np.float32))).numpy()
    is_finite = terms < 3.4e38
    errors = np.abs(found - requested)[is_finite]
    assert (errors <= 0.51 * np.spacing(np.maximum(terms[is_finite], 2.0**-126).astype(np.float32))).all()
    assert np.isinf(found[~is_finite]).all()


def test_poles_of_derivatives_of_lgamma() -> None:
    """At 0, at negative whole numbers and at infinities, beside usual numbers and alone."""
    x = np.array([0.0, -0.0, -1.0, -2.0, -3e7, np.inf, -np.inf, np.nan] * BLOCK, np.float32)
    for order, requested in (
        (0, [-np.inf, np.inf, np.nan, np.nan, np.nan, np.inf, np.nan, np.nan]),
        (1, [np.inf, np.inf, np.inf, np.inf, np.inf, 0.0, np.nan, np.nan]),
    ):
        np.testing.assert_array_equal(sg.polygamma(order, sg.tensor(x)).numpy(), requested * BLOCK)
        np.testing.assert_array_equal(sg.polygamma(order, sg.tensor(x[:8])).numpy(), requested)


def test_signs_and_zeros() -> None:
    """J1 is odd, also of zero; sinc is 0 at whole numbers, and 1 at 0."""
    x = np.linspace(0, 15, 1000, dtype=np.float32)
    np.testing.assert_array_equal(S.bessel_j1(sg.tensor(-x)).numpy(), -S.bessel_j1(sg.tensor(x)).numpy())
    assert np.signbit(S.bessel_j1(sg.tensor([-0.0])).numpy()[0])
    np.testing.assert_array_equal(sg.sinc(sg.arange(16.0)).numpy()[:16], [1.0] + [0.0] * 15)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_orders_of_polygamma(order: int) -> None:
    """Blocks of the first derivative are computed by pieces, and those of others are not."""
    x = np.geomspace(0.02, 900, 4 * BLOCK + 3).astype(np.float32)
    found = sg.polygamma(order, sg.tensor(x)).numpy()
    requested = special.digamma(x.astype(float)) if order == 0 else special.polygamma(order, x.astype(float))
    np.testing.assert_allclose(found, requested, rtol=2e-7)
