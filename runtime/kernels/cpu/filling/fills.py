"""One value many times: by several threads where there is much of it, and where these are no news to the program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....pool.parallel_for import by_slices, is_shared
from ...compile.loading import is_loaded
from ...jit import jit
from ..aligned import empty

Array = np.ndarray

LAZY = 32 << 20  # bytes from which zeros come from the operating system, a page when it is first touched
_INT_OF_SIZE = {4: np.int32, 8: np.int64}


def zeros(count: int, kind: np.dtype) -> Array:
    if count * kind.itemsize > LAZY or not _is_shared(count, kind):
        return np.zeros(count, kind)
    return filled(empty(count, kind), 0)


def filled(flat: Array, value: Any) -> Array:
    if flat.dtype.names:  # a complex number of two float16
        value = value.real, value.imag
    flat[:1] = value
    if not flat.size or flat.itemsize not in _INT_OF_SIZE:
        flat.fill(value)
        return flat
    packed_view, octets = flat.view(_INT_OF_SIZE[flat.itemsize]), flat.view(np.uint8)
    if not _is_shared(flat.size, flat.dtype) and len({*octets[: flat.itemsize].tobytes()}) == 1:
        octets.fill(octets[0])  # of bytes NumPy writes twice as many in a second as of anything else
    elif is_loaded():
        by_slices(_fill, (packed_view, int(packed_view[0])), flat.size)
    else:
        flat.fill(value)
    return flat


def _is_shared(count: int, kind: np.dtype) -> bool:
    """Whether threads share the work; to begin a program with loading the compiler would cost far more."""
    return kind.itemsize in _INT_OF_SIZE and is_loaded() and is_shared(count)


@jit
def _fill(packed_view: Array, value: int) -> None:
    """words = value."""
    for i in range(packed_view.size):
        packed_view[i] = value


@jit
def fill(out: Array, value: float) -> None:
    """out = value: a call of a plan."""
    for i in range(out.size):
        out[i] = value
