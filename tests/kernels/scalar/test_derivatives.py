"""Functions that gradients of special functions are made of, beside mpmath: where recurrences would cancel, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from mpmath import mp, mpf

from specgrad.runtime.kernels import scalar

POSITIVE = (
    1e-300,
    1e-5,
    0.3,
    0.49,
    0.51,
    1.0,
    1.3,
    2.1,
    5.0,
    6.7,
    6.9,
    19.9,
    20.1,
    29.9,
    30.1,
    100.0,
    700.0,
    1e5,
    1e10,
)
MODERATE = tuple(x for x in POSITIVE if x <= 700)
ENDS = tuple(10.0**-k for k in (1, 3, 10, 40, 100, 300))


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with mp.workdps(100), np.errstate(all="ignore"):
        yield


class Stated(NamedTuple):
    """The function of an order, what it is, points, and its largest error in ulp."""

    name: str
    exact: Callable[[int, Any], Any]
    points: tuple[float, ...]
    bound: float
    orders: tuple[int, ...] = (1, 2, 3)


def i0e(n: int, x: Any) -> Any:
    terms = (mp.binomial(2 * n, n + k) * (-1) ** (n - k) * mp.besseli(abs(k), x) for k in range(-n, n + 1))
    return mp.exp(-x) * sum(terms) / mpf(2) ** n


def k0e(n: int, x: Any) -> Any:
    """By its integral: the limits that mpmath takes for K of a whole order are slow."""

    def integrand(t: Any) -> Any:
        square = 2 * mp.sinh(t / 2) ** 2
        return mp.exp(-x * square) * (-square) ** n

    if x > 100:
        return mp.sqrt(mp.pi) * (-2) ** n * mp.rf(0.5, n) * mp.hyperu(n + 0.5, n + 1, 2 * x)
    with mp.workdps(25):
        return mp.quad(integrand, mp.linspace(0, 2 * mp.asinh(6 / mp.sqrt(x)), 6))


def of_order_1(function: Callable[..., Any], sign: int) -> Callable[[int, Any], Any]:
    return lambda n, x: (
        sum(sign**k * mp.binomial(n, k) * function(1 - n + 2 * k, x) for k in range(n + 1)) / mpf(2) ** n
    )


def erfcx(n: int, x: Any) -> Any:
    here = mp.exp(x * x) * mp.erfc(x)
    after = 2 * x * here - 2 / mp.sqrt(mp.pi)
    for k in range(n):
        here, after = after, 2 * (x * after + (k + 1) * here)
    return here


def erfc_ratio(n: int, x: Any) -> Any:
    return -erfcx(n, x) / (2 * n * erfcx(n - 1, x))


def ratio_of_sine(w: Any) -> Callable[[int, Any], Any]:
    def derivative(n: int, x: Any) -> Any:
        value = mp.sin(w() * x) / (w() * x)
        for k in range(1, n + 1):
            value = (w() ** (k - 1) * mp.sin(w() * x + k * mp.pi / 2) - k * value) / x
        return value

    return derivative


FUNCTIONS = (
    Stated("i0e_derivative", i0e, POSITIVE, 7),
    Stated("i1e_derivative", lambda n, x: i0e(n, x) + i0e(n + 1, x), POSITIVE, 20, (1, 2)),
    Stated("k0e_derivative", k0e, tuple(x for x in POSITIVE if x > 1e-90), 30),
    Stated("i1_derivative", of_order_1(mp.besseli, 1), MODERATE, 6),
    Stated("bessel_j1_derivative", of_order_1(mp.besselj, -1), MODERATE, 40),
    Stated("erfcx_derivative", erfcx, (*(x for x in POSITIVE if x < 1e7), -0.5, -3.0, -20.0), 10),
    Stated("erfc_ratio", erfc_ratio, (*(x for x in POSITIVE if x < 1e7), -0.5, -3.0, -20.0), 20),
    Stated("sinc_derivative", ratio_of_sine(lambda: +mp.pi), tuple(x for x in POSITIVE if 1e-6 < x < 1e7), 120),
    Stated(
        "spherical_bessel_j0_derivative",
        ratio_of_sine(lambda: mpf(1)),
        tuple(x for x in POSITIVE if 1e-6 < x < 1e7),
        120,
    ),
)


def units(found: Any, exact: Any) -> float:
    return float(abs(mpf(float(found)) - exact) / mpf(2) ** (mp.frexp(abs(exact))[1] - 53))


@pytest.mark.parametrize("one", FUNCTIONS, ids=[one.name for one in FUNCTIONS])
def test_derivatives_of_an_order(one: Stated) -> None:
    function = getattr(scalar, one.name)
    for n in one.orders:
        for x in one.points:
            exact = one.exact(n, mpf(x))
            error = units(function(n, np.float64(x)), exact)
            assert error <= one.bound, (n, x, error)
            close = (
                abs(mpf(float(function(n, np.float32(x)))) - one.exact(n, mpf(float(np.float32(x)))))
                if 1e-3 < x < 80
                else 0
            )
            assert close <= abs(exact) * mpf(2) ** -23, (n, x)


@pytest.mark.parametrize("name", ["erfinv", "ndtri"])
def test_slopes_of_quantiles(name: str) -> None:
    """1 / density of the quantile, by the root of the distribution function in many digits."""
    for p in (*ENDS, 0.3, 0.4999999) if name == "ndtri" else (0.5, 0.999, 1 - 2.0**-53, 1e-300, -0.25):
        y = mpf(float(getattr(scalar, name)(np.float64(p))))
        for _ in range(4):  # Newton's steps
            if name == "ndtri":
                exact, below = 1 / mp.npdf(y), mp.erfc(-y / mp.sqrt(2)) / 2
                y -= (mp.log(below) - mp.log(mpf(p))) * below * exact
            else:
                exact = mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
                y -= (mp.erf(y) - mpf(p)) * exact
        assert units(getattr(scalar, f"{name}_derivative")(np.float64(p)), exact) <= 6


def test_gaussian() -> None:
    """Nothing of the square is rounded, in either precision; subnormal results are rounded once."""
    for x in np.random.default_rng(0).uniform(-26, 26, 100):
        assert units(scalar.gaussian(x), mp.exp(-(mpf(x) ** 2))) <= 2
    for x in np.random.default_rng(0).uniform(-10.2, 10.2, 100).astype(np.float32):
        exact = mp.exp(-(mpf(float(x)) ** 2))
        unit = np.spacing(np.maximum(np.float32(exact), np.float32(2.0**-126)))
        assert abs(mpf(float(scalar.gaussian(x))) - exact) <= 3 * mpf(float(unit))


ZEROS = {
    "bessel_j0": (mp.besselj, 0, (2.404825557695773, 5.520078110286311)),
    "bessel_j1": (mp.besselj, 1, (3.8317059702075125, 7.015586669815619)),
    "bessel_y0": (mp.bessely, 0, (0.8935769662791675, 3.957678419314858, 7.086051060301773)),
    "bessel_y1": (mp.bessely, 1, (2.197141326031017, 5.429681040794135)),
}


@pytest.mark.parametrize("name", ZEROS)
def test_bessel_functions_right_beside_zeros(name: str) -> None:
    function, order, zeros = ZEROS[name]
    mp.dps = 50
    for zero in zeros:
        for x in (zero, np.nextafter(zero, 0), np.nextafter(zero, 9), zero * (1 + 1e-9), zero + 0.01):
            assert units(getattr(scalar, name)(np.float64(x)), function(order, mpf(float(x)))) <= 5
    for x in np.random.default_rng(0).uniform(8, 400, 15):
        exact = function(order, mpf(x))
        assert units(getattr(scalar, name)(np.float64(x)), exact) <= max(5, 0.02 / abs(exact))


def test_airy_beside_zeros_and_far_out() -> None:
    for zero in (-2.338107410459767, -4.08794944413097, -5.520559828095551):
        for x in (zero, np.nextafter(zero, 0), np.nextafter(zero, -9), zero + 0.01):
            assert units(scalar.airy_ai(np.float64(x)), mp.airyai(mpf(float(x)))) <= 5
    for x in (1.3, 1.99, 2.5, 30.0, 99.2, -300.0, -1e3, -123456.7):
        assert units(scalar.airy_ai(np.float64(x)), mp.airyai(mpf(x))) <= 7


def test_zeta_and_polygamma_where_powers_leave_the_range() -> None:
    for n, x in ((2, 1e100), (1, 1e148), (110, 1e3), (171, 50.0), (200, 165.5)):
        exact = mp.polygamma(n, mpf(x)) if x < 1e9 else (-1) ** (n + 1) * mp.factorial(n - 1) / mpf(x) ** n
        assert units(scalar.polygamma(np.float64(n), np.float64(x)), exact) <= 30


def test_zeta_where_one_term_is_large_and_the_rest_decays_slowly() -> None:
    for s, q in ((1.0000002606062346, 1.1611367767630573e-16), (1.5, 1e-20), (2.0, 1e-9), (2.5, 1e-5)):
        assert units(scalar.zeta(np.float64(s), np.float64(q)), mp.zeta(mpf(s), mpf(q))) <= 5


@pytest.mark.parametrize("n", [1, 2, 3])
def test_derivatives_of_zeta(n: int) -> None:
    """Where s + n is rounded, where zeta(s + n, q) underflows alone, beside a pole, and for negative q."""
    for s, q in (
        (31.303728369219076, 708.0),
        (321.46885638770163, 9.219520759919517),
        (1856.5483464964896, 1.4706),
        (1.1, 4.9e-16),
        (1.0, 3.0),
        (4.5e15, 1.0),
        (3.0, -2.3),
    ):
        with mp.workdps(400):
            below = 3 if q < 0 else 0  # the terms before 0
            terms = sum((mpf(q) + k) ** -(mpf(s) + n) for k in range(below))
            exact = (-1) ** n * mp.rf(mpf(s), n) * (terms + mp.zeta(mpf(s) + n, mpf(q) + below))
        assert units(scalar.zeta_derivative(n, np.float64(s), np.float64(q)), exact) <= 8


@pytest.mark.parametrize(("s", "q"), [(0.5, 2.0), (2.5, -0.5), (np.nan, 0.0)])
def test_zeta_has_no_derivatives_where_it_has_no_value(s: float, q: float) -> None:
    assert np.isnan(scalar.zeta_derivative(1, np.float64(s), np.float64(q)))


def test_binomial_log_prob_of_small_counts() -> None:
    """Nothing cancels, whether the probabilities add up to 1 or not."""
    for k, j, p, q in ((0.03, 3.3891455802940804, 0.14389941605545734, 0.8207875334844491), (3, 5, 0.375, 0.625)):
        total = mpf(k) + mpf(j)
        ways = mp.loggamma(total + 1) - mp.loggamma(mpf(k) + 1) - mp.loggamma(mpf(j) + 1)
        exact = ways + k * mp.log(p) + j * mp.log(q) - total * (mpf(p) + mpf(q) - 1)
        assert units(scalar.binomial_log_prob(*map(np.float64, (k, j, p, q))), exact) <= 8


def test_digamma_beside_its_first_zero_below_0() -> None:
    for x in (-0.5040830082644554, np.nextafter(-0.5040830082644554, 0), -0.51, -0.3):
        assert units(scalar.digamma(np.float64(x)), mp.digamma(mpf(float(x)))) <= 3
