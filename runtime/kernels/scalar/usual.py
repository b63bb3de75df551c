"""Functions without what only unusual arguments need: the same bits for the others, with fewer instructions.

Kernels look at blocks of their operands (`runtime/kernels/usual_blocks.py`). What tells usual arguments apart is an
integer of each, its key, and the bounds that the keys of a block must lie in: logarithms are usual for normal numbers
above zero, `exp` where its result is a normal number, sine and cosine for those that three parts of a constant reduce
without loss. The key of two arguments is 1 where they are usual: remainders are where one division finds the whole
quotient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from . import abs, floor_divide, fmod, is_integer, remainder, trunc
from .bessel.airy import airy_ai, airy_near
from .bessel.bessel import bessel_j0, bessel_j1, bessel_y0, bessel_y1, j0_near, j1_near, y0_near, y1_near
from .bessel.modified import (
    i0,
    i0_near,
    i0e,
    i0e_near,
    i1,
    i1_near,
    i1e,
    i1e_near,
    k0_near,
    k0e_near,
    k1_near,
    k1e_near,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
)
from .bessel.near_zero import LEAST_NORMAL
from .bessel.sine_ratio import ratio_of_sine_near, sinc, sinc_near, spherical_bessel_j0
from .circular import (
    NEAR,
    NEAR_SINGLE,
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
from .error import erfc, erfc_near
from .exponential import exp, exp_usual, with_sign
from .gamma.gamma import digamma, lgamma, lgamma_usual
from .gamma.positive import END as GAMMA_END
from .gamma.positive import START as GAMMA_START
from .gamma.positive import START_OF_SQUARES, digamma_positive
from .gamma.zeta import polygamma, polygamma_usual
from .inverse_hyperbolic import (
    ATANH_END,
    ODDS_END,
    ODDS_START,
    acosh,
    acosh_near,
    asinh,
    asinh_near,
    atanh,
    atanh_near,
    log_odds,
    log_odds_usual,
)
from .inverse_hyperbolic import END as HYPERBOLIC_END
from .inverse_normal import (
    BEYOND_END,
    ERFINV_END,
    ERFINV_START,
    LOG_NDTR_END,
    LOG_NDTR_START,
    NDTRI_END,
    NDTRI_START,
    erfcx,
    erfcx_near,
    erfinv,
    erfinv_near,
    log_ndtr,
    log_ndtr_near,
    ndtri,
    ndtri_near,
)
from .logarithm import (
    log,
    log1p,
    log1p_usual,
    log2,
    log2_of_normal,
    log10,
    log10_of_normal,
    log_of_normal,
)
from .normal import GELU_END, gelu, gelu_near
from .pieces import MIDDLE, MIXED, NEARER
from .pieces import NEAR as PIECES_NEAR
from .primitives import bits, choose, fma, narrow, select


class Usual(NamedTuple):
    """A function for usual arguments, the key of an argument, and whether the least and the greatest key are usual;
    nothing for two arguments, whose key says so. What has an order has that before its arguments."""

    function: Callable[..., Any]
    key: Callable[..., Any]
    inside: Callable[..., Any] | None = None


def all_bits(x: Any) -> Any:
    """A key that grows with positive numbers; negative ones have negative keys."""
    return bits(x)


def bits_beside_one(x: Any) -> Any:
    """A key that grows with 1 + x."""
    return bits(type(x)(1) + x)


def size_bits(x: Any) -> Any:
    """A key that grows with |x|."""
    return narrow(x, bits(x) & choose(x, 2**31 - 1, 2**63 - 1))


def end_bits(x: Any) -> Any:
    """A key that grows with the distance from where the pieces of log_ndtr get short."""
    return bits(type(x)(BEYOND_END) - x)


def is_moderate(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers between two keys are positive and finite, and in float32 have inverses that are normal."""
    return low > 0 and high < bits(choose(like, 2.0**100, math.inf))


