"""Results of float32 that may be subnormal, without products that are.

Many processors round a product to a subnormal number by microcode, which takes a hundred times as long. So results are
computed as 2^64 times what they are, where all are normal numbers, and brought back by this.
"""

from __future__ import annotations

from typing import Any

from .primitives import bits, from_bits, narrow, select

SCALE = 2.0**64
BACK = 2.0**-64
BACK_BITS = 64 << 23  # the same for the exponent among the bits of a number
MIN_NORMAL = 2.0**-126 * SCALE  # the last bit of numbers from here on to twice that is worth 2^-149 * SCALE


def scaled_back(x: Any) -> Any:
    """2^-64 x, rounded once, for a finite float32 x >= 0, by sums of bits.

    Where that is subnormal, a sum with LEAST rounds x to as many units as the bits of a subnormal number count.
    """
    smallest = type(x)(MIN_NORMAL)
    tiny = narrow(x, bits(x + smallest) - bits(smallest))
    return from_bits(x, select(x < smallest, tiny, narrow(x, bits(x) - BACK_BITS)))
