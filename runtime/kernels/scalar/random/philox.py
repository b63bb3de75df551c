"""Philox4x64-10: random words by their place in a stream (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
easy as 1, 2, 3", 2011). Word n of the stream of a seed is number n mod 4 of the block of counter (n // 4 + 1, 0, 0, 0)
and key (seed, 0), as NumPy counts. Attempt k at what word n was reserved for takes the four words of counter (n, k + 1,
0, 0).

Bits h, an unsigned integer of n bits, stand for the number (h + 1/2) / 2^n; what is drawn is the inverse of a
distribution function at that number, exact in both tails: near 1 the distance from 1 is computed from the bits. Uniform
numbers alone are h / 2^n without the last bits, from 0 on. Bits come as signed integers, which processors convert to
floating point at once; a `kind` is a number of the type that is wanted."""

from typing import Any

import numpy as np

from ....compiler.passes.primitives import choose, fma, polynomial, product, root, select
from ..log import LN2_DOUBLE, LN2_SINGLE, log_around_one, number_double, number_single, plus_one, tail_of

FIRST = np.uint64(0xD2E7470EE14C6C93)  # multipliers of a round, and what its keys grow by
SECOND = np.uint64(0xCA5A826395121157)
FIRST_KEY = np.uint64(0x9E3779B97F4A7C15)
SECOND_KEY = np.uint64(0xBB67AE8584CAA73B)
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)


def mixed(c: Any, k0: Any, k1: Any) -> Any:
    high0, low0 = product(FIRST, c[0])
    high1, low1 = product(SECOND, c[2])
    return high1 ^ c[1] ^ k0, low1, high0 ^ c[3] ^ k1, low0


