"""Sine, cosine and tangent of real numbers of any size. float32 is reduced to [-pi/16, pi/16] and a multiple of pi / 8,
whose sine and cosine are looked up: sin(a + r) = sin(a) cos(r) + cos(a) sin(r); for tangents to half of these. From
2^17 on it is computed in float64, in half turns: x / pi = n + r, sin(x) = (-1)^n sin(pi r). float64 is reduced to
[-pi/4, pi/4] and a number of quarter turns. Numbers below 2^17 and 2^20 are reduced by three parts of pi / 8 and pi /
2, after W. Cody and W. Waite, "Software manual for the elementary functions", 1980; other float64 after M. Payne and R.
Hanek, "Radian reduction for trigonometric functions", 1983: of the bits of 2 / pi only those count that make the
product with `x` neither a multiple of four nor too small."""

from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, choose, fma, from_bits, narrow, pick, picks, polynomial, select
from .piecewise_polynomial import UNITS, single
from .power import inverse

# floor(2^1161 * 2 / pi) in words of 64 bits (as signed numbers), the first 54 bits being zero.
TWO_OVER_PI = (
    325,                  -934817307775314952,  5669930683074314678,  -4239239130994670596,
    -6717303847933787282, 5250199378502991884,  -7899924990531454468, 4311696787721059793,
    318605885801302483,   4098360773183308403,  2570555959721322809,  630248293968934463,
    -1067353403556880418, 6783290426449870554,  7853607389861473950,  -8322989400534000918,
    5725640658272843386,  1041438810801820887,  -666706196656680788,
)  # fmt: skip
PI_WINDOWS = tuple(TWO_OVER_PI[k : k + 16] for k in range(4))
HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
# In three parts, the second of 32 bits: whole numbers below 2^20 times that have no rounding error.
HALF_PI_PARTS = (1.5707963267948966, 6.12323399667708e-17, -9.403137205957857e-27)
QUARTERS = 0.6366197723675814  # 2 / pi
SMALL_LIMIT = 2.0**20
LOW = 0xFFFFFFFF  # the lower half of a word
FRACTION = (1 << 52) - 1
INTEGRAL_FROM = 2.0**52  # from here on the last bit of a float64 is worth 1
SIGNED_INTEGRAL_FROM = 1.5 * 2.0**52  # from here on, up to 2^53, as well


def quadrant_of(x: Any, ahead: Any) -> Any:
    """n + ahead, r and lost with x = n pi/2 + (r - lost) modulo 2 pi, |r| <= pi/4; nan for what is not finite."""
    small_branch, asymptotic = quadrant_fast(x, ahead), quadrant_full(x, ahead)
    is_small = abs(x) < SMALL_LIMIT
    return (
        select(is_small, small_branch[0], asymptotic[0]),
        select(is_small, small_branch[1], asymptotic[1]),
        select(is_small, small_branch[2], asymptotic[2]),
    )


def quadrant_fast(x: Any, ahead: Any) -> Any:
    """The same for |x| < 2^20, with n + ahead from the last bit of a number on. Of -0.0, r is that and lost 0.0. The
    first product and its sum are exact, multiples of 2^-53 and below 1. The second product is a multiple of 2^-85 and
    below 2^-34: so is r where the first sum is smaller, and else r - first is exact."""
    shifted = fma(x, QUARTERS, SIGNED_INTEGRAL_FROM + ahead)
    n = shifted - (SIGNED_INTEGRAL_FROM + ahead)
    first = fma(-n, HALF_PI_PARTS[0], x)
    r = fma(-n, HALF_PI_PARTS[1], first)
    return bits(shifted), r, fma(n, HALF_PI_PARTS[2], fma(n, HALF_PI_PARTS[1], r - first))


def quadrant_full(x: Any, ahead: Any) -> Any:
    n, fraction, low = reduced_angle(abs(x))
    fraction, low = select(x < 0, -fraction, fraction), select(x < 0, -low, low)
    r = fraction * HALF_PI[0]
    lost = fma(fraction, -HALF_PI[0], r) - fma(fraction, HALF_PI[1], low * HALF_PI[0])
    return select(x < 0, -n, n) + bits(SIGNED_INTEGRAL_FROM + ahead), r + (x - x), lost


