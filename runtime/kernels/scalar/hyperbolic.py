"""Hyperbolic functions of real numbers, their inverses, and the logarithm of odds. All but `tanh` of float32 start from
x = k ln 2 + r as the exponentials do. Inverses of float32 are computed by pieces where arguments are usual; elsewhere,
and in float64, they are logarithms of sums, of which nothing is lost."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, fma, from_bits, narrow, picks, polynomial, root, select
from .exp import LN2_DOUBLE, LN2_SINGLE, LOG2_E, SHIFT, remainder_of, times_power, with_sign
from .log import LN2_BELOW, log_of_normal_sum, log_of_sum, normal, plus_one
from .piecewise_polynomial import by_pieces, central_piece, octave_piece, shifted_piece, times_pieces
from .tables import table

ACOSH_TABLE, ASINH_TABLE, ATANH_TABLE, LOG_ODDS_TABLE, TANH_TABLE = map(
    table, ("acosh", "asinh", "atanh", "log_odds", "tanh")
)
TANH_IS_ONE = 9.25  # to the last bit of a float32, from here on
HALF_LN2 = 0.34657359027997264
# e^2r for |r| < 0.1735: relative error at most 2^-57.8
SQUARE_DOUBLE = (
    5.1219320636470464e-05, 0.00028293601874018856, 0.001410946866146453, 0.006349182059398953,
    0.02539682501344629,    0.08888888924390985,    0.26666666667127825,  0.666666666664431,
    1.3333333333333153,     2.0000000000000044,     2.0,                  1.0,
)  # fmt: skip
# (tanh(x) - x) / x^3 as a polynomial in x^2 for |x| < 0.63: relative error of tanh at most 2^-56.1
TANH_DOUBLE = (
    -1.5854818206499492e-05, 7.669590342498072e-05, -0.00022816664795460872, 0.0005861181323121173,
    -0.0014548976814827048,  0.003591977120744204,  -0.00886321949027657,    0.021869487459177633,
    -0.053968253926097075,   0.13333333333250827,   -0.3333333333333277,
)  # fmt: skip

# (x - tanh(x)) / x^3 as a polynomial in x^2 for |x| < 0.63: relative error at most 2^-60.6 (Chebyshev's)
TANHSHRINK = (
    2.3855793111704252e-06,  -1.2088687226216897e-05, 3.696052230333826e-05, -9.597236318160513e-05,
    0.00023886464788549952,  -0.0005899759192143973,  0.0014558274668454265, -0.0035921274106953164,
    0.008863235493441451,    -0.02186948853488776,    0.053968253968231024,  -0.13333333333333316,
    0.3333333333333333,
)  # fmt: skip
# (cosh(r) - 1) / r^2 as a polynomial in r^2 for |r| < 0.35: error of cosh at most 2^-33.1 and 2^-57.8
COSH_SINGLE = (0.001393627026118338, 0.04166645184159279, 0.5)
COSH_DOUBLE = (
    2.763289754302109e-07,  2.4801485566449392e-05, 0.0013888888951076091,  0.04166666666650061,
    0.5000000000000014,
)  # fmt: skip
# (sinh(r) - r) / r^3 as a polynomial in r^2 for |r| < 0.35: relative error of sinh at most 2^-26.1 and 2^-61.5
SINH_SINGLE = (0.008367293514311314, 0.16666537523269653)
SINH_DOUBLE = (
    2.5109886318038238e-08, 2.755724210416646e-06,  0.00019841269887824667, 0.008333333333321154,
    0.16666666666666677,
)  # fmt: skip
COSH_TWICE_SINGLE, COSH_TWICE_DOUBLE = tuple(2.0 * c for c in COSH_SINGLE), tuple(2.0 * c for c in COSH_DOUBLE)
SINH_TWICE_SINGLE, SINH_TWICE_DOUBLE = tuple(2.0 * c for c in SINH_SINGLE), tuple(2.0 * c for c in SINH_DOUBLE)


def tanh(x: Any) -> Any:
    """(e^2x - 1) / (e^2x + 1); error at most 1.2 and 1.5 ulp."""
    return choose(x, tanh_single, tanh_double)(x)


def tanh_single(x: Any) -> Any:
    size = abs(x)
    size = select(size > TANH_IS_ONE, TANH_IS_ONE, size)
    return with_sign(by_pieces(size, shifted_piece(size), TANH_TABLE), x)


def tanh_double(x: Any) -> Any:
    """1 - 2 / (e^2x + 1), near zero a polynomial."""
    size = abs(x)
    size = select(size > 22, 22.0, size)  # tanh is 1 to the last bit from here on, and e^2x does not overflow
    square = size * size
    small_branch = fma(size * square, polynomial(square, TANH_DOUBLE, TANH_DOUBLE), size)
    return with_sign(select(size < 0.63, small_branch, 1.0 - 2.0 / squared_exp_and_one(size)), x)


def tanhshrink(x: Any) -> Any:
    """x - tanh(x) in float64, near zero a polynomial."""
    wide = np.float64(x)
    size = abs(wide)
    size, rest = select(size > 22, 22.0, size), select(size > 22, size - 22.0, 0.0)
    square = size * size
    small_branch = size * square * polynomial(square, TANHSHRINK, TANHSHRINK)
    large_branch = size - 1.0 + 2.0 / squared_exp_and_one(size) + rest
    return type(x)(with_sign(select(size < 0.63, small_branch, large_branch), wide))


def squared_exp_and_one(x: Any) -> Any:
    """e^2x + 1 of float64, 0 <= x <= 22, with an error of some 2^-54 for each binade of the result."""
    shifted = fma(x, 2.0 * LOG2_E, SHIFT[1])
    r = fma(shifted - SHIFT[1], -HALF_LN2, x)
    return fma(polynomial(r, SQUARE_DOUBLE, SQUARE_DOUBLE), times_power(1.0, shifted), 1.0)


def hyperbolic_parts(x: Any) -> Any:
    """For x = k ln 2 + r + low >= 0: 2^k / 4 and 2^-k / 4, r, 2 cosh(r + low) - 2 and 2 sinh(r + low) - 2 r."""
    shifted, r, n = remainder_of(select(x > choose(x, 89.5, 710.6), choose(x, 89.5, 710.6), x))
    t = fma(n, -choose(x, LN2_SINGLE[1], LN2_DOUBLE[1]), r)
    square = t * t
    even = square * polynomial(square, COSH_TWICE_SINGLE, COSH_TWICE_DOUBLE)
    low = n * -choose(x, 2.0 * LN2_SINGLE[1], 2.0 * LN2_DOUBLE[1])
    odd = fma(square * t, polynomial(square, SINH_TWICE_SINGLE, SINH_TWICE_DOUBLE), low)
    return *powers(x, shifted), r, even, odd


def powers(x: Any, shifted: Any) -> Any:
    """2^k / 4 and 2^-k / 4 for a number k that `SHIFT` was added to; the second is 0 where it is no normal number."""
    quarter, power = bits(type(x)(0.25)), narrow(x, bits(shifted) << choose(x, 23, 52))
    small = narrow(x, quarter - power)
    return from_bits(x, narrow(x, quarter + power)), from_bits(x, select(small > 0, small, narrow(x, 0)))


def sinh(x: Any) -> Any:
    """(e^x - e^-x) / 2; error at most 1.0 and 0.9 ulp."""
    large, small, r, even, odd = hyperbolic_parts(abs(x))
    total, difference = large + small, large - small
    first = fma(total, r, difference)
    rest = choose(x, sinh_rest_single, sinh_rest_double)(large, small, difference, first)
    lost = fma(total, r + r, rest + rest)
    return with_sign(fma(first, type(x)(2), fma(total, odd, fma(difference, even, lost))), x)


def sinh_rest_single(large: Any, small: Any, difference: Any, first: Any) -> Any:
    """large - small - first, but for what the difference of the two loses: at most 0.25 ulp of the sine, for k = 13."""
    return difference - first


def sinh_rest_double(large: Any, small: Any, difference: Any, first: Any) -> Any:
    return difference - first + (large - difference - small)


def cosh(x: Any) -> Any:
    """(e^x + e^-x) / 2; error at most 0.8 and 0.9 ulp."""
    large, small, r, even, odd = hyperbolic_parts(abs(x))
    total, difference = large + small, large - small
    first = fma(difference, r, large)
    rest = large - first
    tail = fma(difference, odd, fma(total, even, fma(difference, r + r, rest + rest)))
    return fma(first, type(x)(2), fma(small, type(x)(2), tail))


FIRST, END = 0.125, 32.0  # pieces of |x| and of x - 1 lie two for each doubling, the first one from 0 on
# These lie one for each doubling, of what is left to the last float32 before 1, or of the smaller of x and 1 - x.
BEFORE_ONE = 1.0 - 2.0**-24
ATANH_END = 1.0 - 2.0**-16
ODDS_START, ODDS_END = 2.0**-15, 1.0 - 2.0**-15
SIGNIFICAND = (1 << 23) - 1


def log_odds(x: Any) -> Any:
    """log(x / (1 - x)); error at most 0.9 and 0.9 ulp."""
    return choose(x, log_odds_single, log_odds_any)(x)


def log_odds_common(x: Any) -> Any:
    """The same of a float32 from ODDS_START to ODDS_END, or of a normal float64, 0 < x < 1."""
    return choose(x, log_odds_small, log_odds_of_normal)(x)


def log_odds_small(x: Any) -> Any:
    """By pieces of the smaller of x and 1 - x; near 1/2 the distance from there times a function of that."""
    less, factor = factors_of_odds(x)
    column = picks(LOG_ODDS_TABLE, octave_piece(less))
    t = less - column[0]
    return fma(factor, column[-1], factor * (t * polynomial(t, column[1:-1], column[1:-1])))


def factors_of_odds(x: Any) -> Any:
    """The smaller of x and 1 - x, and by what a function of that is multiplied."""
    one, centered = type(x)(1), x - type(x)(0.5)
    rest = one - x
    less = select(rest < x, rest, x)
    return less, select(less < 0.25, with_sign(one, centered), centered)


def log_odds_single(x: Any) -> Any:
    """The same bits, and below the pieces, for y 2^k, those of y less k ln(2), and of -log(1 - x) the first term. The
    products with the first part of ln(2) and their sums are exact."""
    less, factor = factors_of_odds(x)
    scaled, more = normal(less)
    lifted = from_bits(x, narrow(x, bits(scaled) & SIGNIFICAND | bits(type(x)(ODDS_START))))
    y = select(less < ODDS_START, lifted, less)
    k = -(np.float32(narrow(x, bits(scaled) - bits(y)) >> 23) + more)
    column = picks(LOG_ODDS_TABLE, octave_piece(y))
    total = fma(k, LN2_BELOW[0], column[-1])
    rest = fma(k, LN2_BELOW[1], column[-1] - fma(k, -LN2_BELOW[0], total) + (y - less))
    t = y - column[0]
    value = fma(factor, total, factor * fma(t, polynomial(t, column[1:-1], column[1:-1]), rest))
    return select(less > 0, value, select(less == 0, factor * type(x)(math.inf), type(x)(math.nan)))


def log_odds_any(x: Any) -> Any:
    """From the quotient and what its rounding lost."""
    y, more = normal(x)
    ratio, low = odds(x, y)
    return log_of_sum(ratio, select(ratio < math.inf, low, 0.0), more)


def log_odds_of_normal(x: Any) -> Any:
    ratio, low = odds(x, x)
    return log_of_normal_sum(ratio, low, type(x)(0))


def odds(x: Any, y: Any) -> Any:
    """y / (1 - x) as a sum of two numbers, the second far smaller."""
    one = type(x)(1)
    below = one - x
    lost, part = (one - below) - x, one / below
    ratio = y * part
    return ratio, fma(-ratio, lost, fma(-ratio, below, y)) * part


def asinh(x: Any) -> Any:
    """log(x + sqrt(x^2 + 1)) with the sign of `x`; error at most 1.0 and 1.1 ulp."""
    return choose(x, asinh_single, asinh_any)(x)


def asinh_single(x: Any) -> Any:
    return select(abs(x) < END, asinh_fast(x), asinh_any(x))


def asinh_fast(x: Any) -> Any:
    size = abs(x)
    piece_index = central_piece(select(size < FIRST, type(x)(FIRST), size))
    return with_sign(times_pieces(size, size, piece_index, ASINH_TABLE), x)


def asinh_any(x: Any) -> Any:
    one, x_abs = type(x)(1), abs(x)
    square = x_abs * x_abs
    rest = square / (one + root(one + square))
    return with_sign(log_of_three(x_abs, x_abs, rest), x)


def acosh(x: Any) -> Any:
    """log(x + sqrt(x^2 - 1)); error at most 1.9 and 1.8 ulp."""
    return choose(x, acosh_single, acosh_any)(x)


def acosh_single(x: Any) -> Any:
    return select((x >= 1) & (x < END + 1.0), acosh_fast(x), acosh_any(x))


def acosh_fast(x: Any) -> Any:
    """The root of x - 1 times a function of that, 1 <= x < 33."""
    above = x - type(x)(1)
    return times_pieces(root(above), above, central_piece(select(above < FIRST, type(x)(FIRST), above)), ACOSH_TABLE)


def acosh_any(x: Any) -> Any:
    rest = x - type(x)(1)
    square = fma(rest, rest, rest + rest)
    return log_of_three(x, root(select(x >= 1, square, math.nan)), rest)


def log_of_three(x: Any, first: Any, second: Any) -> Any:
    """log(1 + first + second), |first| >= |second|; of a large `x` log(2 x)."""
    large = x > choose(x, 2.0**13, 2.0**28)
    summed = first + second
    above, low = plus_one(summed)
    low += first - summed + second
    return log_of_sum(select(large, x, above), select(large, 0.0, low), select(large, type(x)(1), 0.0))


def atanh(x: Any) -> Any:
    """log((1 + x) / (1 - x)) / 2; error at most 0.9 and 0.9 ulp."""
    return choose(x, atanh_single, atanh_any)(x)


def atanh_single(x: Any) -> Any:
    return select(abs(x) < ATANH_END, atanh_fast(x), atanh_any(x))


def atanh_fast(x: Any) -> Any:
    size = abs(x)
    piece_index = octave_piece(type(x)(BEFORE_ONE) - size)  # never that of 1, beyond all pieces
    return with_sign(times_pieces(size, size, piece_index, ATANH_TABLE), x)


def atanh_any(x: Any) -> Any:
    one, x_abs = type(x)(1), abs(x)
    below = one - x_abs
    part = one / below
    ratio = (x_abs + x_abs) * part
    rest = fma(-ratio, below, x_abs + x_abs) - ratio * (one - below - x_abs)
    above, low = plus_one(ratio)
    return with_sign(type(x)(0.5) * log_of_sum(above, fma(rest, part, low), type(x)(0)), x)
