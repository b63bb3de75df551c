"""Numbers at equal distances, computed in double precision and rounded once."""

from __future__ import annotations

import numpy as np

from ..jit import jit

Array = np.ndarray


@jit
def steps_from(out: Array, start: float, step: float, first: int, last: int) -> None:
    """out[i] = start + step i."""
    for i in range(first, last):
        out[i] = start + step * i


@jit
def steps_to(out: Array, end: float, step: float, first: int, last: int) -> None:
    """out[i] = end - step (n - 1 - i), for n numbers."""
    for i in range(first, last):
        out[i] = end - step * (out.size - 1 - i)
