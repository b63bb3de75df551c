"""Functions without what only unusual arguments need: the same bits for the others, with fewer instructions.

Kernels look at blocks of their operands (`runtime/kernels/usual_blocks.py`). What tells usual arguments apart is an
integer of each, its key, and the bounds that the keys of a block must lie in: logarithms are usual for normal numbers
above zero, `exp` where its result is a normal number, sine and cosine are for those that a product with 1 / pi reduces
without loss. The key of two arguments is 1 where they are usual: remainders are where one division finds the whole
quotient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from . import abs, floor_divide, fmod, is_integer, remainder, trunc
from .bessel_modified import NEAR as BESSEL_NEAR
from .bessel_modified import i0, i0_usual, i0e, i0e_usual, i1, i1_usual, i1e, i1e_usual
from .circular import (
    NEAR,
    cos,
    cos_double_near,
    cos_near,
    sin,
    sin_double_near,
    sin_near,
    tan,
    tan_double_near,
    tan_near,
)
from .exponential import exp, exp_usual, sigmoid, sigmoid_usual, with_sign
from .gamma import lgamma, lgamma_of_positive
from .logarithm import (
    log,
    log2,
    log2_of_normal,
    log10,
    log10_of_normal,
    log_odds,
    log_odds_usual,
    log_of_normal,
)
from .primitives import bits, choose, fma, narrow, select


class Usual(NamedTuple):
    """A function for usual arguments, the key of an argument, and whether the least and the greatest key are usual;
    nothing for two arguments, whose key says so."""

    function: Callable[..., Any]
    key: Callable[..., Any]
    inside: Callable[..., Any] | None = None


def all_bits(x: Any) -> Any:
    """A key that grows with positive numbers; negative ones have negative keys."""
    return bits(x)


def size_bits(x: Any) -> Any:
    """A key that grows with |x|."""
    return narrow(x, bits(x) & choose(x, 2**31 - 1, 2**63 - 1))


def is_normal(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers between two keys are positive, normal and finite."""
    return low >= bits(choose(like, 2.0**-126, 2.0**-1022)) and high < bits(choose(like, math.inf, math.inf))


def is_inside(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers between two keys are normal, above 0 and below 1."""
    return low >= bits(choose(like, 2.0**-126, 2.0**-1022)) and high < bits(type(like)(1))


def is_near(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers up to a key are reduced by one constant, or in float64 by three parts of one."""
    return high < bits(choose(like, 2.0**50, NEAR))


def is_in_pieces(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of modified Bessel functions reach up to a key; in float64 there are none, and none needed."""
    return high < bits(choose(like, BESSEL_NEAR, math.inf))


def has_normal_exp(like: Any, low: Any, high: Any) -> Any:
    """Whether e^x and e^-x are normal numbers for all |x| up to a key."""
    return high <= bits(choose(like, 87.0, 708.0))


def has_exp_beside_one(like: Any, low: Any, high: Any) -> Any:
    """Whether 1 + e^-x is far from overflowing for all |x| up to a key."""
    return high < bits(choose(like, 40.0, 300.0))


def sin_usual(x: Any) -> Any:
    """The sine where `is_near` holds."""
    return choose(x, sin_near, sin_double_near)(x)


def cos_usual(x: Any) -> Any:
    """The cosine where `is_near` holds."""
    return choose(x, cos_near, cos_double_near)(x)


def tan_usual(x: Any) -> Any:
    """The tangent where `is_near` holds; of -0.0 itself."""
    return select(x == 0, x, choose(x, tan_near, tan_double_near)(x))


# A quotient has as many bits as leave room for a rounding error of it, and products with it are exact between these.
QUOTIENT = (2.0**21, 2.0**50)
LEAST, MOST = (2.0**-100, 2.0**-900), (2.0**100, 2.0**900)


def divides(x: Any, y: Any) -> Any:
    """1 where `rest_of` holds, else 0; of integers 0."""
    if is_integer(x):
        return 0
    size, step = abs(x), abs(y)
    low, high = choose(x, LEAST[0], LEAST[1]), choose(x, MOST[0], MOST[1])
    return 1 if (size < step * choose(x, QUOTIENT[0], QUOTIENT[1])) & (step >= low) & (step <= high) else 0


def rest_of(x: Any, y: Any) -> Any:
    """x - y floor(x / y) for x >= 0 and y > 0, exact.

    The rounded quotient is at most one too large, and before that is mended the sum has no more digits than x and y.
    """
    rest = fma(-trunc(x / y), y, x)
    return select(rest < 0, rest + y, rest)


def fmod_usual(x: Any, y: Any) -> Any:
    """The remainder with the sign of x where `divides` holds."""
    return x if is_integer(x) else with_sign(rest_of(abs(x), abs(y)), x)


def remainder_usual(x: Any, y: Any) -> Any:
    """The remainder with the sign of y where `divides` holds."""
    if is_integer(x):
        return x
    rest = with_sign(rest_of(abs(x), abs(y)), x)
    return select((rest < 0) & (y > 0) | (rest > 0) & (y < 0), rest + y, with_sign(abs(rest), y))


def floor_divide_usual(x: Any, y: Any) -> Any:
    """The quotient rounded down where `divides` holds."""
    if is_integer(x):
        return x
    quotient, size, step = x / y, abs(x), abs(y)
    whole = trunc(size / step)
    rest = fma(-whole, step, size)
    whole, rest = select(rest < 0, whole - type(x)(1), whole), select(rest < 0, rest + step, rest)
    return with_sign(select((quotient < 0) & (rest > 0), whole + type(x)(1), whole), quotient)


USUAL = {
    floor_divide: Usual(floor_divide_usual, divides),
    fmod: Usual(fmod_usual, divides),
    remainder: Usual(remainder_usual, divides),
    i0: Usual(i0_usual, size_bits, is_in_pieces),
    i0e: Usual(i0e_usual, size_bits, is_in_pieces),
    i1: Usual(i1_usual, size_bits, is_in_pieces),
    i1e: Usual(i1e_usual, size_bits, is_in_pieces),
    exp: Usual(exp_usual, size_bits, has_normal_exp),
    sigmoid: Usual(sigmoid_usual, size_bits, has_exp_beside_one),
    log: Usual(log_of_normal, all_bits, is_normal),
    log2: Usual(log2_of_normal, all_bits, is_normal),
    log10: Usual(log10_of_normal, all_bits, is_normal),
    log_odds: Usual(log_odds_usual, all_bits, is_inside),
    lgamma: Usual(lgamma_of_positive, all_bits, is_normal),
    sin: Usual(sin_usual, size_bits, is_near),
    cos: Usual(cos_usual, size_bits, is_near),
    tan: Usual(tan_usual, size_bits, is_near),
}