def reduced_angle(x: Any) -> Any:
    """n and a fraction of a quarter turn, as a sum of two numbers, |fraction| <= 1/2; for finite x >= 0.5. The
    significand of `x`, a whole number, times 192 bits of 2 / pi, modulo 2^192: of the product the upper 128 bits are
    used, of which the first two are n, rounded down."""
    pattern = bits(x)
    shift = (pattern >> 52) - 1023
    significand = (pattern & FRACTION) | (FRACTION + 1)
    significand, shift = select(shift < 0, significand, significand << 1), select(shift < 0, 0, shift)
    first, second, third = window(shift >> 6 & 15, shift & 63)
    upper, lower = product(significand, second)
    upper += significand * first
    lower += upper_product(significand, third)
    nearest = upper + (1 << 61) >> 62
    rest = upper << 2  # modulo the quarter turns; signed
    start = (rest >> 11) + 1 >> 1
    end = fma(lower, 2.0**-62, signed(rest - (start << 12))) * 2.0**-64
    start = signed(start) * 2.0**-52
    fraction = start + end
    return nearest, fraction, start - fraction + end


def window(word: Any, bit: Any) -> Any:
    """Three words of 2 / pi from a bit of a word on."""
    a, b, c, d = (
        pick(PI_WINDOWS[0], word),
        pick(PI_WINDOWS[1], word),
        pick(PI_WINDOWS[2], word),
        pick(PI_WINDOWS[3], word),
    )
    return merged_halves(a, b, bit), merged_halves(b, c, bit), merged_halves(c, d, bit)


def merged_halves(upper: Any, lower: Any, bit: Any) -> Any:
    """The word that begins at a bit of `upper` and ends in `lower`."""
    return (upper << bit) | ((lower >> 1 & (1 << 63) - 1) >> 63 - bit)


def half(x: Any) -> Any:
    return x >> 32 & LOW


def product(x: Any, word: Any) -> Any:
    """x times a word, x < 2^54: the upper word of the product, and the lower one as a float64."""
    last = (x & LOW) * (word & LOW)
    mid_bits = (x & LOW) * half(word) + half(last)
    other = half(x) * (word & LOW) + (mid_bits & LOW)
    return half(x) * half(word) + half(mid_bits) + half(other), fma(
        unsigned(other & LOW), 2.0**32, unsigned(last & LOW)
    )


def upper_product(x: Any, word: Any) -> Any:
    """The upper word of the product as a float64, x < 2^54."""
    result = half(x) * half(word) + half((x & LOW) * half(word)) + half(half(x) * (word & LOW))
    return fma(unsigned(half(result)), 2.0**32, unsigned(result & LOW))


def signed(k: Any) -> Any:
    """A whole number |k| <= 2^51 as a float64."""
    return from_bits(SIGNED_INTEGRAL_FROM, bits(SIGNED_INTEGRAL_FROM) + k) - SIGNED_INTEGRAL_FROM


def unsigned(k: Any) -> Any:
    """A whole number 0 <= k < 2^52 as a float64."""
    return from_bits(INTEGRAL_FROM, bits(INTEGRAL_FROM) | k) - INTEGRAL_FROM


SIGN = -(2**63)  # the bit of a float64's sign
# From |x| = 2^50, 2^77 and 2^104 on, `x` is a multiple of 2^27, 2^54 and 2^81, so that even numbers over these may be
# subtracted from 1 / pi: a multiple of two half turns of `x`. In two parts each, of together 106 bits; the first two
# are positive, so that of -0.0 nothing but -0.0 is left.
HALF_TURN = (
    (0.31830988618379064, 3.583247455607534e-17),      (-2.0598845603958264e-09, 1.4188110088932633e-25),
    (3.583247455607534e-17, -1.0721436282893004e-33),  (-2.7170920538718753e-25, 1.9429493537593412e-41),
)  # fmt: skip
# sin(pi r) / r as a polynomial in r^2 for |r| <= 0.533: relative error at most 2^-34.2
SIN_WIDE = (
    -0.006973539690179468, 0.08201643103553449,   -0.599244860279634,    2.5501626745870145,
    -5.167712744892717,    3.1415926534397722,
)  # fmt: skip
# (r - sin(r)) / r^3 and (cos(r) - 1) / r^2 as polynomials in r^2 for |r| < 0.7854: error at most 2^-58.0 relative to
# the sine, 2^-64.1 of the cosine
SIN_DOUBLE = (
    -1.5896908445527714e-10, 2.505076023135349e-08,   -2.755731370695955e-06,  0.00019841269829857738,
    -0.00833333333332249,    0.16666666666666632,
)  # fmt: skip
COS_DOUBLE = (
    -1.1359944282737487e-11, 2.0875729471804202e-09,  -2.7557314402355535e-07, 2.4801587289675518e-05,
    -0.0013888888888874478,  0.0416666666666666,      -0.5,
)  # fmt: skip
# (sin(r) - r) / r^3 and (cos(r) - 1) / r^2 as polynomials in r^2 for |r| <= 0.1964: error at most 2^-30.8 of the sine,
# 2^-39.3 of the cosine
SIN_SHORT = (0.008321994915604591, -0.16666652262210846)
COS_SHORT = (-0.0013872795971110463, 0.04166664183139801, -0.5)