def is_normal(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers between two keys are positive, normal and finite."""
    return low >= bits(choose(like, 2.0**-126, 2.0**-1022)) and high < bits(choose(like, math.inf, math.inf))


def has_usual_odds(like: Any, low: Any, high: Any) -> Any:
    """Whether pieces of the logarithm of odds are for numbers between two keys; in float64, normal ones from 0 to 1."""
    least, most = choose(like, ODDS_START, 2.0**-1022), choose(like, ODDS_END, 1.0 - 2.0**-53)
    return low >= bits(least) and high <= bits(most)


def is_before_hyperbolic_end(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of asinh reach up to a key; in float64 there are none."""
    return choose(like, high < bits(type(like)(HYPERBOLIC_END)), False)


def has_usual_acosh(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of acosh are for numbers between two keys; in float64 there are none."""
    return choose(like, has_keys_between(like, low, high, 1.0, HYPERBOLIC_END + 1.0), False)


def is_before_atanh_end(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of atanh reach up to a key; in float64 there are none."""
    return choose(like, high < bits(type(like)(ATANH_END)), False)


def is_near(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers up to a key are reduced by three parts of a constant."""
    return high < bits(choose(like, NEAR_SINGLE, NEAR))


def is_in_linear_pieces(like: Any, low: Any, high: Any) -> Any:
    """Whether linear pieces reach up to a key; in float64 there are none."""
    return choose(like, high < bits(type(like)(PIECES_NEAR)), False)


def is_in_nearer_pieces(like: Any, low: Any, high: Any) -> Any:
    """The same of those of half their width."""
    return choose(like, high < bits(type(like)(NEARER)), False)


def has_gamma(like: Any, low: Any, high: Any) -> Any:
    """Whether functions of positive float32 hold the numbers between two keys; in float64 there are none."""
    return choose(like, has_keys_between(like, low, high, GAMMA_START, GAMMA_END), False)


def has_gamma_or_is_normal(like: Any, low: Any, high: Any) -> Any:
    """The same; in float64 whether the numbers are positive, normal and finite."""
    return choose(like, has_gamma(like, low, high), is_normal(like, low, high))


def has_short_bessel(like: Any, low: Any, high: Any) -> Any:
    """Whether Bessel functions of the second kind hold the numbers between two keys; in float64 there are none."""
    return choose(like, has_keys_between(like, low, high, LEAST_NORMAL, MIXED[1]), False)


def has_scaled_bessel(like: Any, low: Any, high: Any) -> Any:
    """The same of those that a power of e scales."""
    return choose(like, has_keys_between(like, low, high, LEAST_NORMAL, MIDDLE[1]), False)


def is_first_order_with_gamma(order: Any, like: Any, low: Any, high: Any) -> Any:
    """Whether a function of such numbers holds them, and is that of the order; in float64 there are none."""
    return choose(like, (order == 1) & has_keys_between(like, low, high, START_OF_SQUARES, GAMMA_END), False)


def has_keys_between(like: Any, low: Any, high: Any, least: Any, end: Any) -> Any:
    """Whether the numbers between two keys are not below a positive one, and below another."""
    return (low >= bits(type(like)(least))) & (high < bits(type(like)(end)))


def is_short_of_one(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of erfinv hold the numbers between two keys; in float64 there are none."""
    return choose(like, has_keys_between(like, low, high, ERFINV_START, ERFINV_END), False)


def is_probable(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of ndtri hold the numbers between two keys; in float64 there are none."""
    return choose(like, has_keys_between(like, low, high, NDTRI_START, NDTRI_END), False)


def is_before_end(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of log_ndtr are for numbers with such keys; in float64 there are none."""
    least, end = BEYOND_END - LOG_NDTR_END, BEYOND_END - LOG_NDTR_START
    return choose(like, has_keys_between(like, low, high, least, end), False)


def has_normal_gelu(like: Any, low: Any, high: Any) -> Any:
    """Whether the tail in gelu of numbers up to a key is no small number in float32; float64 has one form."""
    return choose(like, high < bits(type(like)(GELU_END)), False)


def has_normal_exp(like: Any, low: Any, high: Any) -> Any:
    """Whether e^x and e^-x are normal numbers for all |x| up to a key."""
    return high <= bits(choose(like, 87.0, 708.0))


def sin_usual(x: Any) -> Any:
    """The sine where `is_near` holds."""
    return choose(x, sin_near, sin_double_near)(x)


def cos_usual(x: Any) -> Any:
    """The cosine where `is_near` holds."""
    return choose(x, cos_near, cos_double_near)(x)


def tan_usual(x: Any) -> Any:
    """The tangent where `is_near` holds."""
    return choose(x, tan_near, tan_double_near)(x)


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
    i0: Usual(i0_near, size_bits, is_in_linear_pieces),
    i0e: Usual(i0e_near, size_bits, is_in_linear_pieces),
    i1: Usual(i1_near, size_bits, is_in_linear_pieces),
    i1e: Usual(i1e_near, size_bits, is_in_linear_pieces),
    erfc: Usual(erfc_near, size_bits, is_in_nearer_pieces),
    erfcx: Usual(erfcx_near, size_bits, is_in_nearer_pieces),
    erfinv: Usual(erfinv_near, size_bits, is_short_of_one),
    ndtri: Usual(ndtri_near, all_bits, is_probable),
    log_ndtr: Usual(log_ndtr_near, end_bits, is_before_end),
    gelu: Usual(gelu_near, size_bits, has_normal_gelu),
    exp: Usual(exp_usual, size_bits, has_normal_exp),
    log: Usual(log_of_normal, all_bits, is_normal),
    log1p: Usual(log1p_usual, bits_beside_one, is_moderate),
    log2: Usual(log2_of_normal, all_bits, is_normal),
    log10: Usual(log10_of_normal, all_bits, is_normal),
    log_odds: Usual(log_odds_usual, all_bits, has_usual_odds),
    asinh: Usual(asinh_near, size_bits, is_before_hyperbolic_end),
    acosh: Usual(acosh_near, all_bits, has_usual_acosh),
    atanh: Usual(atanh_near, size_bits, is_before_atanh_end),
    lgamma: Usual(lgamma_usual, all_bits, has_gamma_or_is_normal),
    digamma: Usual(digamma_positive, all_bits, has_gamma),
    polygamma: Usual(polygamma_usual, all_bits, is_first_order_with_gamma),
    bessel_j0: Usual(j0_near, size_bits, is_in_linear_pieces),
    bessel_j1: Usual(j1_near, size_bits, is_in_linear_pieces),
    bessel_y0: Usual(y0_near, all_bits, has_short_bessel),
    bessel_y1: Usual(y1_near, all_bits, has_short_bessel),
    modified_bessel_k0: Usual(k0_near, all_bits, has_short_bessel),
    modified_bessel_k1: Usual(k1_near, all_bits, has_short_bessel),
    scaled_modified_bessel_k0: Usual(k0e_near, all_bits, has_scaled_bessel),
    scaled_modified_bessel_k1: Usual(k1e_near, all_bits, has_scaled_bessel),
    spherical_bessel_j0: Usual(ratio_of_sine_near, size_bits, is_in_linear_pieces),
    sinc: Usual(sinc_near, size_bits, is_in_nearer_pieces),
    airy_ai: Usual(airy_near, size_bits, is_in_nearer_pieces),
    sin: Usual(sin_usual, size_bits, is_near),
    cos: Usual(cos_usual, size_bits, is_near),
    tan: Usual(tan_usual, size_bits, is_near),
}
