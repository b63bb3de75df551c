"""1 / x without a division, which takes a processor as long as several sums and products, and longer beside a root.

The bits of a constant less those of x are those of a number that is wrong by a twentieth at most. A step makes of an
error its third power, by products and sums that are rounded once: the same bits on every processor.
"""

from __future__ import annotations

from typing import Any

from .primitives import bits, choose, fma, from_bits, narrow

INVERSE_ESTIMATE_BITS = (0x7EF311C7, 0x7FDE6238E0000000)


TWO = (1 << 23, 1 << 52)  # added to the bits of a number it makes two of one


def inverse_estimate(x: Any) -> Any:
    """1 / x, wrong by a twentieth at most, where both are normal numbers."""
    return from_bits(x, narrow(x, choose(x, INVERSE_ESTIMATE_BITS[0], INVERSE_ESTIMATE_BITS[1]) - bits(x)))


def inverse_estimate_of_half(x: Any) -> Any:
    """The same of x / 2."""
    return from_bits(
        x, narrow(x, choose(x, INVERSE_ESTIMATE_BITS[0] + TWO[0], INVERSE_ESTIMATE_BITS[1] + TWO[1]) - bits(x))
    )


def inverse(x: Any) -> Any:
    """1 / x where both are normal numbers; error at most 0.6 ulp in float32, and 2^-38 of it in float64.

    Of 0, infinity and nan it is nan, or a number of the other sign.
    """
    return closer(x, closer(x, inverse_estimate(x)))


def closer(x: Any, value: Any) -> Any:
    """What is as close to 1 / x as the third power of what `value` is wrong by."""
    lost = fma(-x, value, 1.0)
    return fma(value, fma(lost, lost, lost), value)
