"""Numbers at equal distances, computed as integers, or in double precision and rounded once."""

from __future__ import annotations

import numpy as np

from ...jit import jit
from ...llvm.addresses import part_of

Array = np.ndarray
FILL_ELEMENTS_THRESHOLD = 1 << 15  # numbers for which these loops are worth being called


@jit
def steps_from(out: Array, start: float, step: float, first: int, last: int) -> None:
    """out[i] = start + step i."""
    to = part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = start + step * (first + i)


@jit
def steps_to(out: Array, end: float, step: float, first: int, last: int) -> None:
    """out[i] = end - step (n - 1 - i), for n numbers."""
    to, before = part_of(out, first, last - first), out.size - 1 - first
    for i in range(to.size):
        to[i] = end - step * (before - i)


@jit
def integer_steps(out: Array, start: int, step: int, first: int, last: int) -> None:
    """out[i] = start + step i, of whole numbers."""
    to = part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = start + step * (first + i)
