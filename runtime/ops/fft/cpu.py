"""Discrete Fourier transforms: passes of our own where the lengths have small factors, and SciPy for others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kernels.cpu.copies import contiguous
from ...pool.parallel_for import shared
from ...pool.threads import get_num_threads
from .cpu_loops import COMPLEX, HALF, NEAR, REAL, WHOLE, transform_columns, transform_rows, vector_lanes
from .cpu_tables import half_turns, radices, table

Array = np.ndarray

# How SciPy names a scale of 1, 1 / sqrt(n) and 1 / n for transforms with exp(-i ...) and with exp(i ...).
_FORWARD = ("backward", "ortho", "forward")
_INVERSE = ("forward", "ortho", "backward")
_SHARED = 1 << 16  # from how many elements on it pays to use several threads
_WORK = 4  # elements of other work, that a number takes as long as


def fft_c2c(a: Array, dim: Sequence[int], normalization: int, forward: bool) -> Array:
    """y_k = scale sum_j x_j exp(-+2 pi i j k / n) along dimensions."""
    if not a.size or not dim:
        return np.array(a, np.result_type(a, np.complex64), order="C")
    sizes = [a.shape[d] for d in dim]
    if has_passes(a, sizes):
        return along_each(a, dim, scale_of(sizes, normalization), forward)
    from scipy import fft

    transform, norms = (fft.fftn, _FORWARD) if forward else (fft.ifftn, _INVERSE)
    return _contiguous(transform(a, axes=dim, norm=norms[normalization], workers=_workers(a)))


def fft_r2c(a: Array, dim: Sequence[int], normalization: int) -> Array:
    """The non-redundant half of `fft_c2c` of real numbers: up to n // 2 along the last of the dimensions."""
    shape = list(a.shape)
    shape[dim[-1]] = shape[dim[-1]] // 2 + 1
    if not a.size:
        return np.zeros(shape, np.result_type(a, np.complex64))
    sizes = [a.shape[d] for d in dim]
    if has_passes(a, sizes) and sizes[-1] % 2 == 0:
        rows = contiguous(np.moveaxis(a, dim[-1], -1))
        result = rows_transformed(rows, HALF, sizes[-1] // 2, scale_of(sizes, normalization), True)
        result = np.ascontiguousarray(np.moveaxis(result, -1, dim[-1]))
        return along_each(result, dim[:-1], 1.0, True) if len(dim) > 1 else result
    from scipy import fft

    return _contiguous(fft.rfftn(a, axes=dim, norm=_FORWARD[normalization], workers=_workers(a)))


def fft_c2r(a: Array, dim: Sequence[int], normalization: int, last: int) -> Array:
    """The real inverse transform of the half of a symmetric spectrum, of `last` numbers along the last dimension."""
    sizes = [*(a.shape[d] for d in dim[:-1]), last]
    if not a.size:
        shape = list(a.shape)
        shape[dim[-1]] = last
        return np.zeros(shape, a.real.dtype)
    if has_passes(a, sizes) and last % 2 == 0 and a.dtype.kind == "c":
        whole = along_each(a, dim[:-1], 1.0, False) if len(dim) > 1 else a
        rows = contiguous(np.moveaxis(whole, dim[-1], -1))
        result = rows_transformed(rows, WHOLE, last // 2, scale_of(sizes, normalization), False)
        return np.ascontiguousarray(np.moveaxis(result, -1, dim[-1]))
    from scipy import fft

    return _contiguous(fft.irfftn(a, s=sizes, axes=dim, norm=_INVERSE[normalization], workers=_workers(a)))


def has_passes(a: Array, sizes: Sequence[int]) -> bool:
    """Whether transforms of these lengths are for our own loops."""
    return a.dtype.char in "fdFD" and None not in [radices(n) for n in sizes]


def scale_of(sizes: Sequence[int], normalization: int) -> float:
    """1, 1 / sqrt(n) or 1 / n for the number n of all points."""
    n = math.prod(sizes)
    return (1.0, 1 / math.sqrt(n), 1 / n)[normalization]


def along_each(a: Array, dim: Sequence[int], scale: float, forward: bool) -> Array:
    """The complex transform along one dimension after the other, the last of the array first."""
    for d in sorted(dim, reverse=True):
        kind = COMPLEX if a.dtype.kind == "c" else REAL
        if d == a.ndim - 1:
            a = rows_transformed(contiguous(a), kind, a.shape[d], scale, forward)
        else:
            a = columns_transformed(contiguous(a), kind, d, scale, forward)
        scale = 1.0
    return a


def rows_transformed(a: Array, kind: int, n: int, scale: float, forward: bool) -> Array:
    """The transforms of all rows, of n complex numbers each."""
    reals = a.real.dtype
    steps, factors, turned = table(n, reals, False, forward)
    width = n + 1 if kind == HALF else n
    result = np.empty((*a.shape[:-1], 2 * width), reals)
    pairs = half_turns(n, reals) if kind in (HALF, WHOLE) else factors
    count, block = result.size // (2 * width), max(1, NEAR // n)
    if turned:
        lanes = vector_lanes(reals.type(0))
        block = min(-block // lanes, -count // lanes, key=abs) * -lanes
    arguments = flat(a), steps, factors, pairs, n, block, turned, kind, not forward, scale, result.reshape(-1)
    shared(transform_rows, arguments, count, _WORK * count * n, block)
    return result if kind == WHOLE else result.view(np.result_type(reals, np.complex64))


def columns_transformed(a: Array, kind: int, d: int, scale: float, forward: bool) -> Array:
    """The transforms along a dimension that others follow."""
    reals, n = a.real.dtype, a.shape[d]
    steps, factors, _ = table(n, reals, True, forward)
    lanes, after = vector_lanes(reals.type(0)), math.prod(a.shape[d + 1 :])
    block = lanes * max(1, min(NEAR // n // lanes, -(-after // lanes)))
    result = np.empty(a.shape, np.result_type(reals, np.complex64))
    arguments = flat(a), steps, factors, n, after, block, kind, not forward, scale, flat(result)
    shared(transform_columns, arguments, math.prod(a.shape[:d]) * -(-after // block), _WORK * a.size)
    return result


def flat(a: Array) -> Array:
    """All parts of all numbers of a contiguous array."""
    return a.reshape(-1).view(a.real.dtype)


def _contiguous(a: Any) -> Array:
    """The array in C order, which transforms of strided arrays do not keep."""
    return np.ascontiguousarray(a) if a.ndim else np.asarray(a)


def _workers(a: Array) -> int:
    return get_num_threads() if a.size >= _SHARED else 1
