"""sin(x) / x and sin(pi x) / (pi x), and derivatives. float32 is computed by pieces near 0, and sin(x) / x beyond in
float64."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, from_bits, narrow, polynomial, select
from .bessel import inverse_of, sine_ahead
from .gamma import SINE, sine_of_half
from .piecewise_polynomial import by_pieces_with_derivatives, is_nearer, is_small, small_piece, smaller_piece
from .tables import table
from .trig import cos_double, sin, sin_double

RATIO_OF_SINE_TABLE, SINC_TABLE = map(table, ("ratio_of_sine", "sinc"))
PI = 3.141592653589793
TWO_52, TWO_53 = 2.0**52, 2.0**53
SIGN = -(2**63)
LAST_TERM = 1e-18

INTEGRAL_FROM = 8388608.0  # 2^23: from here on all float32 are whole
SINE_SINGLE = tuple(c / PI for c in SINE[-8:])  # sin(pi x) / (pi x) in 8 x^2 - 1


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x); error at most 2.5 ulp, and in float32 1.5 ulp for |x| < 7.75."""
    return choose(x, sinc_single, sinc_double)(x)


def sinc_single(x: Any) -> Any:
    return select(is_nearer(x), sinc_small(x), sinc_asymptotic(abs(x)))


def sinc_small(x: Any) -> Any:
    return by_pieces_with_derivatives(abs(x), smaller_piece(abs(x)), SINC_TABLE)


def sinc_asymptotic(x: Any) -> Any:
    """The same of a float32 above 0: the distance of a whole number is exact, whose last bit tells the sign."""
    shifted = x + type(x)(INTEGRAL_FROM)
    rest = x - select(x < INTEGRAL_FROM, shifted - type(x)(INTEGRAL_FROM), x)
    odd = from_bits(x, bits(rest) ^ narrow(x, bits(shifted) << 31))
    value = odd * polynomial(type(x)(8) * rest * rest - type(x)(1), SINE_SINGLE, SINE_SINGLE) / x
    return select(x < math.inf, value, select(x != x, x, type(x)(0)))


def sinc_double(x: Any) -> Any:
    sine, _ = parts_of_turn(x)
    return select(x == 0, 1.0, select(abs(x) == math.inf, 0.0, sine / (PI * x)))


def parts_of_turn(x: Any) -> Any:
    """sin(pi x) and cos(pi x) of a float64: the distance of a whole number is exact."""
    size = abs(x)
    shifted = size + TWO_52
    rest = select(size < TWO_52, size - (shifted - TWO_52), select(size < math.inf, 0.0, size - size))
    odd = select(size < TWO_53, bits(select(size < TWO_52, shifted, size)) << 63, 0)
    sine, cosine = sine_of_half(rest), sine_of_half(0.5 - abs(rest))
    return from_bits(x, bits(sine) ^ odd ^ (bits(x) & SIGN)), from_bits(x, bits(cosine) ^ odd)


def sinc_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of sinc(x)."""
    wide = np.float64(x)
    sine, cosine = parts_of_turn(wide)
    return type(x)(ratio_derivative(n, wide, PI, sine / PI, cosine))


def spherical_bessel_j0_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of sin(x) / x."""
    wide = np.float64(x)
    return type(x)(ratio_derivative(n, wide, 1.0, sin_double(wide), cos_double(wide)))


def ratio_derivative(n: Any, x: Any, w: Any, sine: Any, cosine: Any) -> Any:
    """The derivative of order n of s(x) / x for s(x) = sin(w x) / w, with s(x) and its derivative cos(w x) given."""
    if abs(x) == math.inf:
        return 0.0
    if abs(w * x) < n + 1.5:
        return ratio_series(n, x, w)
    value, k, even, odd = sine / x, 0.0, sine, cosine
    while k < n:
        k += 1.0
        even, odd = odd, -w * w * even
        value = (even - k * value) / x
    return value


def ratio_series(n: Any, x: Any, w: Any) -> Any:
    """By the terms (-1)^k (w x)^(2k) / (2k + 1)!."""
    power, term = 0.0, 1.0
    while power < n:
        power += 2.0
        term *= -w * w / (power * (power + 1.0))
    k = 0.0
    while k < n:
        term *= power - k
        k += 1.0
    if power > n:
        term *= x
    total = 0.0
    while abs(term) > LAST_TERM * abs(total):
        total += term
        power += 2.0
        grown = power * (power - 1.0) / ((power - n) * (power - n - 1.0))
        term *= -w * w * x * x / (power * (power + 1.0)) * grown
    return total


def spherical_bessel_j0(x: Any) -> Any:
    """sin(x) / x; error at most 1.2 ulp in float32, and 1.5 for |x| < 3 in float64."""
    return choose(x, ratio_of_sine_single, ratio_of_sine_double)(x)


def ratio_of_sine_single(x: Any) -> Any:
    return select(is_small(x), ratio_of_sine_small(x), ratio_of_sine_asymptotic(x))


def ratio_of_sine_small(x: Any) -> Any:
    return by_pieces_with_derivatives(abs(x), small_piece(abs(x)), RATIO_OF_SINE_TABLE)


def ratio_of_sine_asymptotic(x: Any) -> Any:
    value = np.float32(sine_ahead(np.float64(x), 0.0) * inverse_of(x))
    return select(abs(x) == math.inf, type(x)(0), value)


def ratio_of_sine_double(x: Any) -> Any:
    if abs(x) == math.inf:
        return 0.0
    return 1.0 if x == 0.0 else sin(x) / x
