"""Discrete Fourier transforms: passes of our own where the lengths have small factors, and SciPy for others."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...pool.parallel_for import shared
from ...pool.threads import get_num_threads
from .cpu_loops import COMPLEX, HALF, NEAR, REAL, WHOLE, mirror_rows, transform_columns, transform_rows, vector_lanes
from .cpu_matrices import takes_matrix, transform_matrices
from .cpu_tables import half_turns, radices, table

Array = np.ndarray

# How SciPy names a scale of 1, 1 / sqrt(n) and 1 / n for transforms with exp(-i ...) and with exp(i ...).
_FORWARD = ("backward", "ortho", "forward")
_INVERSE = ("forward", "ortho", "backward")
_SHARED = 1 << 16  # from how many elements on it pays to use several threads
WORK = 4  # elements of other work, that a number takes as long as


def fft_c2c(a: Array, dim: Sequence[int], normalization: int, forward: bool) -> Array:
    """y_k = scale sum_j x_j exp(-+2 pi i j k / n) along dimensions."""
    if not a.size or not dim:
        return np.array(a, np.result_type(a, np.complex64), order="C")
    sizes = [a.shape[d] for d in dim]
    if has_passes(a, sizes):
        if a.dtype.kind == "f" and a.ndim - 1 in dim and a.shape[-1] % 2 == 0:
            return of_real(a, tuple(sorted(dim)), scale_of(sizes, normalization), forward)
        return along_each(a, dim, scale_of(sizes, normalization), forward)
    from scipy import fft

    transform, norms = (fft.fftn, _FORWARD) if forward else (fft.ifftn, _INVERSE)
    return _contiguous(transform(a, axes=dim, norm=norms[normalization], workers=_workers(a)))


def fft_r2c(a: Array, dim: Sequence[int], normalization: int, pairs: float = 1.0) -> Array:
    """The non-redundant half of `fft_c2c` of real numbers: up to n // 2 along the last of the dimensions.

    Numbers that stand for a pair, as the other half has their conjugates, are multiplied by `pairs`.
    """
    shape = list(a.shape)
    shape[dim[-1]] = shape[dim[-1]] // 2 + 1
    if not a.size:
        return np.zeros(shape, np.result_type(a, np.complex64))
    sizes = [a.shape[d] for d in dim]
    if has_passes(a, sizes) and sizes[-1] % 2 == 0:
        rows = contiguous(to_end(a, dim[-1]))
        result = rows_transformed(rows, HALF, sizes[-1] // 2, scale_of(sizes, normalization), True, pairs)
        result = contiguous(from_end(result, dim[-1]))
        return along_each(result, dim[:-1], 1.0, True) if len(dim) > 1 else result
    from scipy import fft

    found = fft.rfftn(a, axes=dim, norm=_FORWARD[normalization], workers=_workers(a))
    return _contiguous(weighted_pairs(found, dim[-1], sizes[-1], pairs))


def fft_c2r(a: Array, dim: Sequence[int], normalization: int, last: int, pairs: float = 1.0) -> Array:
    """The real inverse transform of the half of a symmetric spectrum, of `last` numbers along the last dimension.

    Numbers of the spectrum that stand for a pair are multiplied by `pairs`.
    """
    sizes = [*(a.shape[d] for d in dim[:-1]), last]
    if not a.size:
        shape = list(a.shape)
        shape[dim[-1]] = last
        return np.zeros(shape, a.real.dtype)
    if has_passes(a, sizes) and last % 2 == 0 and a.dtype.kind == "c":
        whole = along_each(a, dim[:-1], 1.0, False) if len(dim) > 1 else a
        rows = contiguous(to_end(whole, dim[-1]))
        result = rows_transformed(rows, WHOLE, last // 2, scale_of(sizes, normalization), False, pairs)
        return contiguous(from_end(result, dim[-1]))
    from scipy import fft

    given = weighted_pairs(a, dim[-1], last, pairs)
    return _contiguous(fft.irfftn(given, s=sizes, axes=dim, norm=_INVERSE[normalization], workers=_workers(a)))


def weighted_pairs(a: Array, d: int, n: int, pairs: float) -> Array:
    """Half of a symmetric spectrum, times `pairs` but for the frequency 0 and, of an even n, the highest one."""
    if pairs == 1:
        return a
    weights = np.full(n // 2 + 1, pairs, a.real.dtype)
    weights[0] = 1
    weights[n // 2 :] = weights[n // 2 :] if n % 2 else 1
    result: Array = a * weights.reshape([-1] + [1] * (a.ndim - 1 - d))
    return result


def to_end(a: Array, d: int) -> Array:
    """With a dimension as the last one."""
    return a if d == a.ndim - 1 else np.moveaxis(a, d, -1)


def from_end(a: Array, d: int) -> Array:
    """With the last dimension in the place of another."""
    return a if d == a.ndim - 1 else np.moveaxis(a, -1, d)


def of_real(a: Array, dim: tuple[int, ...], scale: float, forward: bool) -> Array:
    """The transform of real numbers along dimensions, the last among them, by its half: the rest is symmetric."""
    n = a.shape[-1]
    if dim == (a.ndim - 2, a.ndim - 1) and takes_matrix(a.shape[-2], n):
        return of_real_matrices(contiguous(a), scale, forward)
    half = rows_transformed(contiguous(a), HALF, n // 2, scale, True)
    half = along_each(half, dim[:-1], 1.0, True)
    result = np.empty(a.shape, half.dtype)
    partners, rows = opposite_rows(a.shape[:-1], dim[:-1]), result.size // n
    shared(mirror_rows, (flat(half), partners, n // 2, not forward, flat(result)), rows, result.size)
    return result


def of_real_matrices(a: Array, scale: float, forward: bool) -> Array:
    """The transforms of matrices, each by itself."""
    rows, columns = a.shape[-2:]
    result = np.empty(a.shape, np.result_type(a, np.complex64))
    constants = matrix_call(rows, columns, a.dtype.char, scale, forward)
    shared(transform_matrices, (flat(a), *constants, flat(result)), a.size // (rows * columns), WORK * a.size)
    return result


@functools.lru_cache(maxsize=64)
def matrix_call(rows: int, columns: int, char: str, scale: float, forward: bool) -> tuple[Any, ...]:
    """What `transform_matrices` takes besides memory."""
    reals, n = np.dtype(char), rows // 2
    along, along_table, turned = table(columns, reals, False, forward)
    across, across_table, _ = table(n, reals, True, forward)
    lanes = vector_lanes(reals.type(0))
    block = -(-n // lanes) * lanes if turned else n
    halves = half_turns(n, reals)
    return along, along_table, across, across_table, halves, n, columns, block, turned, not forward, scale


@functools.lru_cache(maxsize=64)
def opposite_rows(shape: tuple[int, ...], dim: tuple[int, ...]) -> Array:
    """For each row of an array the one with the opposite frequencies along dimensions."""
    places = np.arange(math.prod(shape)).reshape(shape)
    for d in dim:
        places = np.roll(np.flip(places, d), 1, d)
    return places.reshape(-1)


def has_passes(a: Array, sizes: Sequence[int]) -> bool:
    """Whether transforms of these lengths are for our own loops."""
    return a.dtype.char in "fdFD" and _have_passes(tuple(sizes))


@functools.lru_cache(maxsize=256)
def _have_passes(sizes: tuple[int, ...]) -> bool:
    return None not in [radices(n) for n in sizes]


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


class RowCall(NamedTuple):
    """What a call for rows takes besides their memory, and how many numbers a row of the result has."""

    constants: tuple[Any, ...]
    block: int
    width: int
    dtype: Any


@functools.lru_cache(maxsize=256)
def row_call(count: int, n: int, kind: int, char: str, scale: float, forward: bool, pairs: float) -> RowCall:
    """The call for `count` rows of n complex numbers."""
    reals = np.dtype(char)
    steps, factors, turned = table(n, reals, False, forward)
    block = max(1, NEAR // n)
    if turned:
        lanes = vector_lanes(reals.type(0))
        block = min(-block // lanes, -count // lanes, key=abs) * -lanes
    halves = half_turns(n, reals) if kind in (HALF, WHOLE) else factors
    constants = steps, factors, halves, n, block, turned, kind, not forward, scale, pairs
    width = {HALF: n + 1, WHOLE: 2 * n}.get(kind, n)
    return RowCall(constants, block, width, reals if kind == WHOLE else np.result_type(reals, np.complex64))


def rows_transformed(a: Array, kind: int, n: int, scale: float, forward: bool, pairs: float = 1.0) -> Array:
    """The transforms of all rows, of n complex numbers each."""
    count = math.prod(a.shape[:-1])
    call = row_call(count, n, kind, a.dtype.char.lower(), scale, forward, pairs)
    result = np.empty((*a.shape[:-1], call.width), call.dtype)
    shared(transform_rows, (flat(a), *call.constants, flat(result)), count, WORK * count * n, call.block)
    return result


def columns_transformed(a: Array, kind: int, d: int, scale: float, forward: bool) -> Array:
    """The transforms along a dimension that others follow."""
    reals, n = a.real.dtype, a.shape[d]
    steps, factors, _ = table(n, reals, True, forward)
    lanes, after = vector_lanes(reals.type(0)), math.prod(a.shape[d + 1 :])
    block = lanes * max(1, min(NEAR // n // lanes, -(-after // lanes)))
    result = np.empty(a.shape, np.result_type(reals, np.complex64))
    arguments = flat(a), steps, factors, n, after, block, kind, not forward, scale, flat(result)
    shared(transform_columns, arguments, math.prod(a.shape[:d]) * -(-after // block), WORK * a.size)
    return result


def flat(a: Array) -> Array:
    """All parts of all numbers of a contiguous array."""
    return a.reshape(-1).view(a.dtype.char.lower())


def _contiguous(a: Any) -> Array:
    """The array in C order, which transforms of strided arrays do not keep."""
    return np.ascontiguousarray(a) if a.ndim else np.asarray(a)


def _workers(a: Array) -> int:
    return get_num_threads() if a.size >= _SHARED else 1
