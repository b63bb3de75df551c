"""The order of floating-point numbers as an order of integers, which LLVM vectorises and compares without branches.

The bits of a number, all but the sign inverted where it is negative, are an integer that grows with it. A positive nan
is above everything then, a negative one below.
"""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..llvm.addresses import address, row_at

_LAST32, _LAST64 = np.int32(31), np.int64(63)
_ALL32, _ALL64 = np.int32(2**31 - 1), np.int64(2**63 - 1)


@jit
def greatest(row: np.ndarray) -> float:
    """The greatest element of a contiguous row of floats that has one; what is nan may be passed over."""
    if row.itemsize == 4:  # names of its own in each branch: numba gives a name one type
        keys = row_at(np.int32(0), address(row), row.size)
        top = keys[0] ^ ((keys[0] >> _LAST32) & _ALL32)
        for j in range(keys.size):
            key = keys[j]
            top = max(top, key ^ ((key >> _LAST32) & _ALL32))
        return float(np.int32(top ^ ((top >> _LAST32) & _ALL32)).view(np.float32))
    wide = row_at(np.int64(0), address(row), row.size)
    most = wide[0] ^ ((wide[0] >> _LAST64) & _ALL64)
    for j in range(wide.size):
        code = wide[j]
        most = max(most, code ^ ((code >> _LAST64) & _ALL64))
    return float(np.int64(most ^ ((most >> _LAST64) & _ALL64)).view(np.float64))
