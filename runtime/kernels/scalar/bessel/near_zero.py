"""Bessel functions of the second kind near 0, of float32: the first terms of their series, branch-free.

With L = ln(x / 2) + gamma, and c = 1 and s = x^2 / 4, or c = 2 / pi and s = -x^2 / 4 for Y0 and Y1, minus K0(x), or
Y0(x), is c (L (1 + s ...) - s ...), and K1(x), or minus Y1(x) where the second term is subtracted, is
c / x + c x (L (2 + s ...) - 1 - 5 s / 4 ...) / 4.
The largest terms, c L of the first two and c / x, are sums of two numbers: so results are rounded once, but for some
tenths of a unit. Arguments x are y 2^more where they may be subnormal; usual ones have -0.0 for `more`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..logarithm import LN2_SINGLE
from ..primitives import bits, choose, fma, from_bits, narrow, polynomial, select

# (f - log(1 + f)) / f^2 for -0.293 < f < 0.4143: error of log(1 + f) at most 2^-27.2
LOG_SHORT = (
    -0.08732136338949203, 0.14441055059432983,  -0.14979495108127594, 0.16552485525608063,
    -0.19953607022762299, 0.25002482533454895,  -0.3333422541618347,  0.4999998211860657,
)  # fmt: skip
# c L for 1 <= x < 2: error at most 2^-16.7
ROUGH_MODIFIED = (
    0.031104007735848427, -0.2887398898601532,  1.1306260824203491,   -2.461221933364868,
    3.5293049812316895,   -2.0569958686828613,
)  # fmt: skip
ROUGH_WAVES = (
    0.01980142667889595,  -0.183817520737648,   0.7197788953781128,   -1.5668625831604004,
    2.2468252182006836,   -1.3095242977142334,
)  # fmt: skip
GROWTH = (0.1666666716337204, 0.5, 1.0)  # (e^x - 1) / x for x < 2^-6, but for 2^-22
LEAST_NORMAL = 2.0**-126
START = 2.0**-31  # half of numbers below count for nothing in a square, which would be subnormal at last
ROOT_HALF = 0.7071067690849304
UNIT = 2.0**23  # what an exponent is worth among the bits of a float32
SIGNIFICAND = (1 << 23) - 1


class Kind(NamedTuple):
    """The factor c as a sum of two numbers, c ln 2 / UNIT likewise, c (gamma - ln 2), and the sign of s."""

    factor: float
    factor_low: float
    ln2: float  # of so few bits that exponents times that have no rounding error
    ln2_low: float
    constant: float
    sign: float


MODIFIED = Kind(1.0, -0.0, LN2_SINGLE[0] / UNIT, LN2_SINGLE[1] / UNIT, -0.11593151837587357, 1.0)
WAVES = Kind(
    *(0.6366197466850281, 2.5682552973194106e-08),
    *(0.441253662109375 / UNIT, 1.7538195606903173e-05 / UNIT),
    *(-0.07380429655313492, -1.0),
)


def logarithm(y: Any, more: Any, kind: Any) -> Any:
    """c L of y 2^more as a sum of two numbers: a multiple of c ln 2, and what is below 0.6 c.

    With y = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), exponents n stay among the bits.
    """
    exponent = narrow(y, (bits(y) - bits(type(y)(ROOT_HALF))) & -(1 << 23))
    n = np.float32(exponent) + more * type(y)(UNIT)
    f = from_bits(y, narrow(y, bits(y) - exponent)) - type(y)(1)
    near = fma(-(f * f), polynomial(f, LOG_SHORT, LOG_SHORT), f)
    return n * type(y)(kind.ln2), fma(n, kind.ln2_low, fma(near, kind.factor, kind.constant))


def rough_logarithm(x: Any, kind: Any, of_octave: Any) -> Any:
    """c L of a normal number to 2^-16, which is enough beside c / x."""
    y = from_bits(x, narrow(x, bits(x) & SIGNIFICAND | bits(type(x)(1))))
    n, ln2 = np.float32(narrow(x, bits(x) - bits(y))), type(x)(kind.ln2) + type(x)(kind.ln2_low)
    return fma(n, ln2, polynomial(y, of_octave, of_octave))


def square_of_half(x: Any, kind: Any) -> Any:
    """s, of the smallest numbers that of a larger one."""
    half = fma(x, 0.5, START)
    return type(x)(kind.sign) * half * half


def order_0(y: Any, more: Any, kind: Any) -> Any:
    """-K0 or Y0 as a sum of two numbers, for x < 2^-5."""
    first, rest = logarithm(y, more, kind)
    return first, fma(square_of_half(y, kind), first + rest - type(y)(kind.factor), rest)


def order_1(x: Any, kind: Any, of_octave: Any) -> Any:
    """c / x, rounded, and what makes K1 of it as a sum, or minus Y1 as a difference; for x < 2^-5."""
    factor, square = type(x)(kind.factor), square_of_half(x, kind)
    constants = fma(square, factor * type(x)(-0.3125), factor * type(x)(-0.25))
    bracket = fma(rough_logarithm(x, kind, of_octave), fma(square, 0.25, 0.5), constants)
    inverse = type(x)(1) / x
    value = factor * inverse
    lost = (fma(-value, x, factor) + type(x)(kind.factor_low)) * inverse
    return value, fma(x, bracket, type(x)(kind.sign) * lost)


def k0_near_zero(y: Any, more: Any) -> Any:
    """K0 of y 2^more < 2^-5."""
    first, rest = order_0(y, more, MODIFIED)
    return -(first + rest)


def k0e_near_zero(y: Any, more: Any) -> Any:
    """e^x K0 of y 2^more < 2^-6."""
    first, rest = order_0(y, more, MODIFIED)
    return -(first + fma(first + rest, growth(y), rest))


def k1_near_zero(x: Any) -> Any:
    """K1 of a normal number x < 2^-5."""
    value, rest = order_1(x, MODIFIED, ROUGH_MODIFIED)
    return value + rest


def k1e_near_zero(x: Any) -> Any:
    """e^x K1 of a normal number x < 2^-6."""
    value, rest = order_1(x, MODIFIED, ROUGH_MODIFIED)
    return value + fma(value + rest, growth(x), rest)


def growth(x: Any) -> Any:
    """e^x - 1; of subnormal numbers, which are given as larger ones, more than that, and not too much."""
    return x * polynomial(x, GROWTH, GROWTH)


def y0_near_zero(y: Any, more: Any) -> Any:
    """Y0 of y 2^more < 2^-5."""
    first, rest = order_0(y, more, WAVES)
    return first + rest


def y1_near_zero(x: Any) -> Any:
    """Y1 of a normal number x < 2^-5."""
    value, rest = order_1(x, WAVES, ROUGH_WAVES)
    return rest - value


def of_positive(x: Any, value: Any) -> Any:
    """A value for x > 0, infinity at 0, and nan below it and of nan."""
    return select(x > 0, value, select(x == 0, choose(x, math.inf, math.inf), choose(x, math.nan, math.nan)))


def or_pole(x: Any, value: Any, factor: Any) -> Any:
    """A factor over x for a subnormal float32, else a value."""
    return select(x < LEAST_NORMAL, type(x)(factor) / x, value)
