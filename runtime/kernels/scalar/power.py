"""x^y, 1 / sqrt(x) and sqrt(x^2 + y^2) for real numbers. A power is 2^(y log2|x|), with a sign. The logarithm needs as
many more bits than the result as y log2|x| has before the point: float32 is computed in float64, and float64 in pairs
of numbers. 1 / x without a division: the bits of a constant less those of x are those of a number that is wrong by a
twentieth at most; a step makes of an error its third power, by products and sums that are rounded once."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, fma, from_bits, narrow, polynomial, root, select
from .exp import EXP2_DOUBLE, clamped, exp2, power_of_two, round_to_int, scaled, with_sign
from .log import log_around_one, normal, number

INVERSE_ESTIMATE_BITS = (0x7EF311C7, 0x7FDE6238E0000000)


TWO = (1 << 23, 1 << 52)  # added to the bits of a number it makes two of one


def inverse_estimate(x: Any) -> Any:
    """1 / x, wrong by a twentieth at most, where both are normal numbers."""
    return from_bits(x, narrow(x, choose(x, INVERSE_ESTIMATE_BITS[0], INVERSE_ESTIMATE_BITS[1]) - bits(x)))


def inverse_estimate_of_half(x: Any) -> Any:
    return from_bits(
        x, narrow(x, choose(x, INVERSE_ESTIMATE_BITS[0] + TWO[0], INVERSE_ESTIMATE_BITS[1] + TWO[1]) - bits(x))
    )


def inverse(x: Any) -> Any:
    """1 / x where both are normal numbers; error at most 0.6 ulp in float32, and 2^-38 of it in float64. Of 0, infinity
    and nan it is nan, or a number of the other sign."""
    return closer(x, closer(x, inverse_estimate(x)))


def closer(x: Any, value: Any) -> Any:
    """What is as close to 1 / x as the third power of what `value` is wrong by."""
    lost = fma(-x, value, 1.0)
    return fma(value, fma(lost, lost, lost), value)


# log2((1 + s) / (1 - s)) = s P(s^2) for |s| < 0.1717: relative error at most 2^-45.0
LOG2_WIDE = (
    0.28291626558671273, 0.319904568259858,   0.41220927998081996, 0.5770779420905227,
    0.9617966941142869,  2.8853900817778495,
)  # fmt: skip
# (2^r - 1) / r for |r| <= 0.5: error of 2^r at most 2^-34.2
EXP2_WIDE = (
    1.5314933376241466e-05, 0.0001546724480200408,  0.0013333430735555604,  0.009618036515603117,
    0.05550410962804009,    0.2402265107835221,     0.6931471805415724,
)  # fmt: skip
# log2((1 + s) / (1 - s)) = s (A + s^2 (A / 3 + s^2 P(s^2))) for |s| < 0.1717, A and A / 3 in two parts: relative
# error at most 2^-66.2
LOG2_FIRST = (2.8853900817779268, 4.0710547481862066e-17)
LOG2_SECOND = (0.9617966939259756, 5.0577616648125907e-17)
LOG2_DOUBLE = (
    0.19039229365759572, 0.19125441638506763, 0.22198403015018975, 0.26230770040694135,
    0.3205989022820511,  0.4121985830918901,  0.5770780163556181,
)  # fmt: skip

INFINITE = 0x7F800000  # the bits of infinity


def power(x: Any, y: Any) -> Any:
    """x^y; error at most 0.6 and 1.0 ulp."""
    value = choose(x, power_single, power_double)(abs(x), y)
    even = is_integral(y * type(y)(0.5))
    value = select((bits(x) < 0) & (is_integral(y) & (not even)), -value, value)
    value = select((x < 0) & (x > -math.inf) & (not is_integral(y)), type(x)(math.nan), value)
    return select((y == 0) | (x == 1) | ((x == -1) & (abs(y) == math.inf)), type(x)(1), value)


def is_integral(x: Any) -> Any:
    x, shift = abs(x), choose(x, 2.0**23, 2.0**52)
    return (x >= shift) | ((x + shift) - shift == x)


def at_limits(x: Any, value: Any) -> Any:
    return select(x == 0, -math.inf, select(x < math.inf, value, x))


def power_single(x: Any, y: Any) -> Any:
    """x^y for x >= 0, in float64."""
    wide = np.float64(x)
    k, f = log_around_one(wide)
    s = f / (2.0 + f)
    value = fma(s, polynomial(s * s, LOG2_WIDE, LOG2_WIDE), number(wide, k))
    exponent = clamped(y * at_limits(wide, value), -200.0, 200.0)  # float32 ends at 2^128 and 2^-149
    n, k = round_to_int(exponent)
    r = exponent - n
    return np.float32(fma(r, polynomial(r, EXP2_WIDE, EXP2_WIDE), 1.0) * power_of_two(r, k))


def power_double(x: Any, y: Any) -> Any:
    """x^y for x >= 0: the exponent is a sum of two numbers."""
    first, second = log2_parts(x)
    first = at_limits(x, first)
    exponent = y * first
    # Beyond 2000 the power is infinite or 0 without `low`, which an infinite exponent would make nan.
    low = select(abs(exponent) < 2000.0, fma(y, first, -exponent) + y * second, 0.0)
    exponent = clamped(exponent, -1100.0, 1100.0)
    n, k = round_to_int(exponent)
    r = exponent - n + low
    return scaled(fma(r, polynomial(r, EXP2_DOUBLE, EXP2_DOUBLE), 1.0), k)


def log2_parts(x: Any) -> Any:
    """log2(x) as a sum of two numbers, for x > 0."""
    y, more = normal(x)
    k, f = log_around_one(y)
    below = 2.0 + f
    part = 1.0 / below
    s = f * part
    s_low = (fma(-s, below, f) - s * (2.0 - below + f)) * part
    square = s * s
    square_low = fma(s, s, -square) + 2.0 * s * s_low
    first, second = plus(LOG2_SECOND[0], square * polynomial(square, LOG2_DOUBLE, LOG2_DOUBLE), LOG2_SECOND[1])
    first, second = times(square, square_low, first, second)
    first, second = plus(LOG2_FIRST[0], first, second + LOG2_FIRST[1])
    first, second = times(s, s_low, first, second)
    return plus(number(x, k) + more, first, second)


def plus(x: Any, y: Any, low: Any) -> Any:
    """x + y + low as a rounded sum and the rest; |x| >= |y| or 0."""
    result = x + y
    return result, (x - result + y) + low


def times(x: Any, x_low: Any, y: Any, y_low: Any) -> Any:
    """(x + x_low) (y + y_low) as a rounded product and the rest."""
    result = x * y
    return result, fma(x, y, -result) + fma(x, y_low, x_low * y)


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x); error at most 1.5 and 1.5 ulp."""
    return choose(x, rsqrt_single, rsqrt_double)(x)


