"""The order of floating-point numbers by that of their bits, which LLVM compares in vectors without branches.

As signed integers the bits of positive numbers are in order, with nan at the end. Those of negative numbers are below,
the other way round: as unsigned integers these are above all others, again with nan at the end.
"""

from __future__ import annotations

import numpy as np

from ...jit import jit
from ...scalar.primitives import bits, choose, from_bits, narrow

_INFINITE32, _INFINITE64 = np.int32(0x7F800000), np.int64(0x7FF0000000000000)


@jit
def min_or_max(row: np.ndarray, sign: int) -> float:
    """The greatest element of such a row, or with sign -1 the least; nan where there is one. -0 is less than 0.

    If any number is positive, the greatest integer is the greatest; else the least one is, of negative zero or numbers.
    The least is the greatest unsigned integer if there is a negative number among them.
    """
    like, key = row.dtype.type(0), bits(row[0])
    unsigned, infinite = choose(like, np.uint32, np.uint64), choose(like, _INFINITE32, _INFINITE64)
    highest, lowest, top_key = key, key, unsigned(key)
    for j in range(row.size):
        key = bits(row[j])
        highest, lowest, top_key = max(highest, key), min(lowest, key), max(top_key, unsigned(key))
    if highest > infinite or top_key > unsigned(bits(-from_bits(like, infinite))):
        return np.nan
    if sign > 0:
        return np.float64(from_bits(like, highest if highest >= 0 else lowest))
    return np.float64(from_bits(like, narrow(like, top_key) if lowest < 0 else lowest))
