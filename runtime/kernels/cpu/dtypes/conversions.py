"""Contiguous arrays copied in another dtype, element by element: the bits that NumPy's casts give."""

from __future__ import annotations

import numpy as np

from ...jit import jit

Array = np.ndarray


@jit(in_rows=True)
def converted(x: Array, out: Array) -> None:
    """out = x; what is written to 16-bit floats is a float32 before."""
    for i in range(out.size):
        out[i] = x[i]


@jit(in_rows=True)
def shortened(x: Array, out: Array) -> None:
    """out = x for integers of 8 and 16 bits: the last bits of an int32, also of what does not fit."""
    for i in range(out.size):
        out[i] = np.int32(x[i])


@jit(in_rows=True)
def truth(x: Array, out: Array) -> None:
    """out = (x != 0); nan is not."""
    for i in range(out.size):
        out[i] = x[i] != 0
