"""Inverse hyperbolic functions, and the logarithm of odds, branch-free, so that loops over them are vectorised.

float32 is computed by pieces where arguments are usual. Elsewhere, and in float64, these are logarithms of sums, of
which nothing is lost.
Errors of functions are given for float32 and for float64: the largest that was found.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .exponential import with_sign
from .logarithm import LN2_BELOW, log_of_normal_sum, log_of_sum, normal, plus_one
from .pieces import central_piece, octave_piece, times_pieces
from .primitives import bits, choose, fma, from_bits, narrow, picks, polynomial, root, select
from .tables import ACOSH_TABLE, ASINH_TABLE, ATANH_TABLE, LOG_ODDS_TABLE

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
    """The same bits, and below the pieces, for y 2^k, those of y less k ln(2), and of -log(1 - x) the first term.

    The products with the first part of ln(2) and their sums are exact.
    """
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
    """The same for a normal number, 0 < x < 1."""
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
    """A function of |x| < 32 times that."""
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
    """A function of |x| < 1 - 2^-16 times that."""
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
