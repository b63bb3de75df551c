"""Exponential functions of real numbers: x = k ln 2 + r with a whole k and |r| <= ln(2)/2, and a polynomial in r. Many
processors round a product to a subnormal number by microcode, which takes a hundred times as long: so results of
float32 that may be subnormal are computed as 2^64 times what they are, and brought back by `scaled_back`."""

from typing import Any

from ...compiler.passes.primitives import bits, choose, fma, from_bits, narrow, picks, polynomial, select

SHIFT = (12582912.0, 6755399441055744.0)  # 1.5 * 2^23 (2^52): from here on the last bit is worth 1
LOG2_E = 1.4426950408889634
# ln 2 in two parts: a whole number of up to 11 bits times the first has no rounding error.
LN2_SINGLE = (0.693145751953125, 1.428606765330187e-06)
LN2_DOUBLE = (0.6931471805601177, -1.7239444525614835e-13)

# (e^r - 1 - r) / r^2 for |r| < 0.347: relative error of e^r at most 2^-28.0 and 2^-57.3
EXP_SINGLE = (0.0013864972861483693, 0.008367590606212616, 0.04166722670197487, 0.16666533052921295, 0.5)
EXP_DOUBLE = (
    2.4978315962537286e-08, 2.762522854750394e-07, 2.7557641301703053e-06, 2.4801508582967083e-05,
    0.00019841269465500512, 0.0013888888926869788, 0.008333333333500462,   0.04166666666660379,
    0.16666666666666433,    0.5,
)  # fmt: skip
# The same: relative error of e^r - 1 at most 2^-31.0 and 2^-61.5
EXPM1_SINGLE = (
    0.00019763025920838118, 0.00139327731449157,    0.008333545178174973,   0.04166648909449577,
    0.1666666567325592,     0.5,
)  # fmt: skip
EXPM1_DOUBLE = (
    2.088715901913335e-09,  2.510947030851963e-08,  2.7557360967711744e-07, 2.7557243107862677e-06,
    2.480158722790038e-05,  0.00019841269887062576, 0.0013888888888928385,  0.008333333333321332,
    0.0416666666666666,     0.16666666666666677,    0.5,
)  # fmt: skip
EXPM1_TWICE_SINGLE = tuple(2.0 * c for c in EXPM1_SINGLE)
EXPM1_TWICE_DOUBLE = tuple(2.0 * c for c in EXPM1_DOUBLE)

# (2^r - 1) / r for |r| <= 0.5: error of 2^r at most 2^-28.2 and 2^-57.8
EXP2_SINGLE = (
    0.0001545641862321645, 0.0013391338288784027, 0.009618077427148819,  0.055503588169813156,
    0.24022650718688965,   0.6931471824645996,
)  # fmt: skip
EXP2_DOUBLE = (
    4.460363193242957e-10,  7.073585888532679e-09,  1.0178021292767585e-07, 1.3215436657210583e-06,
    1.5252733948814638e-05, 0.00015403530453717901, 0.0013333558146255413,  0.009618129107597576,
    0.05550410866482261,    0.2402265069591012,     0.6931471805599453,
)  # fmt: skip


# The same for |r| < ln(2)/16: error of e^r at most 2^-58.2
EXP_OF_EIGHTH = (
    0.0001984238536024984, 0.001388978674220909, 0.008333333319210948, 0.04166666656853537, 0.16666666666667207,
    0.5000000000000305,
)  # fmt: skip
# 2^(k/8), from the bits of which k 2^49 is taken, and the logarithm of what its rounding loses
EIGHTHS = (
    (
        1.0, 0.9827538663326288, 0.9696035575013605, 0.9609197773255048, 0.9571067811865476, 0.9586054127039704,
        0.9658964152537145, 0.9795040432046712,
    ),
    (
        0.0, -2.7939114859515733e-17, 3.3484623336251524e-17, 1.9572585293112036e-17, -6.835808657661923e-17,
        5.1548301170786783e-17, 4.875160526227062e-17, 1.790126907604513e-17,
    ),
)  # fmt: skip
SHIFT_OF_EIGHTHS = SHIFT[1] / 8.0
LN2_NEAREST = (0.6931471805599453, 2.3190468138462996e-17)  # ln 2 as a float64, and the rest


def round_to_int(x: Any) -> Any:
    """`x` rounded to a whole number, as a number and as an integer; |x| at most 2^22 (2^51 in float64)."""
    shift = choose(x, 12582912.0, 6755399441055744.0)  # 1.5 * 2^23 (2^52): from here on the last bit is worth 1
    shifted = x + shift
    return shifted - shift, narrow(x, bits(shifted) - bits(shift))


def power_of_two(x: Any, k: Any) -> Any:
    return from_bits(x, (k + choose(x, 127, 1023)) << choose(x, 23, 52))