def of_turn(quarter: tuple[float, ...]) -> tuple[float, ...]:
    """What the sine has at the multiples of pi / 8 in a turn, of what it has at the five in the first quarter."""
    half = (*quarter, *quarter[3:0:-1])
    return (*half, *(-value for value in half))


def table_from(k: int) -> tuple[tuple[np.float32, ...], ...]:
    """SINES and COSINES, and the next bits, of half a turn from a place on, twice: the other half has other signs. Of
    equal registers, which hold eight numbers each or fewer, processors need one."""
    rows = (SINES, SINES[4:] + SINES[:4], SINES_LOW, SINES_LOW[4:] + SINES_LOW[:4])
    return single(*(2 * (row + row)[k : k + 8] for row in rows))


# sin(k pi / 8) as float32, and what is to be added to that: the next bits. The first is -0.0, so that a sum with -0.0
# is that too.
SINES = of_turn((-0.0, 0.3826834261417389, 0.7071067690849304, 0.9238795042037964, 1.0))
SINES_LOW = of_turn((0.0, 6.2233507236442165e-09, 1.2101617485882343e-08, 2.830748968563057e-08, 0.0))
AT_SIXTEENTHS, AFTER_QUARTER = table_from(0), table_from(4)
# pi / 8 in three float32, of which the first is a multiple of 2^-26.
SIXTEENTH = (0.39269906282424927, 1.887447531601083e-08, -4.2878112750147047e-16)
SIXTEENTHS = 2.546479089470325  # 8 / pi
FAST_REDUCTION_LIMIT_F32 = 2.0**17
HALF_SIXTEENTH = (0.19634953141212463, 9.437237658005415e-09, -2.1439056375073523e-16)
HALF_SIXTEENTHS = 5.092958178940651  # 16 / pi
# (tan(r) - r) / r^3 as a polynomial in r^2 for |r| <= 0.0985: error at most 2^-28.9 of the tangent
TAN_SHORT = (0.13406476378440857, 0.3333311378955841)
# Whole numbers in the proportion of sin(k pi / 16) to cos(k pi / 16), but for 2^-29.3 of it, and so small that sums of
# them, with one as factor that has eight digits, are exact. The first make of 0.0 and -0.0 themselves.
SINE_INTEGERS = (-0.0, 7352.0, 13860.0, 27694.0, 1.0, 41447.0, 33461.0, 36961.0, 1.0)
COSINE_INTEGERS = (-1.0, *SINE_INTEGERS[7:0:-1], 0.0)
AT_HALF_SIXTEENTHS = single(
    SINE_INTEGERS + SINE_INTEGERS[7:0:-1], COSINE_INTEGERS + tuple(-c for c in COSINE_INTEGERS[7:0:-1])
)
EIGHT_DIGITS = -1 << 16  # the bits of a float32's sign, exponent, and first digits
# tan(pi r) (1/4 - r^2) / r as a polynomial in r^2 for |r| <= 0.5405: relative error at most 2^-28.2
TAN_WIDE = (
    -0.014964480113595514, -0.020666028878205848, -0.052934298977220545, -0.13474795682752147,
    -0.5577368283932835,   0.7853981658272671,
)  # fmt: skip
# (tan(r) - r) / r^3 as a polynomial in r^2 for |r| < 0.7854: relative error of the tangent at most 2^-60
TAN_DOUBLE = (
    9.700315359451396e-06,   -2.3829017227485743e-05, 4.77344673381713e-05,    -2.454900409869429e-05,
    6.635927776102484e-05,   8.403613470557165e-05,   0.00024356279477235585,  0.0005889179994473737,
    0.0014560346985486301,   0.003592102434460468,    0.008863237770041213,    0.021869488409064056,
    0.05396825397252807,     0.13333333333326092,     0.33333333333333376,
)  # fmt: skip


def sin(x: Any) -> Any:
    """The sine; error at most 0.6 and 1.2 ulp."""
    return choose(x, sin_single, sin_double)(x)


def cos(x: Any) -> Any:
    """The cosine; error at most 0.6 and 1.2 ulp."""
    return choose(x, cos_single, cos_double)(x)