def philox(seed: Any, c0: Any, c1: Any) -> Any:
    """The four words of the block of counter (c0, c1, 0, 0). Rounds are written out: a loop would not be unrolled."""
    k0, k1 = seed, ZERO
    c = mixed((c0, c1, ZERO, ZERO), k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    k0, k1 = k0 + FIRST_KEY, k1 + SECOND_KEY
    c = mixed(c, k0, k1)
    return mixed(c, k0 + FIRST_KEY, k1 + SECOND_KEY)


def block(seed: Any, number: Any) -> Any:
    """The words 4 number to 4 number + 3 of a stream; both arguments are integers of 64 bits."""
    return philox(np.uint64(seed), np.uint64(number) + ONE, ZERO)


def word(seed: Any, counter: Any) -> Any:
    four, k = block(seed, counter >> TWO), counter & THREE
    return (four[0] if k == ZERO else four[1]) if k < TWO else (four[2] if k == TWO else four[3])


def attempt(seed: Any, counter: Any, k: Any) -> Any:
    """Four words for attempt k at what word `place` was reserved for."""
    return philox(np.uint64(seed), np.uint64(counter), np.uint64(k) + ONE)


# x / (1 - q) with erfc(x / sqrt(2)) = q, in z = (1 / (1 + sqrt(3 + w)) - MIDDLE) SCALE with w = -log(q (2 - q)), which
# goes from -1 to 1 for w up to 21.6 (43.8): relative error at most 2^-24.7 (2^-52.8)
NORMAL_SINGLE = (
    -0.0008662526379339397, 0.004514949396252632,  0.0035228519700467587, -0.025201180949807167,
    -0.0038572661578655243, 0.0657368004322052,    -0.005954671185463667, -0.1127118319272995,
    0.02976328134536743,    0.14422480762004852,   -0.033436089754104614, -0.2222631722688675,
    0.13444869220256805,    -0.023166179656982422, 0.8793647289276123,    -2.382108688354492,
    2.8013033866882324,
)  # fmt: skip
NORMAL_DOUBLE = (
    -0.00013026850133857068, 0.0002030807627168121, 0.0015661892543611384, -0.00234185876248301,
    -0.008961357749321148,   0.012613078580339679,  0.0327278123383615,    -0.04207439014327925,
    -0.08676871776822744,    0.09716506750430644,   0.18115555793323207,   -0.16461066736267574,
    -0.3165742595043884,     0.21234871802206717,   0.4835311813211245,    -0.21641069323410056,
    -0.6585434041812356,     0.18440223940555503,   0.7972014403752498,    -0.13939842753178744,
    -0.8446440270187471,     0.079795593369958,     0.7740929685759428,    0.02848371063888818,
    -0.6204937634813608,     -0.20844410870620947,  0.463230248005318,     0.42851985232400736,
    -0.3647311373841274,     -0.614002673625835,    0.3236858894915621,    0.7056581305502969,
    -0.2941021209794544,     -0.6877120372266708,   0.2116180279754358,    0.6252122966809209,
    -0.12718893878299525,    -0.41483676835313005,  -0.23070640379162952,  0.6393322598328555,
    -0.3675643659084124,     1.365708847067708,     -3.306496120180516,    3.321798457483218,
)  # fmt: skip
CENTRAL = (0.2669075897535519, 0.24677965113452094)
SCALE = (10.089003775732822, 8.386042922097236)

ALL_SINGLE, ALL_DOUBLE = np.int32(2**31 - 1), np.int64(2**63 - 1)
DIGITS = (2.0**-31, 2.0**-63)
HALF_DIGIT = (2.0**-32, 2.0**-64)


def uniform_single(h: Any, mask: Any) -> Any:
    """h / 2^32 without its last 8 bits, and without those that `mask` leaves out: as NumPy, in [0, 1 - 2^-24]."""
    return np.float32(np.int32(np.int32(h >> np.int32(8)) & np.int32(mask))) * np.float32(2.0**-24)


def uniform_double(h: Any) -> Any:
    """h / 2^64 without its last 11 bits: as NumPy, in [0, 1 - 2^-53]."""
    return np.float64(np.int64(np.uint64(h) >> np.uint64(11))) * 2.0**-53


def ends_single(h: Any) -> Any:
    """How far twice the number that h stands for is from 0 or 2, whichever is nearer, and how far from 1."""
    m = np.int32(h ^ (h >> np.int32(31)))
    return fraction(np.float32(m)), fraction(np.float32(np.int32(m ^ ALL_SINGLE)))


def ends_double(h: Any) -> Any:
    m = np.int64(h ^ (h >> np.int64(63)))
    return fraction(np.float64(m)), fraction(np.float64(np.int64(m ^ ALL_DOUBLE)))


def fraction(m: Any) -> Any:
    """(m + 1/2) / 2^31, or 2^63 in float64."""
    return fma(m, choose(m, DIGITS[0], DIGITS[1]), choose(m, HALF_DIGIT[0], HALF_DIGIT[1]))


def minus_log(x: Any, low: Any) -> Any:
    """-log(x + low) for a normal number x <= 1; `low` is 0, or far smaller and x at least 1/2."""
    k, f = log_around_one(x)
    n = choose(x, number_single, number_double)(k)
    f += select(k < 0, low + low, low)
    rest = fma(n, choose(x, LN2_SINGLE[1], LN2_DOUBLE[1]), tail_of(f))
    return -(n * choose(x, LN2_SINGLE[0], LN2_DOUBLE[0]) + (f + rest))


def normal_size(q: Any, r: Any) -> Any:
    """The x > 0 with erfc(x / sqrt(2)) = q, where r = 1 - q."""
    w = minus_log(fma(q, r, q), choose(q, 0.0, 0.0))
    part = type(q)(1) / (type(q)(1) + root(w + type(q)(3)))
    z = (part - choose(q, CENTRAL[0], CENTRAL[1])) * choose(q, SCALE[0], SCALE[1])
    return r * polynomial(z, NORMAL_SINGLE, NORMAL_DOUBLE)


def normal_single(h: Any) -> Any:
    """ndtri((h + 1/2) / 2^32); relative error at most 2^-21."""
    q, r = ends_single(h)
    x = normal_size(q, r)
    return select(h < 0, x, -x)


def normal_double(h: Any) -> Any:
    """ndtri((h + 1/2) / 2^64); relative error at most 2^-49."""
    q, r = ends_double(h)
    x = normal_size(q, r)
    return select(h < 0, x, -x)


def exponential_size(small: Any, q: Any, r: Any) -> Any:
    """-log(q / 2) where the number is small, else -log(1 - q / 2)."""
    above, low = plus_one(-(type(q)(0.5) * q))
    return minus_log(select(small, type(q)(0.5) * q, above), select(small, type(q)(0), low))


def exponential_single(h: Any) -> Any:
    """-log((h + 1/2) / 2^32), larger than 0; relative error at most 2^-22."""
    q, r = ends_single(h)
    return exponential_size(h >= 0, q, r)


def exponential_double(h: Any) -> Any:
    """-log((h + 1/2) / 2^64), larger than 0; relative error at most 2^-50."""
    q, r = ends_double(h)
    return exponential_size(h >= 0, q, r)


def below(h: Any, count: Any) -> Any:
    """An integer of [0, count), as h count / 2^64 rounded down; count = 0 stands for 2^64. The probability of each
    differs from 1 / count by less than 2^-64."""
    word = np.uint64(h)
    return product(word, count)[0] if count != np.uint64(0) else word
