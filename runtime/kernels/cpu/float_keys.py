"""The order of floating-point numbers as an order of integers, which LLVM vectorises and compares without branches.

The bits of a number, all but the sign inverted where it is negative, are an integer that grows with it. A positive nan
is above everything then, a negative one below.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..scalar.primitives import bits, choose, from_bits

_LAST32, _LAST64 = np.int32(31), np.int64(63)
_ALL32, _ALL64 = np.int32(2**31 - 1), np.int64(2**63 - 1)
_INFINITE32, _INFINITE64 = np.int32(0x7F800000), np.int64(0x7FF0000000000000)


@jit
def extremum(row: np.ndarray, sign: int) -> float:
    """The greatest element of such a row, or with sign -1 the least; nan where there is one.

    What is left of a number without its sign is above that of infinity where it is nan, so one look at each element
    finds both. The bits of -x are as far below as those of x are above: `turn` inverts the order.
    """
    like, first = row.dtype.type(0), bits(row[0])
    last, rest = choose(like, _LAST32, _LAST64), choose(like, _ALL32, _ALL64)
    turn, infinite = choose(like, np.int32(sign), np.int64(sign)) >> last, choose(like, _INFINITE32, _INFINITE64)
    top, far = first ^ ((first >> last) & rest) ^ turn, first & rest
    for j in range(row.size):
        key = bits(row[j])
        top = max(top, key ^ ((key >> last) & rest) ^ turn)
        far = max(far, key & rest)
    top ^= turn
    return np.nan if far > infinite else np.float64(from_bits(like, top ^ ((top >> last) & rest)))