def scaled(x: Any, k: Any) -> Any:
    """x 2^k, rounded once, where 2^k itself may overflow or underflow."""
    half = k >> 1
    return x * power_of_two(x, half) * power_of_two(x, k - half)


def times_power(unit: Any, shifted: Any) -> Any:
    """`unit` 2^k where both are normal numbers, for a whole number k that `SHIFT` was added to."""
    power = bits(shifted) << choose(unit, 23, 52)  # nothing of `SHIFT` is left
    return from_bits(unit, narrow(unit, power + bits(unit)))


def clamped(x: Any, low: Any, high: Any) -> Any:
    """`x` between the two; nan stays."""
    x = select(x > high, high, x)
    return select(x < low, low, x)


def reduced(x: Any) -> Any:
    """k, r and low with x = k ln 2 + r + low, of which only `low` is rounded: |low| < 2^-12 (2^-32 in float64)."""
    shifted, r, n = remainder_of(x)
    k = narrow(x, bits(shifted) - bits(choose(x, SHIFT[0], SHIFT[1])))
    return k, r, n * -choose(x, LN2_SINGLE[1], LN2_DOUBLE[1])


def remainder_of(x: Any) -> Any:
    """n that `SHIFT` was added to, r and n with x = n ln 2 + r, but for n times the second part of ln 2."""
    shift = choose(x, SHIFT[0], SHIFT[1])
    shifted = fma(x, choose(x, LOG2_E, LOG2_E), shift)
    n = shifted - shift
    return shifted, fma(n, -choose(x, LN2_SINGLE[0], LN2_DOUBLE[0]), x), n


def power_tail(r: Any, low: Any) -> Any:
    """e^(r + low) - 1 - r, so exact that e^(r + low) is."""
    total = r + low
    return fma(total * total, polynomial(total, EXP_SINGLE, EXP_DOUBLE), low)


def with_sign(magnitude: Any, x: Any) -> Any:
    sign = bits(x) & choose(x, -(2**31), -(2**63))
    return from_bits(x, bits(magnitude) | sign)


def exp_sum(r: Any, low: Any) -> Any:
    """e^(r + low) as a sum of two numbers, the second far smaller."""
    one = type(r)(1)
    first = one + r
    return first, (one - first + r) + power_tail(r, low)


def exp(x: Any) -> Any:
    """e^x; error at most 0.9 and 0.6 ulp. Scores that a mask takes out have powers that underflow, which takes many
    processors a hundred times as long as a product: none is computed. Up to `high` `scaled` is right."""
    low, high = choose(x, -104.0, -746.0), choose(x, 89.0, 710.0)  # beyond these e^x is 0 or infinite
    gone = x < low
    x = select(gone, 0.0, select(x > high, high, x))
    return select(gone, 0.0, choose(x, exp_single, exp_double)(x))


def exp_single(x: Any) -> Any:
    k, r, low = reduced(x)
    return scaled(power_single(r, low), k)


def power_single(r: Any, low: Any) -> Any:
    """e^(r + low) of float32, without what the sums lose."""
    total = r + low
    return type(r)(1) + (r + fma(total * total, polynomial(total, EXP_SINGLE, EXP_SINGLE), low))


def exp_double(x: Any) -> Any:
    """2^(n/8) e^r for a whole number n: as little of r is lost as it is small, so only the last sum is rounded."""
    piece_index, unit, part = eighths(x)
    unit = from_bits(x, bits(unit) + ((piece_index & 7) << 49))
    return scaled(fma(unit, part, unit), (piece_index - bits(SHIFT_OF_EIGHTHS)) >> 3)


def eighths(x: Any) -> Any:
    """The bits of n, to which a shift was added, 2^(n/8) without n 2^49 in its bits, and e^r - 1."""
    shifted = fma(x, LOG2_E, SHIFT_OF_EIGHTHS)
    n = shifted - SHIFT_OF_EIGHTHS
    unit, lost = picks(EIGHTHS, bits(shifted))
    r = fma(n, -LN2_NEAREST[1], fma(n, -LN2_NEAREST[0], x)) + lost  # the inner sum is exact
    return bits(shifted), unit, fma(r * r, polynomial(r, EXP_OF_EIGHTH, EXP_OF_EIGHTH), r)


def exp_fast_range(x: Any) -> Any:
    """`exp` between -87 and 87, or -708 and 708, where it is a normal number: the same bits; nan stays."""
    return choose(x, exp_single_fast_range, exp_double_fast_range)(x)


def exp_single_fast_range(x: Any) -> Any:
    k, r, low = reduced(x)
    return power_single(r, low) * power_of_two(x, k)


