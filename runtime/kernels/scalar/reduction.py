"""Any positive float64 as a whole number of quarter turns and a rest in [-pi/4, pi/4], branch-free.

After M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983: of the bits of 2 / pi only those
count that make the product with `x` neither a multiple of four nor too small.
"""

from __future__ import annotations

from typing import Any

from .primitives import bits, fma, from_bits, pick, select

# floor(2^1161 * 2 / pi) in words of 64 bits (as signed numbers), the first 54 bits being zero.
TWO_OVER_PI = (
    325,                  -934817307775314952,  5669930683074314678,  -4239239130994670596,
    -6717303847933787282, 5250199378502991884,  -7899924990531454468, 4311696787721059793,
    318605885801302483,   4098360773183308403,  2570555959721322809,  630248293968934463,
    -1067353403556880418, 6783290426449870554,  7853607389861473950,  -8322989400534000918,
    5725640658272843386,  1041438810801820887,  -666706196656680788,
)  # fmt: skip
WORDS = tuple(TWO_OVER_PI[k : k + 16] for k in range(4))
HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
LOW = 0xFFFFFFFF  # the lower half of a word
FRACTION = (1 << 52) - 1
WHOLE = 2.0**52  # from here on the last bit of a float64 is worth 1
SIGNED_WHOLE = 1.5 * 2.0**52


def quarter_turns(x: Any) -> Any:
    """n, r and low with x = n pi/2 + (r + low) modulo 2 pi, |r| <= pi/4, for x >= 0; nan for what is not finite."""
    n, fraction, low = turned(x)
    r = fraction * HALF_PI[0]
    low = fma(fraction, HALF_PI[0], -r) + fma(fraction, HALF_PI[1], low * HALF_PI[0])
    small = x < 0.78
    return select(small, 0, n), select(small, x, r) + (x - x), select(small, 0.0, low)


def turned(x: Any) -> Any:
    """n and a fraction of a quarter turn, as a sum of two numbers, |fraction| <= 1/2; for finite x >= 0.5.

    The significand of `x`, a whole number, times 192 bits of 2 / pi, modulo 2^192: of the product the upper 128 bits
    are used, of which the first two are n, rounded down.
    """
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
    a, b, c, d = pick(WORDS[0], word), pick(WORDS[1], word), pick(WORDS[2], word), pick(WORDS[3], word)
    return joined(a, b, bit), joined(b, c, bit), joined(c, d, bit)


def joined(upper: Any, lower: Any, bit: Any) -> Any:
    """The word that begins at a bit of `upper` and ends in `lower`."""
    return (upper << bit) | ((lower >> 1 & (1 << 63) - 1) >> 63 - bit)


def half(x: Any) -> Any:
    """The upper half of a word as a positive number."""
    return x >> 32 & LOW


def product(x: Any, word: Any) -> Any:
    """x times a word, x < 2^54: the upper word of the product, and the lower one as a float64."""
    last = (x & LOW) * (word & LOW)
    middle = (x & LOW) * half(word) + half(last)
    other = half(x) * (word & LOW) + (middle & LOW)
    return half(x) * half(word) + half(middle) + half(other), fma(unsigned(other & LOW), 2.0**32, unsigned(last & LOW))


def upper_product(x: Any, word: Any) -> Any:
    """The upper word of the product as a float64, x < 2^54."""
    result = half(x) * half(word) + half((x & LOW) * half(word)) + half(half(x) * (word & LOW))
    return fma(unsigned(half(result)), 2.0**32, unsigned(result & LOW))


def signed(k: Any) -> Any:
    """A whole number |k| <= 2^51 as a float64."""
    return from_bits(SIGNED_WHOLE, bits(SIGNED_WHOLE) + k) - SIGNED_WHOLE


def unsigned(k: Any) -> Any:
    """A whole number 0 <= k < 2^52 as a float64."""
    return from_bits(WHOLE, bits(WHOLE) | k) - WHOLE