def tan(x: Any) -> Any:
    """The tangent; error at most 0.6 and 1.2 ulp."""
    return choose(x, tan_single, tan_double)(x)


def sin_without_tables(x: Any) -> Any:
    """The sine for functions of complex numbers, which call it: LLVM does not inline what looks up in tables."""
    return choose(x, sin_full_reduction, sin_double)(x)


def cos_without_tables(x: Any) -> Any:
    return choose(x, cos_full_reduction, cos_double)(x)


def half_turn(x: Any) -> Any:
    """1 / pi for a number as large as `x`, as a sum of two numbers."""
    size = abs(x)
    first, low = HALF_TURN[0]
    first, low = select(size < 2.0**50, first, HALF_TURN[1][0]), select(size < 2.0**50, low, HALF_TURN[1][1])
    first, low = select(size < 2.0**77, first, HALF_TURN[2][0]), select(size < 2.0**77, low, HALF_TURN[2][1])
    return select(size < 2.0**104, first, HALF_TURN[3][0]), select(size < 2.0**104, low, HALF_TURN[3][1])


def half_revolutions(x: Any, inverse: Any) -> Any:
    """n, from the last bit of a number on, and r with x / pi = n + r, |r| <= 0.533."""
    first, low = inverse
    shifted = fma(x, first, SIGNED_INTEGRAL_FROM)
    return shifted, fma(x, low, fma(x, first, -(shifted - SIGNED_INTEGRAL_FROM)))


def odd_quadrant(x: Any, inverse: Any) -> Any:
    """n + 1, from the last bit of a number on, and r with x / pi = n + 1/2 + r, |r| <= 0.533."""
    first, low = inverse
    shifted = fma(x, first, -0.5) + (SIGNED_INTEGRAL_FROM + 1.0)
    return shifted, fma(x, low, fma(x, first, -(shifted - (SIGNED_INTEGRAL_FROM + 1.0) + 0.5)))


def sin_of_revolutions(revolutions: Any) -> Any:
    """sin(pi (n + r)) in float32, |r| <= 0.533."""
    shifted, r = revolutions
    value = r * polynomial(r * r, SIN_WIDE, SIN_WIDE)
    return np.float32(from_bits(value, bits(value) ^ (bits(shifted) << 63)))


def multiples(x: Any, inverse: Any, part: Any) -> Any:
    """n, from the last bit of a number on, r and low with x = n a + (r + low), |r| <= 0.501 a, for |x| < 2^17. The
    constant a is the sum of three parts. Of -0.0 both r and low are that."""
    units = type(x)(UNITS)
    shifted = fma(x, inverse, units)
    n = shifted - units
    first = fma(-n, part[0], x)  # exact: a multiple of 2^-27, and below 1/8, or of 2^-26 and 1/4, or `x` itself
    r = first - n * type(x)(part[1])
    return bits(shifted), r, -fma(n, part[2], fma(n, part[1], r - first))


def sin_after(column: Any, r: Any, low: Any) -> Any:
    """sin(a + r + low) of sin(a), cos(a) and their next bits. Of sin(a) + cos(a) r, rounded, what was lost counts too.
    It is computed as what is to be subtracted."""
    sine, cosine, sine_low, cosine_low = column
    square = r * r
    value = fma(cosine, r, sine)
    lost = fma(-cosine_low, r, fma(-cosine, r, value - sine)) - sine_low
    lost = fma(-cosine, fma(r * square, polynomial(square, SIN_SHORT, SIN_SHORT), low), lost)
    return value - fma(-(sine * square), polynomial(square, COS_SHORT, COS_SHORT), lost)


def with_sign_of(value: Any, n: Any) -> Any:
    """A value from the first half of a turn, n sixteenths from which it lies; those of the other are negative."""
    return from_bits(value, bits(value) ^ narrow(value, (n & 8) << 28))


def sin_fast_reduction(x: Any) -> Any:
    n, r, low = multiples(x, SIXTEENTHS, SIXTEENTH)
    return with_sign_of(sin_after(picks(AT_SIXTEENTHS, n), r, low), n)


def cos_fast_reduction(x: Any) -> Any:
    """The cosine, which is the sine a quarter turn further."""
    n, r, low = multiples(x, SIXTEENTHS, SIXTEENTH)
    return with_sign_of(sin_after(picks(AFTER_QUARTER, n), r, low), n)


def sin_full_reduction(x: Any) -> Any:
    return sin_of_revolutions(half_revolutions(np.float64(x), half_turn(np.float64(x))))


