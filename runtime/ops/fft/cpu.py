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

    if not a.size or not dim:
        return np.array(a, np.result_type(a, np.complex64), order="C")
    transform, norms = (fft.fftn, _FORWARD) if forward else (fft.ifftn, _INVERSE)
    return _contiguous(transform(a, axes=dim, norm=norms[normalization], workers=_workers(a)))


def fft_r2c(a: Array, dim: Sequence[int], normalization: int) -> Array:
    """The non-redundant half of `fft_c2c` of real numbers: up to n // 2 along the last of the dimensions."""
    from scipy import fft

    if not a.size:
        shape = list(a.shape)
        shape[dim[-1]] = shape[dim[-1]] // 2 + 1
        return np.zeros(shape, np.result_type(a, np.complex64))
    return _contiguous(fft.rfftn(a, axes=dim, norm=_FORWARD[normalization], workers=_workers(a)))


def fft_c2r(a: Array, dim: Sequence[int], normalization: int, last: int) -> Array:
    """The real inverse transform of the half of a symmetric spectrum, of `last` numbers along the last dimension."""
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
