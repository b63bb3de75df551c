"""Hurwitz's zeta function and derivatives of digamma. float32 is computed in float64, or by pieces."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import choose, fma, polynomial, select
from .gamma import digamma, has_square, rest_of_turn, sine_of_half, trigamma_positive
from .power import is_integral, power
from .trig import sin

EPSILON = 2.0**-54
WITHOUT_OVERFLOW = 20  # an order up to which neither n! nor the sum leave the range of numbers before the product does
# B_2k / (2 k)!, Bernoulli's numbers, for k = 1 to 13
EULER_MACLAURIN = (
    0.08333333333333333,     -0.001388888888888889,   3.306878306878307e-05,   -8.267195767195768e-07,
    2.08767569878681e-08,    -5.284190138687493e-10,  1.3382536530684679e-11,  -3.3896802963225827e-13,
    8.586062056277845e-15,   -2.174868698558062e-16,  5.5090028283602295e-18,  -1.3954464685812522e-19,
    3.534707039629467e-21,
)  # fmt: skip
# B_2k, Bernoulli's numbers, for k = 9 to 1
BERNOULLI = (
    54.971177944862156,   -7.092156862745098,   1.1666666666666667,   -0.2531135531135531,
    0.07575757575757576,  -0.03333333333333333, 0.023809523809523808, -0.03333333333333333,
    0.16666666666666666,
)  # fmt: skip
BERNOULLI_SHORT = BERNOULLI[-5:]
PI = 3.141592653589793


def zeta(s: Any, q: Any) -> Any:
    """The sum of (q + k)^-s over k >= 0; error at most 4.2 ulp for q > 0. For q < 0 only whole s have one."""
    return type(q)(zeta_double(np.float64(s), np.float64(q), 1.0))


def zeta_derivative(n: Any, s: Any, q: Any) -> Any:
    """The derivative of order n of zeta(s, q) by q: (-1)^n s (s + 1) ... (s + n - 1) zeta(s + n, q).

    The sum s + n is rounded, which changes each power by a factor (q + k)^-error. The factor of the first term corrects
    all: where others count, theirs differ from it by less than 1 ulp.
    """
    wide, start = np.float64(s), np.float64(q)
    if not wide >= 1 or (start < 0 and wide % 1.0 != 0):
        return type(q)(math.nan)
    factor, k = 1.0, 0.0
    while k < n:
        factor *= wide + k
        k += 1.0
    exponent = wide + n
    value, rounded_n = zeta_double(exponent, start, factor), exponent - wide
    if 0 < value < math.inf:
        value *= power(start, (exponent - rounded_n - wide) + (rounded_n - n))
    return type(q)(-value if n % 2 == 1 else value)


def zeta_double(s: Any, q: Any, factor: Any) -> Any:
    """factor zeta(s, q), factor >= 0. Below 0 the negative terms are those of two sums of positive ones: zeta(s, r) -
    zeta(s, 1 - q), r = -q mod 1."""
    if s == 1 or (q <= 0 and is_integral(q) and not s < 1):
        return math.inf
    if s != s or q != q or s < 1 or (q < 0 and not is_integral(s)):
        return math.nan
    rest, sign = -q - math.floor(-q) if q < 0 else 0.0, -1.0 if s % 2.0 == 1.0 else 1.0
    total = 0.0
    for k in range(3 if q < 0 else 1):  # one call of a function is compiled faster than three
        start = (1.0 - rest if q < 0 else q) if k == 0 else rest if k == 1 else 1.0 - q
        total += zeta_sum(s, start, 1.0, factor) * (1.0 if k == 0 else sign if k == 1 else -sign)
    return total


def zeta_sum(s: Any, q: Any, unit: Any, factor: Any) -> Any:
    """The sum of factor ((q + k) / unit)^-s for q > 0 and s > 1: the first terms, and the rest by the formula of Euler
    and Maclaurin."""
    total, term, bound = 0.0, 0.0, 10.0 + 0.5 * s
    small = EPSILON if s >= 2 else 0.0  # the sum of the terms after one is no small multiple of it where s is near 1
    while True:
        term = inverse_power(q / unit, s, factor)
        if q >= bound or term <= small * total:
            break
        total += term
        q += 1.0
    if term <= small * total and (
        total > 0 or q < bound or s == math.inf
    ):  # nothing is left of powers of numbers above 1
        return total
    scale = inverse_power(q / unit, s - 1.0, factor)
    if scale == 0:  # and the sum below may be inf * 0
        return total
    part = 1.0 / q
    rising, square, rest = s, part * part, 0.0
    power_of_part = square
    for k in range(13):
        rest += rising * power_of_part * EULER_MACLAURIN[k]
        rising *= (s + 2.0 * k + 1.0) * (s + 2.0 * k + 2.0)
        power_of_part *= square
    return total + unit * scale * (1.0 / (s - 1.0) + (0.5 * part + rest))


def inverse_power(q: Any, s: Any, factor: Any) -> Any:
    """factor q^-s, by products for the exponents of the second and third derivative of digamma."""
    if s == 2:
        return factor / q / q
    if s == 3:
        return factor / (q * q * q)
    if s == 4:
        return factor / (q * q * (q * q))
    halved = factor != 1  # the power may leave the range before the product does
    value = power(q, -0.5 * s if halved else -s)
    return value * factor * value if halved and value > 0 else value


def trigamma(x: Any) -> Any:
    """The derivative of digamma; error at most 1.2 and 4.5 ulp for x > 0."""
    return choose(x, trigamma_single, trigamma_double)(x)


def trigamma_single(x: Any) -> Any:
    return select(has_square(x), trigamma_positive(x), np.float32(trigamma_asymptotic(np.float64(x))))


def trigamma_asymptotic(x: Any) -> Any:
    """The same in float64: error at most 1e-9 times the largest term. The formula of Euler and Maclaurin from 7 on,
    where seven steps lead, and below 0 what mirrors x."""
    size, small, below = abs(x), abs(x) < 7.0, x < 0.0
    part = 1.0 / select(small, size + 7.0, size)
    square = part * part
    value = part + square * fma(part, polynomial(square, BERNOULLI_SHORT, BERNOULLI_SHORT), 0.5)
    value += select(small, squares_of_seven(size), 0.0)
    rest = rest_of_turn(size)
    cosecant, before = PI / sine_of_half(rest), 1.0 / size
    mirrored = cosecant * cosecant - value + before * before + (x - x)  # nan at minus infinity
    return select(below, mirrored, select(x == 0, math.inf, value))


def squares_of_seven(x: Any) -> Any:
    centered, square = x + 3.0, x * (x + 6.0)
    part = 1.0 / (square * (square + 5.0) * (square + 8.0))
    first = fma(square, fma(square, 3.0, 26.0), 40.0) * part
    second, third = centered * first, centered * part * fma(square, 6.0, 26.0)
    return 4.0 * fma(second, second, -centered * third) - 2.0 * first + 1.0 / (centered * centered)


def trigamma_double(x: Any) -> Any:
    """zeta(2, x): steps to 10, and from there the same formula without powers; pi^2 / sin(pi x)^2 less it below 0."""
    if x <= 0:
        if is_integral(x):
            return math.inf if x > -math.inf else math.nan
        rest = -x - math.floor(-x)  # exact, which x - floor(x) is not near 0
        sine = sin(PI * (rest if rest < 0.5 else 1.0 - rest)) / PI
        return 1.0 / (sine * sine) - trigamma_of_positive(1.0 - x)
    return trigamma_of_positive(x)


def trigamma_of_positive(x: Any) -> Any:
    total = 0.0
    while x < 10:
        total += 1.0 / (x * x)
        x += 1.0
    part = 1.0 / x
    square = part * part
    return total + (part + 0.5 * square + part * square * polynomial(square, BERNOULLI, BERNOULLI))


def polygamma(n: Any, x: Any) -> Any:
    """The derivative of order n of digamma: (-1)^(n+1) n! zeta(n + 1, x); error at most 5 ulp for x > 0."""
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    sign, wide = 1.0 if n % 2 == 1 else -1.0, np.float64(x)
    if n > WITHOUT_OVERFLOW and wide > 0 and wide < math.inf:
        return type(x)(sign * factorial(n, wide) / wide * zeta_sum(n + 1.0, wide, wide, 1.0))
    return type(x)(sign * factorial(n, 1.0) * zeta_double(n + 1.0, wide, 1.0))


def factorial(n: Any, unit: Any) -> Any:
    """n! / unit^n."""
    result, k = 1.0, 1.0
    while k <= n and 0 < result < math.inf:
        result *= k / unit
        k += 1.0
    return result


def polygamma_common(n: Any, x: Any) -> Any:
    return trigamma_positive(x)
