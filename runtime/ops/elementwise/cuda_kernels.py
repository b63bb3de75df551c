"""Element-wise functions of several results on a device."""

from typing import Any

from ...compiler.passes.primitives import bits, choose, from_bits
from ...kernels.cuda.language import int32


def binary_parts(x: Any) -> Any:
    """m and e with x = m 2^e and 1/2 <= |m| < 1: the exponent's bits are taken out and replaced by those of 1/2.

    0, infinities and nan are their own m, with e = 0; subnormal numbers are made normal first.
    """
    if x == 0 or x - x != 0:
        return x, int32(0)
    width, max_exponent, half = choose(x, 23, 52), choose(x, 255, 2047), choose(x, 126, 1022)
    small = abs(x) < choose(x, 2.0**-126, 2.0**-1022)
    pattern = bits(x * choose(x, 2.0**25, 2.0**54)) if small else bits(x)
    exponent = (pattern >> width) & max_exponent
    mantissa = from_bits(x, pattern + ((half - exponent) << width))
    return mantissa, int32(exponent - half - (choose(x, 25, 54) if small else 0))
