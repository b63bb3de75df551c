"""Arrays as libraries take them: in one dtype, and from where they expect arrays to begin."""

from __future__ import annotations

import numpy as np

from .. import memory
from ..array import DeviceArray
from .products import copied_as_stored

ALIGNMENT = 16


def aligned(a: DeviceArray) -> DeviceArray:
    """An array that begins where libraries expect it to: a copy in row order, if need be."""
    return copied_as_stored(a) if a.address % ALIGNMENT else a


def stored_as(a: DeviceArray, kind: np.dtype) -> DeviceArray:
    """An array whose memory holds a dtype: a copy in row order, if need be."""
    return a if a.stored == kind else memory.copied(a.as_read(kind)).as_read(a.dtype)


def has_rows(a: DeviceArray) -> bool:
    """Whether each element has a place of its own, beside the next one along the last dim, and the first is aligned."""
    apart = all(step or n == 1 for n, step in zip(a.shape, a.byte_strides, strict=True))
    return apart and a.byte_strides[-1] == a.itemsize and a.address % ALIGNMENT == 0
