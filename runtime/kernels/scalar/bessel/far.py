"""Modified Bessel functions far from 0, of float32, branch-free.

sqrt(2 x / pi) e^x K(x) and sqrt(2 pi x) e^-x I(x) are 1 + P(1 / x) / x. What follows the leading 1 is added last, as is
what e^r has beyond 1, and what the root was rounded by: so results are rounded once, but for some tenths of a unit.
Coefficients, the highest power first, are those of Chebyshev interpolation, computed with 50 digits.
"""

from __future__ import annotations

import math
from typing import Any

from ..exponential import EXP_SINGLE, clamped, reduced, scaled
from ..primitives import bits, fma, from_bits, narrow, polynomial, root, select

# P of I0 and I1 for x >= 15.5, and of K0 and K1 for x >= 21.5: P(1 / x) / x is wrong by 2^-31 at most
I0_ASYMPTOTIC = (0.364564083620851, 0.10325148556002298, 0.07346736823257169, 0.07031045706251604, 0.12500000389169208)
I1_ASYMPTOTIC = (
    -0.4384234656653997,
    -0.13380747557825437,
    -0.10280156938315128,
    -0.11718511969647824,
    -0.37500000453370724,
)
K0_FAR_SINGLE = (0.09359724672289925, -0.07270843171977714, 0.0703072025320282, -0.12499998914487813)
K1_FAR_SINGLE = (-0.12140758787802791, 0.10188247768223567, -0.1171809792014793, 0.37499998663587325)
# 1 / (2 pi) and pi / 2 as sums of two float32
INVERSE_TURN = (0.15915493667125702, 6.4206382432985265e-09)
QUARTER_TURN = (1.5707963705062866, -4.371138828673793e-08)
START = 21.0  # where they begin, or before
NOTHING = 104.0  # K0 and K1 from here on are less than half of the least float32
OVERFLOW = 93.0  # I0 and I1 from here on are more than the largest
MIN_EXPONENT = 149  # 2^-149 is the least float32
NORMAL = 2.0**23  # times that is the least normal one; from here on the last bit is worth 1


def root_asymptotic(x: Any, constant: Any, series: Any) -> Any:
    """sqrt(constant / x) (1 + P(1 / x) / x) as value (1 + rest): the value, and the rest."""
    high, part = type(x)(constant[0]), type(x)(1) / x
    value = root(high * part)
    product = x * value
    lost = fma(-value, product, high) + fma(-value, fma(x, value, -product), constant[1])
    return value, fma(part, polynomial(part, series, series), lost * type(x)(0.5 / constant[0]))


def times_exp(x: Any, value: Any, rest: Any) -> Any:
    """value (1 + rest) e^x as a number, and k, a power of two to multiply it by."""
    k, r, low = reduced(x)
    total = r + low
    tail = fma(total * total, polynomial(total, EXP_SINGLE, EXP_SINGLE), low)
    growth = type(x)(1) + (r + tail)
    return fma(value, r + fma(rest, growth, tail), value), k


def with_root(x: Any, constant: Any, series: Any) -> Any:
    """The number that `root_asymptotic` is the parts of; 0 at infinity."""
    value, rest = root_asymptotic(x, constant, series)
    return select(x == math.inf, type(x)(0), fma(value, rest, value))


def i0e_asymptotic(x: Any) -> Any:
    """e^-x I0(x) for x >= 15.5; error at most 0.6 ulp."""
    return with_root(x, INVERSE_TURN, I0_ASYMPTOTIC)


def i1e_asymptotic(x: Any) -> Any:
    """e^-x I1(x) for x >= 15.5; error at most 0.6 ulp."""
    return with_root(x, INVERSE_TURN, I1_ASYMPTOTIC)


def k0e_asymptotic(x: Any) -> Any:
    """e^x K0(x) for x >= 21.5; error at most 0.6 ulp."""
    return with_root(x, QUARTER_TURN, K0_FAR_SINGLE)


def k1e_asymptotic(x: Any) -> Any:
    """e^x K1(x) for x >= 21.5; error at most 0.6 ulp."""
    return with_root(x, QUARTER_TURN, K1_FAR_SINGLE)


def i0_asymptotic(x: Any) -> Any:
    """I0(x) for x >= 15.5; error at most 1.1 ulp."""
    return growing(x, I0_ASYMPTOTIC)


def i1_asymptotic(x: Any) -> Any:
    """I1(x) for x >= 15.5; error at most 1.1 ulp."""
    return growing(x, I1_ASYMPTOTIC)


def k0_asymptotic(x: Any) -> Any:
    """K0(x) for x >= 21.5; error at most 1.1 ulp; of nan a number."""
    return falling(x, K0_FAR_SINGLE)


def k1_asymptotic(x: Any) -> Any:
    """K1(x) for x >= 21.5; error at most 1.1 ulp; of nan a number."""
    return falling(x, K1_FAR_SINGLE)


def growing(x: Any, series: Any) -> Any:
    """The product with e^x, infinite from where it is more than the largest float32."""
    size = select(x > OVERFLOW, type(x)(OVERFLOW), x)
    value, rest = root_asymptotic(size, INVERSE_TURN, series)
    product, k = times_exp(size, value, rest)
    return scaled(product, k)


def falling(x: Any, series: Any) -> Any:
    """The product with e^-x."""
    size = clamped(x, type(x)(START), type(x)(NOTHING))
    value, rest = root_asymptotic(size, QUARTER_TURN, series)
    product, k = times_exp(-size, value, rest)
    return scaled_down(product, k)


def scaled_down(x: Any, k: Any) -> Any:
    """x 2^k for 0 < x < 1 and -151 <= k < -20, rounded once.

    Subnormal numbers, which would take many processors a hundred times as long, are sums of whole numbers till the end.
    """
    units = from_bits(x, narrow(x, bits(x) + ((k + MIN_EXPONENT) << 23)))
    integral = narrow(x, bits(units + type(x)(NORMAL)) - bits(type(x)(NORMAL)))
    return from_bits(x, select(units < NORMAL, integral, narrow(x, bits(x) + (k << 23))))
