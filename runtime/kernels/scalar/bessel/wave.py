"""Bessel functions far from 0, of float32: sqrt(2 / (pi x)) M sin(x + a + phase), branch-free.

The angle is counted in half turns in float64, exact to 2^-50: so results are right next to zeros too, where the sine is
that of a small rest. M / sqrt(pi / 2) is a polynomial in 1 / x^2, and the phase over pi one times 1 / x, the highest
power first: Chebyshev interpolation for x >= 15.5, computed with 50 digits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..circular import SIGNED_INTEGRAL_FROM, SIN_WIDE, half_turn
from ..primitives import bits, fma, from_bits, polynomial, root, select

# Of order 0 and 1: relative error at most 2^-36
SIZE_0 = (-0.39786278451942575, 0.08250446500535559, -0.04986771172126859, 0.7978845607933005)
SIZE_1 = (0.5955934747020891, -0.15415970453320893, 0.14960325729285612, 0.7978845608156314)
# Of half turns: error at most 2^-50
PHASE_0 = (
    118.11465498426065,    -7.250998893702448,   0.5209568249510498,    -0.06670786812919428,
    0.02072329972832609,   -0.039788735772964885,
)  # fmt: skip
PHASE_1 = (
    -147.25251449389623,   9.482815482219912,    -0.7536562888085977,   0.11806011846581209,
    -0.05222271551787843,  0.11936620731891076,
)  # fmt: skip
EIGHTH = 0.25  # half turns


def j0_asymptotic(x: Any) -> Any:
    """J0 of a float32 x >= 15.5; error at most 0.7 ulp."""
    return modulus_and_phase(x, EIGHTH, PHASE_0, SIZE_0)


def y0_asymptotic(x: Any) -> Any:
    """Y0 of such a float32; error at most 0.7 ulp."""
    return modulus_and_phase(x, -EIGHTH, PHASE_0, SIZE_0)


def j1_asymptotic(x: Any) -> Any:
    """J1 of such a float32; error at most 0.7 ulp."""
    return modulus_and_phase(x, -EIGHTH, PHASE_1, SIZE_1)


def y1_asymptotic(x: Any) -> Any:
    """Y1 of such a float32; error at most 0.7 ulp."""
    return modulus_and_phase(x, -3.0 * EIGHTH, PHASE_1, SIZE_1)


def modulus_and_phase(x: Any, ahead: Any, phases: Any, sizes: Any) -> Any:
    """sqrt(2 / (pi x)) M sin(x + phase), and as many half turns ahead."""
    wide, inverse_root = np.float64(x), root_of_inverse(x)
    part = inverse_root * inverse_root
    square = part * part
    sine = sine_ahead(wide, fma(part, polynomial(square, phases, phases), ahead))
    value = np.float32(inverse_root * polynomial(square, sizes, sizes) * sine)
    return select(x == math.inf, type(x)(0), value)


def sine_ahead(x: Any, ahead: Any) -> Any:
    """sin(x + pi ahead) in float64 of a float32, exact to 2^-34 of it, and of small ones to 2^-50."""
    reduced_angle, rest = half_revolutions(x, ahead)
    value = rest * polynomial(rest * rest, SIN_WIDE, SIN_WIDE)
    return from_bits(value, bits(value) ^ (bits(reduced_angle) << 63))


def root_of_inverse(x: Any) -> Any:
    """1 / sqrt(x) of a float32 in float64, but for 2^-46 of it: a step from what it is in float32."""
    wide, rsqrt_x = np.float64(x), np.float64(root(type(x)(1) / x))
    return fma(0.5 * rsqrt_x, fma(-wide * rsqrt_x, rsqrt_x, 1.0), rsqrt_x)


def inverse_of(x: Any) -> Any:
    """1 / x likewise."""
    wide, rsqrt_x = np.float64(x), np.float64(type(x)(1) / x)
    return fma(rsqrt_x, fma(-wide, rsqrt_x, 1.0), rsqrt_x)


def half_revolutions(x: Any, ahead: Any) -> Any:
    """n, from the last bit of a number on, and r with x / pi + ahead = n + r, |r| < 0.51, exact to 2^-52."""
    first, low = half_turn(x)
    shifted = fma(x, first, ahead) + SIGNED_INTEGRAL_FROM
    return shifted, fma(x, first, SIGNED_INTEGRAL_FROM - shifted) + fma(x, low, ahead)
