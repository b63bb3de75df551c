"""Functions without what only unusual arguments need: the same bits for the others, with fewer instructions. What tells
usual arguments apart is an integer of each, its key, and the bounds that the keys of a block must lie in
(`cpu/elementwise_fast_range.py`): logarithms are usual for normal numbers above zero, `exp` where its result is normal,
sine and cosine where three parts of a constant reduce without loss. The key of two arguments is 1 where they are usual:
remainders are where one division finds the whole quotient."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ...compiler.passes.primitives import bits, choose, fma, narrow, select
from . import abs, floor_divide, fmod, is_integer, remainder, trunc
from .airy import airy_ai, airy_small
from .bessel import MIN_NORMAL, bessel_j0, bessel_j1, bessel_y0, bessel_y1, j0_small, j1_small, y0_small, y1_small
from .erf import erfc, erfc_small
from .erfinv import (
    BEYOND_END,
    ERFINV_END,
    ERFINV_START,
    LOG_NDTR_END,
    LOG_NDTR_START,
    NDTRI_END,
    NDTRI_START,
    erfcx,
    erfcx_small,
    erfinv,
    erfinv_small,
    log_ndtr,
    log_ndtr_small,
    ndtri,
    ndtri_center,
)
from .exp import exp, exp_common, with_sign
from .gamma import END as GAMMA_END
from .gamma import START as GAMMA_START
from .gamma import START_OF_SQUARES, digamma, digamma_positive, lgamma, lgamma_common
from .hyperbolic import (
    ATANH_END,
    ODDS_END,
    ODDS_START,
    acosh,
    acosh_fast,
    asinh,
    asinh_fast,
    atanh,
    atanh_fast,
    log_odds,
    log_odds_common,
)
from .hyperbolic import END as HYPERBOLIC_END
from .log import log, log1p, log1p_common, log2, log2_of_normal, log10, log10_of_normal, log_of_normal
from .modified_bessel import (
    i0,
    i0_small,
    i0e,
    i0e_small,
    i1,
    i1_small,
    i1e,
    i1e_small,
    k0_small,
    k0e_small,
    k1_small,
    k1e_small,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
)
from .normal import GELU_END, gelu, gelu_small
from .piecewise_polynomial import CENTRAL, MIXED, NEARER
from .piecewise_polynomial import SMALL_LIMIT as PIECES_NEAR
from .sinc import ratio_of_sine_small, sinc, sinc_small, spherical_bessel_j0
from .trig import (
    FAST_REDUCTION_LIMIT_F32,
    SMALL_LIMIT,
    cos,
    cos_double_fast_reduction,
    cos_fast_reduction,
    sin,
    sin_double_fast_reduction,
    sin_fast_reduction,
    tan,
    tan_double_fast_reduction,
    tan_fast_reduction,
)
from .zeta import polygamma, polygamma_common


class FastRange(NamedTuple):
    """A function for usual arguments, the key of an argument, and whether the least and the greatest key are usual;
    nothing for two arguments, whose key says so. What has an order has that before its arguments."""

    function: Callable[..., Any]
    key: Callable[..., Any]
    inside: Callable[..., Any] | None = None


def all_bits(x: Any) -> Any:
    """A key that grows with positive numbers; negative ones have negative keys."""
    return bits(x)


def bits_beside_one(x: Any) -> Any:
    return bits(type(x)(1) + x)


def size_bits(x: Any) -> Any:
    return narrow(x, bits(x) & choose(x, 2**31 - 1, 2**63 - 1))


def end_bits(x: Any) -> Any:
    """A key that grows with the distance from where the pieces of log_ndtr get short."""
    return bits(type(x)(BEYOND_END) - x)


def is_moderate(like: Any, low: Any, high: Any) -> Any:
    return low > 0 and high < bits(choose(like, 2.0**100, math.inf))


def is_normal(like: Any, low: Any, high: Any) -> Any:
    return low >= bits(choose(like, 2.0**-126, 2.0**-1022)) and high < bits(choose(like, math.inf, math.inf))


def in_odds_fast_range(like: Any, low: Any, high: Any) -> Any:
    """Whether pieces of the logarithm of odds are for numbers between two keys; in float64, normal ones from 0 to 1."""
    smallest, upper_limit = choose(like, ODDS_START, 2.0**-1022), choose(like, ODDS_END, 1.0 - 2.0**-53)
    return low >= bits(smallest) and high <= bits(upper_limit)


def is_before_hyperbolic_end(like: Any, low: Any, high: Any) -> Any:
    """Whether the pieces of asinh reach up to a key; in float64 there are none."""
    return choose(like, high < bits(type(like)(HYPERBOLIC_END)), False)


def in_acosh_fast_range(like: Any, low: Any, high: Any) -> Any:
    return choose(like, has_keys_between(like, low, high, 1.0, HYPERBOLIC_END + 1.0), False)


def is_before_atanh_end(like: Any, low: Any, high: Any) -> Any:
    return choose(like, high < bits(type(like)(ATANH_END)), False)


def in_fast_reduction_range(like: Any, low: Any, high: Any) -> Any:
    """Whether numbers up to a key are reduced by three parts of a constant."""
    return high < bits(choose(like, FAST_REDUCTION_LIMIT_F32, SMALL_LIMIT))


def is_in_linear_pieces(like: Any, low: Any, high: Any) -> Any:
    """Whether linear pieces reach up to a key; in float64 there are none."""
    return choose(like, high < bits(type(like)(PIECES_NEAR)), False)


def is_in_nearer_pieces(like: Any, low: Any, high: Any) -> Any:
    return choose(like, high < bits(type(like)(NEARER)), False)


def has_gamma(like: Any, low: Any, high: Any) -> Any:
    """Whether functions of positive float32 hold the numbers between two keys; in float64 there are none."""
    return choose(like, has_keys_between(like, low, high, GAMMA_START, GAMMA_END), False)


def has_gamma_or_is_normal(like: Any, low: Any, high: Any) -> Any:
    """The same; in float64 whether the numbers are positive, normal and finite."""
    return choose(like, has_gamma(like, low, high), is_normal(like, low, high))


def has_short_bessel(like: Any, low: Any, high: Any) -> Any:
    """Whether Bessel functions of the second kind hold the numbers between two keys; in float64 there are none."""
    return choose(like, has_keys_between(like, low, high, MIN_NORMAL, MIXED[1]), False)


def has_scaled_bessel(like: Any, low: Any, high: Any) -> Any:
    return choose(like, has_keys_between(like, low, high, MIN_NORMAL, CENTRAL[1]), False)


def is_first_order_with_gamma(order: Any, like: Any, low: Any, high: Any) -> Any:
    """Whether a function of such numbers holds them, and is that of the order; in float64 there are none."""
    return choose(like, (order == 1) & has_keys_between(like, low, high, START_OF_SQUARES, GAMMA_END), False)


def has_keys_between(like: Any, low: Any, high: Any, smallest: Any, end: Any) -> Any:
    """Whether the numbers between two keys are not below a positive one, and below another."""
    return (low >= bits(type(like)(smallest))) & (high < bits(type(like)(end)))


def is_short_of_one(like: Any, low: Any, high: Any) -> Any:
    return choose(like, has_keys_between(like, low, high, ERFINV_START, ERFINV_END), False)


def is_probable(like: Any, low: Any, high: Any) -> Any:
    return choose(like, has_keys_between(like, low, high, NDTRI_START, NDTRI_END), False)


def is_before_end(like: Any, low: Any, high: Any) -> Any:
    smallest, end = BEYOND_END - LOG_NDTR_END, BEYOND_END - LOG_NDTR_START
    return choose(like, has_keys_between(like, low, high, smallest, end), False)


def has_normal_gelu(like: Any, low: Any, high: Any) -> Any:
    """Whether the tail in gelu of numbers up to a key is no small number in float32; float64 has one form."""
    return choose(like, high < bits(type(like)(GELU_END)), False)


def has_normal_exp(like: Any, low: Any, high: Any) -> Any:
    return high <= bits(choose(like, 87.0, 708.0))


def sin_fast_range(x: Any) -> Any:
    return choose(x, sin_fast_reduction, sin_double_fast_reduction)(x)


def cos_fast_range(x: Any) -> Any:
    return choose(x, cos_fast_reduction, cos_double_fast_reduction)(x)


def tan_fast_range(x: Any) -> Any:
    return choose(x, tan_fast_reduction, tan_double_fast_reduction)(x)


# A quotient has as many bits as leave room for a rounding error of it, and products with it are exact between these.
RATIO_LIMITS = (2.0**21, 2.0**50)
LOWER_LIMITS, UPPER_LIMITS = (2.0**-100, 2.0**-900), (2.0**100, 2.0**900)


def divides(x: Any, y: Any) -> Any:
    """1 where `rest_of` holds, else 0; of integers 0."""
    if is_integer(x):
        return 0
    size, step = abs(x), abs(y)
    low, high = choose(x, LOWER_LIMITS[0], LOWER_LIMITS[1]), choose(x, UPPER_LIMITS[0], UPPER_LIMITS[1])
    return 1 if (size < step * choose(x, RATIO_LIMITS[0], RATIO_LIMITS[1])) & (step >= low) & (step <= high) else 0


def rest_of(x: Any, y: Any) -> Any:
    """x - y floor(x / y) for x >= 0 and y > 0, exact. The rounded quotient is at most one too large, and before that is
    mended the sum has no more digits than x and y."""
    rest = fma(-trunc(x / y), y, x)
    return select(rest < 0, rest + y, rest)


def fmod_fast_range(x: Any, y: Any) -> Any:
    return x if is_integer(x) else with_sign(rest_of(abs(x), abs(y)), x)


def remainder_fast_range(x: Any, y: Any) -> Any:
    if is_integer(x):
        return x
    rest = with_sign(rest_of(abs(x), abs(y)), x)
    return select((rest < 0) & (y > 0) | (rest > 0) & (y < 0), rest + y, with_sign(abs(rest), y))


def floor_divide_fast_range(x: Any, y: Any) -> Any:
    if is_integer(x):
        return x
    ratio, size, step = x / y, abs(x), abs(y)
    integral = trunc(size / step)
    rest = fma(-integral, step, size)
    integral, rest = select(rest < 0, integral - type(x)(1), integral), select(rest < 0, rest + step, rest)
    return with_sign(select((ratio < 0) & (rest > 0), integral + type(x)(1), integral), ratio)


COMMON = {
    floor_divide: FastRange(floor_divide_fast_range, divides),
    fmod: FastRange(fmod_fast_range, divides),
    remainder: FastRange(remainder_fast_range, divides),
    i0: FastRange(i0_small, size_bits, is_in_linear_pieces),
    i0e: FastRange(i0e_small, size_bits, is_in_linear_pieces),
    i1: FastRange(i1_small, size_bits, is_in_linear_pieces),
    i1e: FastRange(i1e_small, size_bits, is_in_linear_pieces),
    erfc: FastRange(erfc_small, size_bits, is_in_nearer_pieces),
    erfcx: FastRange(erfcx_small, size_bits, is_in_nearer_pieces),
    erfinv: FastRange(erfinv_small, size_bits, is_short_of_one),
    ndtri: FastRange(ndtri_center, all_bits, is_probable),
    log_ndtr: FastRange(log_ndtr_small, end_bits, is_before_end),
    gelu: FastRange(gelu_small, size_bits, has_normal_gelu),
    exp: FastRange(exp_common, size_bits, has_normal_exp),
    log: FastRange(log_of_normal, all_bits, is_normal),
    log1p: FastRange(log1p_common, bits_beside_one, is_moderate),
    log2: FastRange(log2_of_normal, all_bits, is_normal),
    log10: FastRange(log10_of_normal, all_bits, is_normal),
    log_odds: FastRange(log_odds_common, all_bits, in_odds_fast_range),
    asinh: FastRange(asinh_fast, size_bits, is_before_hyperbolic_end),
    acosh: FastRange(acosh_fast, all_bits, in_acosh_fast_range),
    atanh: FastRange(atanh_fast, size_bits, is_before_atanh_end),
    lgamma: FastRange(lgamma_common, all_bits, has_gamma_or_is_normal),
    digamma: FastRange(digamma_positive, all_bits, has_gamma),
    polygamma: FastRange(polygamma_common, all_bits, is_first_order_with_gamma),
    bessel_j0: FastRange(j0_small, size_bits, is_in_linear_pieces),
    bessel_j1: FastRange(j1_small, size_bits, is_in_linear_pieces),
    bessel_y0: FastRange(y0_small, all_bits, has_short_bessel),
    bessel_y1: FastRange(y1_small, all_bits, has_short_bessel),
    modified_bessel_k0: FastRange(k0_small, all_bits, has_short_bessel),
    modified_bessel_k1: FastRange(k1_small, all_bits, has_short_bessel),
    scaled_modified_bessel_k0: FastRange(k0e_small, all_bits, has_scaled_bessel),
    scaled_modified_bessel_k1: FastRange(k1e_small, all_bits, has_scaled_bessel),
    spherical_bessel_j0: FastRange(ratio_of_sine_small, size_bits, is_in_linear_pieces),
    sinc: FastRange(sinc_small, size_bits, is_in_nearer_pieces),
    airy_ai: FastRange(airy_small, size_bits, is_in_nearer_pieces),
    sin: FastRange(sin_fast_range, size_bits, in_fast_reduction_range),
    cos: FastRange(cos_fast_range, size_bits, in_fast_reduction_range),
    tan: FastRange(tan_fast_range, size_bits, in_fast_reduction_range),
}
