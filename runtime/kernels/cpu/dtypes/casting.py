"""Changing the dtype of NumPy arrays, without its warnings: nan to an integer, overflow, a dropped imaginary part."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ....pool.parallel_for import is_long
from ....pool.workers import in_parts
from ..aligned import empty
from ..movement.moves import move
from . import half_casts

WITHOUT_INFINITY = np.dtype(ml_dtypes.float8_e4m3fn)  # what is too large becomes the largest number, as in PyTorch
LARGEST = 448.0


def copy_cast(to: np.ndarray, source: np.ndarray) -> None:
    """Copy with any change of dtype; nan and values out of an integer's range are the hardware's business, no news."""
    if source.dtype is to.dtype:
        move(to, source)
        return
    if source.dtype.names:
        source = interleaved(source)
    if source.dtype.kind == "c" and to.dtype.kind != "c" and not to.dtype.names:
        source = source.real
    if half_casts.copied(to, source):
        return
    if not to.ndim or not is_long(to.size):
        _convert(to, source)
        return
    source = np.broadcast_to(source, to.shape)
    dim = max(range(to.ndim), key=lambda d: abs(to.strides[d]) * (to.shape[d] > 1))
    before = (slice(None),) * dim
    in_parts(to.shape[dim], 1, lambda i, j: _convert(to[*before, i:j], source[*before, i:j]))


def _convert(to: np.ndarray, source: np.ndarray) -> None:
    with np.errstate(invalid="ignore", over="ignore"):
        if to.dtype == WITHOUT_INFINITY:
            source = np.clip(source, -LARGEST, LARGEST)
        if to.dtype.names:
            to["real"], to["imag"] = source.real, source.imag
        else:
            np.copyto(to, source, casting="unsafe")


def interleaved(pairs: np.ndarray) -> np.ndarray:
    """Complex numbers of two float16, which NumPy holds as pairs, as complex64."""
    result = empty(pairs.shape, np.dtype(np.complex64))
    result.real, result.imag = pairs["real"], pairs["imag"]
    return result


def cast(array: np.ndarray, to: Any) -> np.ndarray:
    result = empty(array.shape, np.dtype(to))
    copy_cast(result, array)
    return result
