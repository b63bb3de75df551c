"""Inverse circular functions of real numbers."""

import math
from typing import Any

from ...compiler.passes.primitives import bits, choose, fma, from_bits, polynomial, root, select
from .exp import with_sign
from .power import inverse_estimate_of_half

HALF_PI_SINGLE = (1.5707963705062866, -4.371138828673793e-08)
HALF_PI_DOUBLE = (1.5707963267948966, 6.123233995736766e-17)
# (asin(s) - s) / s^3 as a polynomial in s^2 for |s| <= 0.5: relative error of the arc at most 2^-31.6 and 2^-59.8
ASIN_SINGLE = (
    0.03757737949490547,  0.01438975427299738,  0.03182253986597061,  0.044514868408441544,
    0.0750051736831665,   0.16666659712791443,
)  # fmt: skip
ASIN_DOUBLE = (
    0.032629455006426236, -0.02099988736949783, 0.021707645557394746, 0.00370649904203781,
    0.010780178890263427, 0.011398935323265661, 0.013980816355920361, 0.017351612495223427,
    0.022372214952074285, 0.030381942709433438, 0.044642857174566807, 0.07499999999970863,
    0.1666666666666676,
)  # fmt: skip
# (atan(s) - s) / s^3 as a polynomial in s^2 for |s| <= 1: relative error of the arc at most 2^-31.0 and 2^-60.1
ATAN_SINGLE = (
    0.001134376390837133,  -0.007424777839332819, 0.022776667028665543,  -0.044982463121414185,
    0.06763613224029541,   -0.08821453899145126,  0.11061232537031174,   -0.14280343055725098,
    0.1999971568584442,    -0.333333283662796,
)  # fmt: skip
# The same with an error of at most 2^-28.5
ATAN_HIGHER = (
    -0.0017824993701651692, 0.010867607779800892, -0.031095588579773903, 0.05788051709532738,
    -0.08399280160665512,   0.10950877517461777,  -0.14264015853405,     0.1999852955341339,
)  # fmt: skip
ATAN_LOWEST = -0.33333298563957214
ATAN_DOUBLE = (
    -8.654524703893084e-06, 0.0001038795349542165,  -0.0005929526805176938, 0.0021518375944937383,
    -0.005613062142958259,  0.01131893131356239,    -0.01861599086912874,   0.026153570179061395,
    -0.03278699143978511,   0.038211065219776665,   -0.04286441174643124,   0.04744945857390381,
    -0.05259439822344591,   0.05881717573487346,    -0.0666658397549838,    0.07692299744984148,
    -0.09090908550363262,   0.11111111086643881,    -0.14285714285044362,   0.19999999999990611,
    -0.33333333333333287,
)  # fmt: skip


def quarter(x: Any) -> Any:
    return choose(x, HALF_PI_SINGLE[0], HALF_PI_DOUBLE[0]), choose(x, HALF_PI_SINGLE[1], HALF_PI_DOUBLE[1])


def half_root(x: Any) -> Any:
    """(1 - |x|) / 2, its square root, and what was lost when that was rounded."""
    square = (1.0 - abs(x)) * 0.5
    result = root(square)
    return square, result, fma(-result, result, square) * (0.5 / select(result == 0, 1.0, result))


def arc_parts(x: Any) -> Any:
    """Whether |x| > 1/2; then asin(s) for s = sqrt((1 - |x|) / 2), else asin(|x|): s, and what to add to it."""
    size = abs(x)
    large = size > 0.5
    square, root, low = half_root(x)
    square, start = select(large, square, size * size), select(large, root, size)
    return large, start, fma(start * square, polynomial(square, ASIN_DOUBLE, ASIN_DOUBLE), select(large, low, 0.0))


def sum_of(first: Any, low: Any, factor: Any, start: Any, tail: Any) -> Any:
    """first + low + factor (start + tail), |first| >= |factor start| or 0."""
    second = factor * start
    result = first + second
    return result + ((first - result + second) + fma(factor, tail, low))


def asin(x: Any) -> Any:
    """The arc sine; error at most 0.7 and 0.6 ulp. Near one asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))."""
    return choose(x, asin_single, asin_double)(x)


def acos(x: Any) -> Any:
    """The arc cosine; error at most 0.6 and 0.6 ulp."""
    return choose(x, acos_single, acos_double)(x)


def atan(x: Any) -> Any:
    """The arc tangent; error at most 1.1 and 1.1 ulp."""
    return choose(x, atan_single, atan_double)(x)


def asin_single(x: Any) -> Any:
    size = abs(x)
    large = size > 0.5
    rest = fma(size, -0.5, 0.5)
    side = root(rest)
    start = select(large, side * type(x)(-2), size)
    low = select(large, lost_by_root(side, rest, start) + type(x)(HALF_PI_SINGLE[1]), 0.0)
    tail = asin_tail(start, select(large, rest, size * size), low)
    return with_sign(sum_of_three(select(large, HALF_PI_SINGLE[0], type(x)(0)), start, tail), x)


