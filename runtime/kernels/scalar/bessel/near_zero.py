"""Bessel functions of the second kind near 0, of float32: the first terms of their series, branch-free.

With L = ln(x / 2) + gamma, and c = -1 and s = x^2 / 4 for K0(x), c = 2 / pi and s = -x^2 / 4 for Y0(x), order 0 is
c (L (1 + s ...) - s ...). With c = 1 for K1(x) and -2 / pi for Y1(x), and s as before, order 1 is
c / x + x |c| (L (2 + s ...) - 1 - 5 s / 4 ...) / 4.
The largest terms, c L of the first and c / x, are sums of two numbers: so results are rounded once, but for some
tenths of a unit. Arguments x are y 2^more where they may be subnormal; usual ones have -0.0 for `more`. Squares are
factors of larger numbers first, as those of small numbers would be subnormal.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..logarithm import LN2_SINGLE
from ..primitives import bits, choose, fma, from_bits, narrow, polynomial, select

# (f - log(1 + f)) / f^2 for -0.293 < f < 0.4143: error of log(1 + f) at most 2^-24.6, where L is -3.4 at most
LOG_SHORT = (
    0.10035191476345062, -0.16335830092430115, 0.1732587218284607, -0.19888247549533844,
    0.24961474537849426, -0.33335262537002563, 0.500005841255188,
)  # fmt: skip
# |c| (L / 2 - 1 / 4) for 1 <= x < 2: error at most 2^-17.8, 2^-15 and 2^-18.4
ROUGH_MODIFIED = (
    0.01555185578763485, -0.14436876773834229, 0.5653094053268433, -1.2306056022644043,
    1.7646485567092896,  -1.2784968614578247,
)  # fmt: skip
ROUGH_SCALED = (
    -0.028285544365644455,
    0.22358733415603638,
    -0.7349657416343689,
    1.4105819463729858,
    -1.1788533926010132,
)
ROUGH_WAVES = (
    0.009900598786771297, -0.09190790355205536, 0.35988691449165344, -0.7834275960922241,
    1.1234099864959717,   -0.8139163255691528,
)  # fmt: skip
GROWTH = (0.1666666716337204, 0.5, 1.0)  # (e^x - 1) / x for x < 2^-6, but for 2^-22
SCALED = (5 / 12, 3 / 4, 1.0)  # ((1 + x^2 / 4) e^x - 1) / x likewise
LEAST_NORMAL = 2.0**-126
ROOT_HALF = 0.7071067690849304
UNIT = 2.0**23  # what an exponent is worth among the bits of a float32
SIGNIFICAND = (1 << 23) - 1


class Logarithm(NamedTuple):
    """Order 0: c, c ln 2 / UNIT as a sum of two numbers, c (gamma - ln 2), and the sign of s."""

    factor: float
    ln2: float  # of so few bits that exponents times that have no rounding error
    ln2_low: float
    constant: float
    sign: float


class Pole(NamedTuple):
    """Order 1: c as a sum of two numbers, |c| ln 2 / 2 / UNIT, and the sign of s."""

    factor: float
    factor_low: float
    half_ln2: float
    sign: float


K0 = Logarithm(-1.0, -LN2_SINGLE[0] / UNIT, -LN2_SINGLE[1] / UNIT, 0.11593151837587357, 1.0)
Y0 = Logarithm(0.6366197466850281, 0.441253662109375 / UNIT, 1.7538195606903173e-05 / UNIT, -0.07380429655313492, -1.0)
K1 = Pole(1.0, -0.0, 0.34657359 / UNIT, 1.0)
Y1 = Pole(-0.6366197466850281, -2.5682552973194106e-08, 0.2206356 / UNIT, -1.0)


def logarithm(y: Any, more: Any, kind: Any) -> Any:
    """c L of y 2^more: n, to be multiplied by `kind.ln2`, and a number below 0.6 |c| to add to that.

    With y = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), exponents n stay among the bits.
    """
    exponent = narrow(y, (bits(y) - bits(type(y)(ROOT_HALF))) & -(1 << 23))
    n = np.float32(exponent) + more * type(y)(UNIT)
    f = from_bits(y, narrow(y, bits(y) - exponent)) - type(y)(1)
    near = fma(-(f * f), polynomial(f, LOG_SHORT, LOG_SHORT), f)
    return n, fma(near, kind.factor, fma(n, kind.ln2_low, kind.constant))


def order_0(y: Any, more: Any, kind: Any) -> Any:
    """K0 or Y0 of x < 2^-5."""
    n, rest = logarithm(y, more, kind)
    fourth = type(y)(kind.sign * 0.25)
    term = y * fma(fma(n, kind.ln2, rest), fourth, -fourth * type(y)(kind.factor))
    return fma(n, kind.ln2, fma(y, term, rest))


def k0_near_zero(y: Any, more: Any) -> Any:
    """K0 of y 2^more < 2^-5."""
    return order_0(y, more, K0)


def y0_near_zero(y: Any, more: Any) -> Any:
    """Y0 of y 2^more < 2^-5."""
    return order_0(y, more, Y0)


def k0e_near_zero(y: Any, more: Any) -> Any:
    """e^x K0 of y 2^more < 2^-6: -L (1 + s) e^x + s e^x."""
    n, rest = logarithm(y, more, K0)
    square = y * fma(y, 0.25, 0.25)
    term = fma(fma(n, K0.ln2, rest), polynomial(y, SCALED, SCALED), square)
    return fma(n, K0.ln2, fma(y, term, rest))


def rough_logarithm(x: Any, kind: Any, of_octave: Any) -> Any:
    """|c| (L / 2 - 1 / 4) of a normal number to 2^-15, which is enough beside c / x."""
    y = from_bits(x, narrow(x, bits(x) & SIGNIFICAND | bits(type(x)(1))))
    return fma(np.float32(narrow(x, bits(x) - bits(y))), kind.half_ln2, polynomial(y, of_octave, of_octave))


def order_1(x: Any, kind: Any, of_octave: Any) -> Any:
    """c / x as a sum of two numbers, and the factor of x beside it; for x < 2^-5."""
    factor, eighth = type(x)(kind.factor), type(x)(kind.sign * 0.125)
    inverse = type(x)(1) / x
    value = factor * inverse
    lost = (fma(-value, x, factor) + type(x)(kind.factor_low)) * inverse
    large = rough_logarithm(x, kind, of_octave)
    term = x * fma(large, eighth, -eighth * abs(factor) * type(x)(0.375))
    return value, lost, fma(x, term, large)


def k1_near_zero(x: Any) -> Any:
    """K1 of a normal number x < 2^-5."""
    value, lost, slope = order_1(x, K1, ROUGH_MODIFIED)
    return value + fma(x, slope, lost)


def y1_near_zero(x: Any) -> Any:
    """Y1 of a normal number x < 2^-5."""
    value, lost, slope = order_1(x, Y1, ROUGH_WAVES)
    return value + fma(x, slope, lost)


def k1e_near_zero(x: Any) -> Any:
    """e^x K1 of a normal number x < 2^-6: with g = (e^x - 1) / x, 1 / x + g + x slope (1 + x g)."""
    value, lost, slope = order_1(x, K1, ROUGH_SCALED)
    growth = polynomial(x, GROWTH, GROWTH)
    return value + (fma(x * slope, fma(x, growth, 1.0), growth) + lost)


def of_positive(x: Any, value: Any) -> Any:
    """A value for x > 0, infinity at 0, and nan below it and of nan."""
    return select(x > 0, value, select(x == 0, choose(x, math.inf, math.inf), choose(x, math.nan, math.nan)))


def or_pole(x: Any, value: Any, factor: Any) -> Any:
    """A factor over x for a subnormal float32, else a value."""
    return select(x < LEAST_NORMAL, type(x)(factor) / x, value)
