"""Discrete Fourier transforms by SciPy, which is loaded when the first of them is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...pool.threads import get_num_threads

Array = np.ndarray

# How SciPy names a scale of 1, 1 / sqrt(n) and 1 / n for transforms with exp(-i ...) and with exp(i ...).
_FORWARD = ("backward", "ortho", "forward")
_INVERSE = ("forward", "ortho", "backward")
_SHARED = 1 << 16  # from how many elements on it pays to use several threads


def fft_c2c(a: Array, dim: Sequence[int], normalization: int, forward: bool) -> Array:
    """y_k = scale sum_j x_j exp(-+2 pi i j k / n) along dimensions."""
    from scipy import fft

    kind = np.complex64 if a.dtype.itemsize == 8 and a.dtype.kind == "c" or a.dtype == np.float32 else np.complex128
    if not a.size or not dim:
        return np.array(a, kind, order="C")
    if forward:
        return _contiguous(fft.fftn(a, axes=dim, norm=_FORWARD[normalization], workers=_workers(a)))
    return _contiguous(fft.ifftn(a, axes=dim, norm=_INVERSE[normalization], workers=_workers(a)))


def fft_r2c(a: Array, dim: Sequence[int], normalization: int) -> Array:
    """The half of `fft_c2c` of real numbers that tells all: up to n // 2 along the last of the dimensions."""
    from scipy import fft

    if not a.size:
        shape = list(a.shape)
        shape[dim[-1]] = shape[dim[-1]] // 2 + 1
        return np.zeros(shape, np.complex64 if a.dtype == np.float32 else np.complex128)
    return _contiguous(fft.rfftn(a, axes=dim, norm=_FORWARD[normalization], workers=_workers(a)))


def fft_c2r(a: Array, dim: Sequence[int], normalization: int, last: int) -> Array:
    """The real inverse transform of such a half, of `last` numbers along the last of the dimensions."""
    from scipy import fft

    sizes = [*(a.shape[d] for d in dim[:-1]), last]
    if not a.size:
        shape = list(a.shape)
        shape[dim[-1]] = last
        return np.zeros(shape, a.real.dtype)
    return _contiguous(fft.irfftn(a, s=sizes, axes=dim, norm=_INVERSE[normalization], workers=_workers(a)))


def _contiguous(a: Any) -> Array:
    """The array in C order, which transforms of strided arrays do not keep."""
    return np.ascontiguousarray(a) if a.ndim else np.asarray(a)


def _workers(a: Array) -> int:
    return get_num_threads() if a.size >= _SHARED else 1