def acos_single(x: Any) -> Any:
    size = abs(x)
    large = size > 0.5
    rest = fma(size, -0.5, 0.5)
    side = root(rest)
    start = select(large, side + side, -size)
    start = from_bits(x, bits(start) ^ (bits(x) & -(2**31)))
    times = select(large, select(x < 0, type(x)(2), 0.0), 1.0)  # quarter turns
    low = fma(times, HALF_PI_SINGLE[1], select(large, lost_by_root(side, rest, start), 0.0))
    tail = asin_tail(start, select(large, rest, size * size), low)
    return sum_of_three(times * type(x)(HALF_PI_SINGLE[0]), start, tail)


def lost_by_root(side: Any, square: Any, twice: Any) -> Any:
    """What `twice` lost when `side` was rounded, the square root of `square` and half of it or of -`twice`. That is the
    rest of the square over `side`; an inverse that is wrong by a twentieth is good enough for it."""
    return fma(-side, side, square) * inverse_estimate_of_half(twice)


def asin_tail(start: Any, square: Any, low: Any) -> Any:
    """2 asin(start / 2) - start + low, or asin(start) - start + low, for the square of what asin is taken of."""
    return fma(start * square, polynomial(square, ASIN_SINGLE, ASIN_SINGLE), low)


def sum_of_three(first: Any, second: Any, tail: Any) -> Any:
    """first + second + tail, |first| >= |second| or 0, both far larger than `tail`."""
    result = first + second
    return result + ((first - result + second) + tail)


def asin_double(x: Any) -> Any:
    large, start, tail = arc_parts(x)
    first, low = select(large, HALF_PI_DOUBLE[0], 0.0), select(large, HALF_PI_DOUBLE[1], 0.0)
    return with_sign(sum_of(first, low, select(large, -2.0, 1.0), start, tail), x)


def acos_double(x: Any) -> Any:
    large, start, tail = arc_parts(x)
    negative = x < 0
    times = select(large, select(negative, 2.0, 0.0), 1.0)  # quarter turns
    factor = select(large, -2.0, 1.0)
    first, low = times * HALF_PI_DOUBLE[0], times * HALF_PI_DOUBLE[1]
    return sum_of(first, low, select(negative, factor, -factor), start, tail)


def atan_single(x: Any) -> Any:
    """Of |x| > 1 it is pi/2 - atan(1 / |x|); what the division lost counts where the slope is about 0.57."""
    size = abs(x)
    large = size > 1
    size = select(size > 2.0**100, 2.0**100, size)
    start = select(large, type(x)(-1) / size, size)
    square = start * start
    low = fma(fma(start, size, 1.0) * start, 0.57, HALF_PI_SINGLE[1])
    factor = fma(square, polynomial(square, ATAN_HIGHER, ATAN_HIGHER), ATAN_LOWEST)
    tail = fma(start * square, factor, select(large, low, 0.0))
    return with_sign(sum_of_three(select(large, HALF_PI_SINGLE[0], type(x)(0)), start, tail), x)


def atan_double(x: Any) -> Any:
    size = abs(x)
    size = select(size > 2.0**100, 2.0**100, size)
    large = size > 1
    ratio = select(large, 1.0, size) / select(large, size, 1.0)
    low = select(large, fma(-ratio, size, 1.0) * ratio, 0.0)
    first, second = select(large, HALF_PI_DOUBLE[0], 0.0), select(large, HALF_PI_DOUBLE[1], 0.0)
    return with_sign(sum_of(first, second, select(large, -1.0, 1.0), ratio, atan_tail(ratio, low)), x)


def atan_tail(ratio: Any, low: Any) -> Any:
    """atan(ratio + low) - ratio for 0 <= ratio <= 1."""
    square = ratio * ratio
    derivative = fma(square, type(ratio)(-0.5), 1.0)  # about 1 / (1 + ratio^2)
    return fma(square * ratio, polynomial(square, ATAN_SINGLE, ATAN_DOUBLE), low * derivative)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y); error at most 1.0 and 1.0 ulp."""
    steep = abs(y) > abs(x)
    ratio, low = safe_ratio(select(steep, abs(x), abs(y)), select(steep, abs(y), abs(x)))
    negative = bits(x) < 0
    times = select(steep, type(x)(1), select(negative, type(x)(2), 0.0))  # quarter turns
    factor = select(steep != negative, type(x)(-1), 1.0)
    first, second = quarter(x)
    value = with_sign(sum_of(times * first, times * second, factor, ratio, atan_tail(ratio, low)), y)
    return select((x != x) | (y != y), x + y, value)


def safe_ratio(x: Any, y: Any) -> Any:
    """x / y rounded, and what was lost, for 0 <= x <= y; 0 / 0 is 0, and infinity over infinity 1."""
    infinite = y == math.inf
    x = select(infinite, select(x == math.inf, type(x)(1), 0.0), x)
    y = select(infinite | (y == 0), type(y)(1), y)
    scale = select(y > choose(x, 2.0**100, 2.0**1000), choose(x, 2.0**-60, 2.0**-400), 1.0)
    scale = select(y < choose(x, 2.0**-60, 2.0**-400), choose(x, 2.0**100, 2.0**600), scale)
    x, y = x * scale, y * scale
    ratio = x / y
    return ratio, fma(-ratio, y, x) * (type(y)(1) / y)