def exp_double_fast_range(x: Any) -> Any:
    piece_index, unit, part = eighths(x)
    power = from_bits(x, bits(unit) + (piece_index << 49))
    return fma(power, part, power)


def exp_in_fast_range(low: Any, high: Any) -> Any:
    """Whether `exp_fast_range` is for all numbers from `low` to `high`."""
    return (low >= choose(low, -87.0, -708.0)) & (high <= choose(low, 87.0, 708.0))


def exp_common(x: Any) -> Any:
    """`exp` where both e^x and e^-x are normal numbers: its bits, by a sum of exponents, not two products."""
    return choose(x, exp_single_common, exp_double_fast_range)(x)


def exp_single_common(x: Any) -> Any:
    k, r, low = reduced(x)
    return from_bits(x, narrow(x, bits(power_single(r, low)) + (k << 23)))


def exp_minus(x: Any, low: Any) -> Any:
    """k, first and second with e^(x - low) = 2^k (first + second), for a `low` far smaller than `x`."""
    k, r, lost = reduced(x)
    lost -= low
    rest = r + lost
    first, second = exp_sum(rest, r - rest + lost)
    return k, first, second


def exp2(x: Any) -> Any:
    """2^x; error at most 0.9 and 0.8 ulp."""
    x = clamped(x, choose(x, -151.0, -1076.0), choose(x, 129.0, 1025.0))
    n, k = round_to_int(x)
    r = x - n
    return scaled(fma(r, polynomial(r, EXP2_SINGLE, EXP2_DOUBLE), 1.0), k)


def expm1(x: Any) -> Any:
    """e^x - 1; error at most 0.9 and 1.1 ulp. With half = 2^k / 2, which does not overflow, it is twice half - 1/2 +
    half (e^(r + low) - 1). What the first sums lose is doubled before it is added: halves of subnormal numbers are
    rounded."""
    two, one_half = type(x)(2), type(x)(0.5)
    shifted, r, n = remainder_of(clamped(x, choose(x, -18.0, -38.0), choose(x, 89.0, 710.0)))
    t = fma(n, -choose(x, LN2_SINGLE[1], LN2_DOUBLE[1]), r)
    low = n * -choose(x, 2.0 * LN2_SINGLE[1], 2.0 * LN2_DOUBLE[1])
    tail = fma(t * t, polynomial(t, EXPM1_TWICE_SINGLE, EXPM1_TWICE_DOUBLE), low)
    half = times_power(one_half, shifted)
    below = one_half - half  # with this sign nothing but -0.0 is left of -0.0
    off = one_half - (half + below)
    first = fma(half, r, -below)
    lost = fma(below + first, -two, half * (r + r))
    return fma(first, two, -fma(-half, tail, fma(off, two, -lost)))


def sigmoid(x: Any) -> Any:
    """1 / (1 + e^-x) as p / (p + unit e^r) with p = unit 2^-k a normal number; error at most 1.7 and 1.7 ulp."""
    x = clamped(x, choose(x, -104.0, -746.0), choose(x, 18.0, 40.0))  # it is 1 to the last bit from there on
    unit = choose(x, 2.0**40, 2.0**200)
    shift = choose(x, SHIFT[0], SHIFT[1])
    shifted = fma(x, -choose(x, LOG2_E, LOG2_E), shift)  # no -x is computed
    n = shifted - shift
    r = fma(n, -choose(x, LN2_SINGLE[0], LN2_DOUBLE[0]), -x)
    r = fma(n, -choose(x, LN2_SINGLE[1], LN2_DOUBLE[1]), r)
    power = from_bits(x, narrow(x, bits(unit) - (bits(shifted) << choose(x, 23, 52))))
    total = power + unit
    tail = fma(r * r, polynomial(r, EXP_SINGLE, EXP_DOUBLE), r)
    return power / (total + fma(tail, unit, power - (total - unit)))


def logistic_pdf(x: Any) -> Any:
    """sigmoid(x) sigmoid(-x), by the smaller of the two, from which the other has no rounding error that counts."""
    smaller = sigmoid(-abs(x))
    return smaller - smaller * smaller


SCALE = 2.0**64
BACK = 2.0**-64
BACK_BITS = 64 << 23  # the same for the exponent among the bits of a number
MIN_NORMAL = 2.0**-126 * SCALE  # the last bit of numbers from here on to twice that is worth 2^-149 * SCALE


def scaled_back(x: Any) -> Any:
    """2^-64 x, rounded once, for a finite float32 x >= 0, by sums of bits. Where that is subnormal, a sum with LEAST
    rounds x to as many units as the bits of a subnormal number count."""
    smallest = type(x)(MIN_NORMAL)
    tiny = narrow(x, bits(x + smallest) - bits(smallest))
    return from_bits(x, select(x < smallest, tiny, narrow(x, bits(x) - BACK_BITS)))
