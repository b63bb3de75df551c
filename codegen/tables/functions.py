"""The functions of float32 that are computed by pieces: where, and what they are in the words of SciPy in float64.

The functions of float64 of runtime/kernels/scalar/ have no part in it, so that neither hides a mistake of the other.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import special

from specgrad.runtime.kernels.scalar.bessel import SHIFT

from .fit import (
    ByPowers,
    Piece,
    best_center,
    error,
    error_of_product,
    fitted,
    linear,
    logarithmic,
    mirrored,
    mixed,
    shifted,
    single,
)

TWO_OVER_PI = 2.0 / np.pi
Function = Callable[[np.ndarray], np.ndarray]


def logarithm(x: np.ndarray) -> np.ndarray:
    return np.log(x / 2.0) + np.euler_gamma


def order_0(function: Function, factor: float, lower_bound: float) -> Function:
    """A function; in the doubling from `least` on a factor times the logarithm, less what exponents are worth there."""
    exponents = (np.log2(lower_bound) + SHIFT) * np.log(2.0)
    return lambda x: np.where(x < 2.0 * lower_bound, factor * (logarithm(x) - exponents), function(x))


def zero_of_logarithm(lower_bound: float) -> tuple[float]:
    return (lower_bound * 2.0 ** (1.0 + SHIFT) * float(np.exp(-np.euler_gamma)),)


def order_1(function: Function, factor: float, lower_bound: float) -> Function:
    """A function; in the doubling from `least` on a factor times half of the logarithm, less 1/4."""
    return lambda x: np.where(x < 2.0 * lower_bound, factor * (0.5 * logarithm(x) - 0.25), function(x))


k0 = order_0(special.k0, -1.0, 2.0**-5)
k0e = order_0(special.k0e, -1.0, 2.0**-6)
y0 = order_0(special.y0, TWO_OVER_PI, 2.0**-5)
k1 = order_1(special.k1, 1.0, 2.0**-5)
k1e = order_1(special.k1e, 1.0, 2.0**-6)
y1 = order_1(special.y1, TWO_OVER_PI, 2.0**-5)


SMALL = 1e-9  # up to here a ratio is that of the first terms of series


def odds_ratio(x: np.ndarray) -> np.ndarray:
    """-log(x / (1 - x)) for x < 1/4, from there on log(x / (1 - x)) / (x - 1/2)."""
    z = np.where(np.abs(2.0 * x - 1.0) < SMALL, SMALL, 2.0 * x - 1.0)
    return np.where(x < 0.25, -special.logit(x), 4.0 * np.arctanh(z) / z)


def over_x(function: Function, small: float = SMALL) -> Function:
    """function(x) / x, which is 1 up to `small`."""
    return lambda x: np.divide(function(x), x, out=np.ones_like(x), where=np.abs(x) > small)


asinh_ratio = over_x(np.arcsinh)
atanh_ratio = over_x(lambda x: np.log1p(2.0 * x / (1.0 - x)) / 2.0)
ratio_of_sine = over_x(np.sin, 0.0)


def acosh_ratio(x: np.ndarray) -> np.ndarray:
    root = np.sqrt(np.maximum(x, SMALL))
    return np.where(x < SMALL, np.sqrt(2.0) * (1.0 - x / 12.0), np.log1p(x + root * np.sqrt(x + 2.0)) / root)


def erfinv_ratio(x: np.ndarray) -> np.ndarray:
    clipped = np.maximum(x, 1e-30)
    return np.where(x < 0.5, special.erfinv(clipped), special.erfcinv(1.0 - clipped)) / clipped


def ndtri_ratio(y: np.ndarray) -> np.ndarray:
    """-ndtri(y) for y < 1/4, from there on ndtri(y) / (y - 1/2)."""
    z = np.where(np.abs(y - 0.5) < 1e-9, 1e-9, 2.0 * y - 1.0)
    return np.where(y < 0.25, -special.ndtri(y), np.sqrt(8.0) * special.erfinv(z) / z)


def ndtri_factor(y: np.ndarray) -> np.ndarray:
    return np.where(y < 0.25, np.float32(1.0), y - np.float32(0.5))


def erfc_logarithm(x: np.ndarray) -> np.ndarray:
    above, below = np.maximum(x, 0.0), np.minimum(x, 0.0)
    clipped = np.log1p(special.erf(-below)) / np.log(2.0)
    return np.where(x < 0, clipped, erfcx_logarithm(above) - above * above / np.log(2.0))


def erfc_derivative(x: np.ndarray) -> np.ndarray:
    return -2.0 / np.sqrt(np.pi) / np.log(2.0) / special.erfcx(x)


def erfcx_logarithm(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.log2(special.erfcx(x)))


def erfcx_derivative(x: np.ndarray) -> np.ndarray:
    return 2.0 * x / np.log(2.0) + erfc_derivative(x)


class ByPieces(NamedTuple):
    """A function, what its table's docstring calls it, its pieces, and the places where it is zero.

    Polynomials have so many coefficients; with `slopes` those around zeros have another, which is added last. What
    errors are measured of is the product with `factor`, if there is one, a function of float32.
    """

    name: str
    doc: str
    function: Callable[[np.ndarray], np.ndarray]
    pieces: list[Piece]
    zeros: tuple[float, ...] = ()
    coefficients: int = 8
    derivatives: bool = False
    factor: Callable[[np.ndarray], np.ndarray] | None = None

    def column(self, piece: Piece) -> list[float]:
        made = [
            fitted(self.function, piece, center, self.coefficients, derivative)
            for center in self.centers(piece)
            for derivative in self.derivatives_of(piece, center)
        ]
        return min(made, key=lambda column: self.error(piece, column))

    def derivatives_of(self, piece: Piece, center: float) -> list[float] | list[None]:
        if not self.derivatives:
            return [None]
        if center not in singles(self.zeros):
            return [0.0]
        x = np.array([piece.low, (piece.low + piece.high) / 2, piece.high, center + 1e-3 * (piece.high - piece.low)])
        x = x[np.abs(x - center) > 1e-4 * (piece.high - piece.low)]
        return singles((self.function(x) - self.function(np.array([center]))) / (x - center))

    def error(self, piece: Piece, column: list[float]) -> float:
        if self.factor is not None:
            return error_of_product(self.function, piece, column, self.factor)
        return error(self.function, piece, column, self.derivatives)

    def centers(self, piece: Piece) -> list[float]:
        width = piece.high - piece.low
        inside = [zero for zero in self.zeros if piece.low <= zero <= piece.high]
        nearby = [zero for zero in self.zeros if piece.low - width < zero < piece.high + width]
        if inside or piece.low == 0.0:
            return singles(inside or [0.0])
        return [*singles(nearby), *(best_center(self.function, piece, part) for part in PARTS)]


PARTS = (0.3, 0.4, 0.5, 0.6, 0.7)  # of a piece, where its center may be: where the function is smaller, often


def singles(values: Sequence[float]) -> list[float]:
    return [single(value) for value in values]


def sinc(x: np.ndarray) -> np.ndarray:
    integral = np.rint(x)
    sine = np.sin(np.pi * (x - integral)) * (1.0 - 2.0 * np.abs(np.fmod(integral, 2.0)))
    return np.divide(sine, np.pi * x, out=np.ones_like(x), where=x != 0)


def airy(x: np.ndarray) -> np.ndarray:
    return np.asarray(special.airy(x)[0])


POSITIVE_PIECES = logarithmic(2.0**-6, 2, 32)  # of positive numbers
MIXED = mixed(2.0**-5, 2.5)
SHORT_OF_ONE = mirrored(1.0 - 2.0**-24, logarithmic(2.0**-16, 2, 32))
TAIL = logarithmic(1.5 * 2.0**-17, 2, 32)
TAIL[-1] = TAIL[-1]._replace(high=0.53)  # 1/2 is all that is needed of it
MIRRORED = linear(0.5, 32, -16)  # from -8 to 7.5
FROM_ZERO = logarithmic(0.125, 2, 16, from_zero=True)
TO_ONE = mirrored(1.0 - 2.0**-24, logarithmic(2.0**-16, 1, 16))
TO_HALF = logarithmic(2.0**-15, 1, 16)
TO_HALF[-2:] = [piece._replace(low=0.5, high=0.53) for piece in TO_HALF[-2:]]  # the last one has no arguments
SMALL_RANGE = "for 0 <= x < 15.5"
POSITIVE = "for 2^-6 <= x < 2^10"
BESIDE_LOGARITHM = "from 2^-5 to 2^10, and L below,"  # which is a logarithm: see kernels/scalar/bessel.py
SHORT_OF_21 = "from 2^-4 to 21.5, and L below,"

Y0_ZEROS = (*zero_of_logarithm(2.0**-5), *special.y0_zeros(8)[0].real)
SINE_ZEROS = tuple(np.pi * np.arange(1, 7))

Table = ByPieces | ByPowers

FUNCTIONS: tuple[Table, ...] = (
    ByPieces("i0", "I0(x) for 0 <= x < 15.5", special.i0, linear(1.0)),
    ByPieces("i0e", "e^-x I0(x) for 0 <= x < 15.5", special.i0e, linear(1.0)),
    ByPieces("i1", "I1(x) for 0 <= x < 15.5", special.i1, linear(1.0), zeros=(0.0,)),
    ByPieces("i1e", "e^-x I1(x) for 0 <= x < 15.5", special.i1e, linear(1.0), zeros=(0.0,)),
    ByPieces(*("digamma", f"digamma(x) {POSITIVE}", special.digamma, POSITIVE_PIECES, (1.4616321449683622,), 9, True)),
    ByPieces("lgamma", f"lgamma(x) {POSITIVE}", special.gammaln, POSITIVE_PIECES, (1.0, 2.0), 9, derivatives=True),
    ByPieces("trigamma", f"trigamma(x) {POSITIVE}", partial(special.polygamma, 1), POSITIVE_PIECES, coefficients=9),
    ByPieces("k0e", f"e^x K0(x) {BESIDE_LOGARITHM}", k0e, POSITIVE_PIECES, zero_of_logarithm(2.0**-6)),
    ByPieces("k1e", f"e^x K1(x) {BESIDE_LOGARITHM}", k1e, POSITIVE_PIECES),
    ByPieces("k0", f"K0(x) {SHORT_OF_21}", k0, MIXED, zero_of_logarithm(2.0**-5)),
    ByPieces("k1", f"K1(x) {SHORT_OF_21}", k1, MIXED),
    ByPieces("y0", f"Y0(x) {SHORT_OF_21}", y0, MIXED, Y0_ZEROS, derivatives=True),
    ByPieces("y1", f"Y1(x) {SHORT_OF_21}", y1, MIXED, tuple(special.y1_zeros(8)[0].real), derivatives=True),
    ByPieces("j0", f"J0(x) {SMALL_RANGE}", special.j0, linear(1.0), tuple(special.jn_zeros(0, 6)), derivatives=True),
    ByPieces("j1", f"J1(x) {SMALL_RANGE}", special.j1, linear(1.0), (0.0, *special.jn_zeros(1, 6)), derivatives=True),
    ByPieces("ratio_of_sine", f"sin(x) / x {SMALL_RANGE}", ratio_of_sine, linear(1.0), SINE_ZEROS, derivatives=True),
    ByPieces("sinc", "sinc(x) for 0 <= x < 7.75", sinc, linear(0.5), tuple(map(float, range(1, 9))), derivatives=True),
    ByPieces("airy", "Ai(x) for |x| < 7.75", airy, MIRRORED, tuple(special.ai_zeros(6)[0]), derivatives=True),
    ByPieces("log_odds", "-log(x / (1 - x)) for x <= 1/2", odds_ratio, TO_HALF, (), 10, factor=ndtri_factor),
    ByPieces("asinh", "asinh(x) / x for 0 <= x < 32", asinh_ratio, FROM_ZERO, factor=np.positive),
    ByPieces("acosh", "acosh(1 + x) / sqrt(x) for 0 <= x < 32", acosh_ratio, FROM_ZERO, factor=np.sqrt),
    ByPieces("atanh", "atanh(x) / x for 0 <= x < 1 - 2^-16", atanh_ratio, TO_ONE, (), 9, factor=np.positive),
    ByPieces("erfinv", "erfinv(x) / x for 0 <= x < 1 - 2^-16", erfinv_ratio, SHORT_OF_ONE, factor=np.positive),
    ByPieces("ndtri", "-ndtri(y), over 1/2 - y from 1/4 on,", ndtri_ratio, TAIL, factor=ndtri_factor),
    ByPieces("log_ndtr", "log_ndtr(x) for -9 < x <= 6", special.log_ndtr, mirrored(7.0, logarithmic(1.0, 8, 32))),
    ByPieces("tanh", "tanh(x) for 0 <= x < 9.375", np.tanh, shifted(0.625, 4), (0.0,), 6),
    ByPowers("erfc", "erfc(x) for |x| < 7.75", special.erfc, erfc_logarithm, erfc_derivative, MIRRORED, 5),
    ByPowers("erfcx", "erfcx(x) for |x| < 7.75", special.erfcx, erfcx_logarithm, erfcx_derivative, MIRRORED, 5),
)
