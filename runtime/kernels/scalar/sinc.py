"""sin(x) / x and sin(pi x) / (pi x). float32 is computed by pieces near 0, and sin(x) / x beyond in float64."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, from_bits, narrow, polynomial, select
from .bessel import inverse_of, sine_ahead
from .gamma import SINE
from .piecewise_polynomial import by_pieces_with_derivatives, is_nearer, is_small, small_piece, smaller_piece
from .tables import table
from .trig import sin

RATIO_OF_SINE_TABLE, SINC_TABLE = map(table, ("ratio_of_sine", "sinc"))
PI = 3.141592653589793


INTEGRAL_FROM = 8388608.0  # 2^23: from here on all float32 are whole
SINE_SINGLE = tuple(c / PI for c in SINE[-8:])  # sin(pi x) / (pi x) in 8 x^2 - 1


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x); error at most 2.5 ulp in float32, 1.5 ulp for |x| < 7.75, and about 2^-52 in float64."""
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
    return odd * polynomial(type(x)(8) * rest * rest - type(x)(1), SINE_SINGLE, SINE_SINGLE) / x


def sinc_double(x: Any) -> Any:
    return select(x == 0, 1.0, sin(PI * x) / (PI * x))


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