def rsqrt_single(x: Any) -> Any:
    """Without a division, which takes as long as the root."""
    side = root(x)
    value = inverse(side)
    return select(value > 0, value, from_bits(x, narrow(x, INFINITE - bits(side))))  # of 0, infinity and nan


def rsqrt_double(x: Any) -> Any:
    return 1.0 / root(x)


def ldexp(x: Any, y: Any) -> Any:
    """x 2^y, rounded once: of a whole y, the steps before the last are exact, or lead out of the range for good."""
    power = clamped(y, choose(x, -400.0, -3200.0), choose(x, 400.0, 3200.0))
    integral, _ = round_to_int(power)
    first = power_step(x, integral)
    second = power_step(x, integral - first)
    rest = clamped(integral - first - second, choose(x, -126.0, -1022.0), choose(x, 127.0, 1023.0))
    fraction, grows = exp2(power - integral), (power > 0) & (abs(x) >= 1)  # no product leaves the range for nothing
    _, exponent = round_to_int(first)
    value = x * select(grows, fraction, 1.0) * power_of_two(x, exponent) * select(grows, 1.0, fraction)
    for step in (second, rest):
        _, exponent = round_to_int(step)
        value *= power_of_two(x, exponent)
    return select(y == y, value, y)


def power_step(x: Any, power: Any) -> Any:
    """A power of two whose product with x is exact, or so small that the next makes it 0."""
    small = power < choose(x, -126.0, -1022.0)
    high = choose(x, 127.0, 1023.0)
    return select(small, choose(x, -102.0, -969.0), select(power > high, high, power))


def hypot(x: Any, y: Any) -> Any:
    """sqrt(x^2 + y^2), scaled where a square would overflow or underflow; error at most 1.2 and 1.2 ulp."""
    scale, back = scales(x, y)
    first, second = x * scale, y * scale
    value = root(fma(first, first, second * second)) * back
    return select((abs(x) == math.inf) | (abs(y) == math.inf), type(x)(math.inf), value)


def direction(x: Any, y: Any) -> Any:
    """x / sqrt(x^2 + y^2), scaled in the same way; 0 at the origin, the sign of an infinite x."""
    scale, _ = scales(x, y)
    first, second = x * scale, y * scale
    size = root(fma(first, first, second * second))
    value = first / select(size == 0, 1.0, size)
    return select((abs(x) == math.inf) & (y == y), with_sign(type(x)(1), x), value)


def scales(x: Any, y: Any) -> Any:
    """A power of two that brings the larger number near 1 where its square leaves the range, and its inverse."""
    size = select(abs(x) > abs(y), abs(x), abs(y))
    huge, tiny = size > choose(x, 2.0**60, 2.0**500), size < choose(x, 2.0**-40, 2.0**-450)
    scale = select(huge, choose(x, 2.0**-70, 2.0**-600), select(tiny, choose(x, 2.0**90, 2.0**600), 1.0))
    return scale, select(huge, choose(x, 2.0**70, 2.0**600), select(tiny, choose(x, 2.0**-90, 2.0**-600), 1.0))