def cos_full_reduction(x: Any) -> Any:
    return sin_of_revolutions(odd_quadrant(np.float64(x), half_turn(np.float64(x))))


def sin_single(x: Any) -> Any:
    return select(abs(x) < FAST_REDUCTION_LIMIT_F32, sin_fast_reduction(x), sin_full_reduction(x))


def cos_single(x: Any) -> Any:
    return select(abs(x) < FAST_REDUCTION_LIMIT_F32, cos_fast_reduction(x), cos_full_reduction(x))


def tan_single(x: Any) -> Any:
    return select(abs(x) < FAST_REDUCTION_LIMIT_F32, tan_fast_reduction(x), tan_full_reduction(x))


def tan_fast_reduction(x: Any) -> Any:
    """The tangent of a float32 below 2^17: (s + c t) / (c - s t), t = tan(r), where s / c is that of a multiple. The
    quotient's first eight digits have an exact rest, of which t is needed as a sum of two numbers."""
    n, r, low = multiples(x, HALF_SIXTEENTHS, HALF_SIXTEENTH)
    sine, cosine = picks(AT_HALF_SIXTEENTHS, n)
    square = r * r
    low = fma(r * square, polynomial(square, TAN_SHORT, TAN_SHORT), low)
    t = r + low
    part = type(x)(1) / fma(-sine, t, cosine)
    ratio = fma(cosine, t, sine) * part
    ratio = from_bits(ratio, narrow(ratio, bits(ratio) & EIGHT_DIGITS))
    tan_derivative = fma(ratio, sine, cosine)
    return fma(fma(tan_derivative, low, fma(tan_derivative, r, fma(-ratio, cosine, sine))), part, ratio)


def tan_full_reduction(x: Any) -> Any:
    return tan_of_revolutions(half_revolutions(np.float64(x), half_turn(np.float64(x))))


def tan_of_revolutions(revolutions: Any) -> Any:
    """tan(pi (n + r)) in float32."""
    _, r = revolutions
    above = r * polynomial(r * r, TAN_WIDE, TAN_WIDE)
    return np.float32(above * inverse(fma(-r, r, 0.25)))


def sin_double(x: Any) -> Any:
    return sin_of_quarters(quadrant_of(x, 0.0))


def sin_double_fast_reduction(x: Any) -> Any:
    return sin_of_quarters(quadrant_fast(x, 0.0))


def cos_double(x: Any) -> Any:
    return sin_of_quarters(quadrant_of(x, 1.0))


def cos_double_fast_reduction(x: Any) -> Any:
    return sin_of_quarters(quadrant_fast(x, 1.0))


def sin_of_quarters(revolutions: Any) -> Any:
    """The sine of n quarter turns and r - lost."""
    n, r, lost = revolutions
    value = select((n & 1) == 0, sin_part(r, lost), cos_part(r, lost))
    return from_bits(value, bits(value) ^ ((n << 62) & SIGN))


def sin_part(r: Any, lost: Any) -> Any:
    """sin(r - lost) for |r| <= pi/4, but for lost r^2 / 2; of -0.0 and 0.0 - that is, of 0.0 lost - itself."""
    square = r * r
    return r - fma(square * r, polynomial(square, SIN_DOUBLE, SIN_DOUBLE), lost)


def cos_part(r: Any, lost: Any) -> Any:
    """cos(r - lost) for |r| <= pi/4."""
    square = r * r
    return 1.0 + fma(square, polynomial(square, COS_DOUBLE, COS_DOUBLE), r * lost)


def tan_double(x: Any) -> Any:
    return tan_of_quarters(x, quadrant_of(abs(x), 0.0))


def tan_double_fast_reduction(x: Any) -> Any:
    return tan_of_quarters(x, quadrant_fast(abs(x), 0.0))


def tan_of_quarters(x: Any, revolutions: Any) -> Any:
    """r + r^3 P(r^2), and of an odd number of quarter turns -1 over that."""
    n, r, rest = revolutions
    square = r * r
    cube = square * r
    lost = fma(square, r, -cube) + fma(r, r, -square) * r
    factor = polynomial(square, TAN_DOUBLE, TAN_DOUBLE)
    derivative = fma(square, fma(square, 0.75, 1.0), 1.0)  # about 1 + tan(r)^2
    tail = fma(cube, factor, fma(lost, factor, -rest * derivative))
    value = r + tail
    inverse = -1.0 / value
    below = fma(inverse, value, 1.0) + inverse * (r - value + tail)
    value = select((n & 1) == 0, value, fma(inverse, below, inverse))
    return from_bits(x, bits(value) ^ (bits(x) & SIGN))
