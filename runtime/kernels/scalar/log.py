"""Logarithms of real numbers. All but `log` of float32 start from x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2)."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, fma, from_bits, narrow, picks, polynomial, select
from .exp import power_of_two
from .piecewise_polynomial import single

# A whole number of up to 11 bits times the first part of a constant has no rounding error.
LN2_SINGLE = (0.69317626953125, -2.9088971132296138e-05)
LN2_BELOW = (0.693115234375, 3.194618329871446e-05)  # both parts above 0
LN2_DOUBLE = (0.6931471805598903, 5.497923018708371e-14)
LOG10_2_SINGLE = (0.301025390625, 4.605039066518657e-06)
LOG10_2_DOUBLE = (0.30102999566395283, 2.8363394551044964e-14)
LOG2_E_SINGLE = (1.4426950216293335, 1.925963033500011e-08)
LOG2_E_DOUBLE = (1.4426950408889634, 2.0355273740931033e-17)
LOG10_E_SINGLE = (0.4342944920063019, -1.0103049952192578e-08)
LOG10_E_DOUBLE = (0.4342944819032518, 1.098319650216765e-17)

# (f - log(1 + f)) / f^2 for -0.293 < f < 0.4143: relative error of the logarithm at most 2^-30.2
LOG_SINGLE = (
    -0.06733096390962601, 0.1166146770119667,   -0.11886587738990784, 0.12408117949962616,
    -0.14220184087753296, 0.1666785627603531,   -0.20002074539661407, 0.25000011920928955,
    -0.3333331346511841,  0.5,
)  # fmt: skip
# (log(1 + r) - r) / r^2 for |r| < 0.0646: relative error of the logarithm at most 2^-31.2
LOG_SMALL = (-0.1672942042350769, 0.20082736015319824, -0.24999932944774628, 0.33333227038383484, -0.5)
# Where exponents change: far from 1, so that only numbers that are far from it have another one than 0.
START = 0.6885
# For each 16th part of a power of two from START on a factor that makes its numbers 1 + r with |r| < 0.031, and minus
# the logarithm of the factor, of which at most 2^-31.6 is lost though it is a multiple of 2^-17: so sums with a whole
# number times the first part of ln 2 have no rounding error. The parts beside 1 have the factor 1, up to logarithms of
# 1/16: of larger ones an error of r, which is at most 2^-30, is an eighth of a unit.
FACTORS = single(
    (
        1.4216987, 1.360938, 1.3034103, 1.253487, 1.2069851, 1.1621286, 1.121931, 1.083876, 1.0, 1.0, 1.0, 0.9139624,
        0.8627316, 0.8192331, 0.7803055, 0.7440446,
    ),
    (
        -0.35185242, -0.30817413, -0.26498413, -0.22592926, -0.18812561, -0.1502533, -0.11505127, -0.08054352, 0.0, 0.0,
        0.0, 0.08996582, 0.14765167, 0.1993866, 0.24806976, 0.2956543,
    ),
)  # fmt: skip
UNIT = 2.0**23  # what an exponent is worth among the bits of a float32
LN2_UNITS = (0.693145751953125 / UNIT, 1.428606765330187e-06 / UNIT)  # so few bits that the first products are exact
# log(1 + f) = f + f^2 P(f): relative error at most 2^-27.8
LOG_HIGHER = (
    -0.07619096338748932, 0.12912960350513458,  -0.132480651140213,   0.14180852472782135,
    -0.16608411073684692, 0.20002004504203796,  -0.25001609325408936, 0.33333325386047363,
)  # fmt: skip
LOG_LOWEST = -0.49999988079071045
# The same over log(10), and the first one over log(2)
LOG10_HIGHER, LOG10_LOWEST = tuple(c * LOG10_E_DOUBLE[0] for c in LOG_HIGHER), LOG_LOWEST * LOG10_E_DOUBLE[0]
LOG2_SINGLE = tuple(c * LOG2_E_DOUBLE[0] for c in LOG_SINGLE)
# (log((1 + s) / (1 - s)) - 2 s) / s^3 as a polynomial in s^2 for |s| < 0.1717: relative error at most 2^-58.4
LOG_DOUBLE = (
    0.14796989108140518, 0.15313945614220764, 0.18183568510419212, 0.22222198489885836,
    0.28571428743244776, 0.39999999999410485, 0.6666666666666735,
)  # fmt: skip


def log_around_one(x: Any) -> Any:
    """k and f with x = 2^k (1 + f), for a normal number x > 0."""
    width = choose(x, 23, 52)
    # Counted from sqrt(1/2), exponents change there and not at 1: so log(x) for x near 1 is that of f alone, k = 0.
    k = narrow(x, bits(x) - bits(choose(x, math.sqrt(0.5), math.sqrt(0.5)))) >> width
    return k, from_bits(x, bits(x) - (k << width)) - type(x)(1)


def number(x: Any, k: Any) -> Any:
    """A whole number, not too large, in the type of `x`."""
    return choose(x, number_single, number_double)(k)


def number_single(k: Any) -> Any:
    return np.float32(k)


def number_double(k: Any) -> Any:
    """By a sum: few processors have an instruction for words."""
    shift = 6755399441055744.0  # 1.5 * 2^52: from here on the last bit is worth 1
    return from_bits(shift, bits(shift) + k) - shift


def normal(x: Any) -> Any:
    """A normal number and what to add to its exponent, from a number that may be subnormal."""
    small = x < choose(x, 2.0**-126, 2.0**-1022)
    more = select(small, choose(x, -25.0, -54.0), 0.0)
    return select(small, x * choose(x, 2.0**25, 2.0**54), x), more


def tail_single(f: Any) -> Any:
    return -(f * f) * polynomial(f, LOG_SINGLE, LOG_SINGLE)


def tail_double(f: Any) -> Any:
    """log(1 + f) - f, from s = f / (2 + f): log(1 + f) = f - f^2/2 + s (f^2/2 + s^2 P(s^2))."""
    half = 0.5 * f * f
    s = f / (2.0 + f)
    square = s * s
    return fma(s, fma(square, polynomial(square, LOG_DOUBLE, LOG_DOUBLE), half), -half)


def tail_of(f: Any) -> Any:
    return choose(f, tail_single, tail_double)(f)


def total(first: Any, second: Any, rest: Any) -> Any:
    """The sum of three numbers, |first| >= |second| or 0, both far larger than `rest`."""
    result = first + second
    return result + ((first - result + second) + rest)


def at_limits(x: Any, value: Any) -> Any:
    """A logarithm of `x`: `value` for positive finite numbers."""
    value = select(x < math.inf, value, x)
    return select(x > 0, value, select(x == 0, choose(x, -math.inf, -math.inf), choose(x, math.nan, math.nan)))


def parts(x: Any) -> Any:
    """n and f with x = 2^n (1 + f), for x > 0."""
    y, more = normal(x)
    k, f = log_around_one(y)
    return number(x, k) + more, f


def parts_of_normal(x: Any) -> Any:
    k, f = log_around_one(x)
    return number(x, k), f


def log(x: Any) -> Any:
    """The natural logarithm; error at most 0.8 and 0.9 ulp."""
    y, more = normal(x)
    return at_limits(x, choose(x, log_of_normal_single, log_of_normal_double)(y, more))


def log_of_normal(x: Any) -> Any:
    nothing = -type(x)(0)  # of which a compiler knows that sums with it are what they were, whatever their sign
    return choose(x, log_of_normal_single, log_of_normal_double)(x, nothing)


def log_of_normal_single(x: Any, more: Any) -> Any:
    """log(x 2^more), from x = 2^(n / UNIT) (1 + r) e^p: exponents stay among the bits. The last product with p is an
    exact sum, and 0 near 1; what the others lose is that much less."""
    from_start = narrow(x, bits(x) - bits(type(x)(START)))
    exponent = narrow(x, from_start & -(1 << 23))
    factor, part = picks(FACTORS, from_start >> 19)
    n = np.float32(exponent) + more * type(x)(UNIT)
    r = fma(from_bits(x, narrow(x, bits(x) - exponent)), factor, -1.0)
    rest = fma(r * r, polynomial(r, LOG_SMALL, LOG_SMALL), fma(n, LN2_UNITS[1], r))
    return fma(n, LN2_UNITS[0], part) + rest


def log_of_normal_double(x: Any, more: Any) -> Any:
    k, f = log_around_one(x)
    return log_of_parts_double(number_double(k) + more, f)


def log_of_parts_double(n: Any, f: Any) -> Any:
    first = fma(n, LN2_DOUBLE[0], f)  # n times the constant is exact, so the next line has what this sum lost
    lost = fma(n, LN2_DOUBLE[0], -first) + f
    return first + (lost + fma(n, LN2_DOUBLE[1], tail_double(f)))


def log2(x: Any) -> Any:
    """The logarithm to the base 2; error at most 0.9 and 1.0 ulp."""
    n, f = parts(x)
    return at_limits(x, choose(x, log2_of_parts_single, log2_of_parts_double)(n, f))


def log2_of_normal(x: Any) -> Any:
    n, f = parts_of_normal(x)
    return choose(x, log2_of_parts_single, log2_of_parts_double)(n, f)


def log2_of_parts_single(n: Any, f: Any) -> Any:
    """n + log2(1 + f)."""
    low = f * type(f)(LOG2_E_SINGLE[1])
    return n + fma(f, LOG2_E_SINGLE[0], fma(-(f * f), polynomial(f, LOG2_SINGLE, LOG2_SINGLE), low))


def log2_of_parts_double(n: Any, f: Any) -> Any:
    first, second = in_base(f, LOG2_E_DOUBLE[0], LOG2_E_DOUBLE[1])
    return total(n, first, second)


def log10(x: Any) -> Any:
    """The logarithm to the base 10; error at most 0.8 and 0.7 ulp."""
    n, f = parts(x)
    return at_limits(x, choose(x, log10_of_parts_single, log10_of_parts_double)(n, f))


def log10_of_normal(x: Any) -> Any:
    n, f = parts_of_normal(x)
    return choose(x, log10_of_parts_single, log10_of_parts_double)(n, f)


def log10_of_parts_single(n: Any, f: Any) -> Any:
    """n log10(2) + log10(1 + f)."""
    factor = type(f)(LOG10_E_SINGLE[0])
    first = f * factor
    low = fma(n, LOG10_2_SINGLE[1], fma(f, LOG10_E_SINGLE[1], fma(f, factor, -first)))
    low = fma(f * f, fma(f, polynomial(f, LOG10_HIGHER, LOG10_HIGHER), LOG10_LOWEST), low)
    return total(n * type(n)(LOG10_2_SINGLE[0]), first, low)


def log10_of_parts_double(n: Any, f: Any) -> Any:
    first, second = in_base(f, LOG10_E_DOUBLE[0], LOG10_E_DOUBLE[1])
    return total(n * LOG10_2_DOUBLE[0], first, fma(n, LOG10_2_DOUBLE[1], second))


def in_base(f: Any, factor: Any, low: Any) -> Any:
    """(factor + low) log(1 + f) as a sum of two numbers, the second far smaller."""
    tail = tail_double(f)
    value = f + tail
    first = value * factor
    return first, fma(value, factor, -first) + fma(value, low, (f - value + tail) * factor)


def log_of_sum(x: Any, low: Any, more: Any) -> Any:
    """log(2^more (x + low)) for a normal number `x` and a `low` far smaller."""
    return at_limits(x, log_of_normal_sum(x, low, more))


def log_of_normal_sum(x: Any, low: Any, more: Any) -> Any:
    k, f = log_around_one(x)
    low *= power_of_two(x, -select(k < 64, k, 64))
    first = f + low
    lost = f - first + low
    n = number(x, k) + more
    rest = fma(n, choose(x, LN2_SINGLE[1], LN2_DOUBLE[1]), tail_of(first) + fma(-first, lost, lost))
    return total(n * choose(x, LN2_SINGLE[0], LN2_DOUBLE[0]), first, rest)


def plus_one(x: Any) -> Any:
    result = type(x)(1) + x
    part = result - type(x)(1)
    return result, (type(x)(1) - (result - part)) + (x - part)


def log1p(x: Any) -> Any:
    """log(1 + x); error at most 0.9 and 0.9 ulp."""
    return choose(x, log1p_single, log1p_double)(x)


def log1p_common(x: Any) -> Any:
    return choose(x, log1p_small, log1p_double_small)(x)


def log1p_single(x: Any) -> Any:
    above = type(x)(1) + x
    k = minus_exponent(above)
    power = narrow(x, bits(type(x)(1)) + (k << 23))
    part = from_bits(x, select(power > 0, power, narrow(x, 0)))  # 0 where 2^-k is no normal number
    return at_limits(above, log1p_of_parts(x, k, part))


def log1p_small(x: Any) -> Any:
    k = minus_exponent(type(x)(1) + x)
    return log1p_of_parts(x, k, from_bits(x, narrow(x, bits(type(x)(1)) + (k << 23))))


def minus_exponent(x: Any) -> Any:
    """k with sqrt(1/2) <= 2^k x < sqrt(2), about, for a float32."""
    return narrow(x, 0x3F3504F3 + (1 << 23) - 1 - bits(x)) >> 23


def log1p_of_parts(x: Any, k: Any, part: Any) -> Any:
    """log(1 + x) from part = 2^k: 2^k (1 + x) - 1 = f and what is lost. Of -0.0 nothing but -0.0 is left."""
    n, scaled = np.float32(k), from_bits(x, narrow(x, bits(x) + (k << 23)))
    below = type(x)(1) - part
    f = scaled - below
    lost = scaled - (below + f)
    rest = fma(n, -LN2_BELOW[1], fma(-f, lost, lost))
    rest = fma(f * f, fma(f, polynomial(f, LOG_HIGHER, LOG_HIGHER), LOG_LOWEST), rest)
    return fma(n, -LN2_BELOW[0], f + rest)


def log1p_double(x: Any) -> Any:
    above, low = plus_one(x)
    return select(x == 0, x, log_of_sum(above, low, 0.0))


def log1p_double_small(x: Any) -> Any:
    above, low = plus_one(x)
    return select(x == 0, x, log_of_normal_sum(above, low, 0.0))
