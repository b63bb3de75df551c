"""Discrete Fourier transforms on a device: by the library, over up to three dims at a time."""

from collections.abc import Sequence
from math import prod, sqrt

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import narrowed, permuted
from ...kernels.cuda_libraries.protocol import Fft
from ..linalg.cuda import conjugated
from ..linalg.cuda_batches import library, stream_of, with_library
from . import cpu
from . import cuda_kernels as kernels

MAX_DIMS = 3  # of one transform


@with_library(cpu.fft_c2c)
def fft_c2c(a: Array, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool) -> Array:
    a = brought(a.as_read(complex_of(a.dtype)), lengths, dim)
    if not a.size or not dim:
        return arrays.copied(a)
    return scaled(transformed(a, dim, forward), lengths, normalization)


@with_library(cpu.fft_r2c)
def fft_r2c(
    a: Array, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float = 1.0
) -> Array:
    a, n = brought(a, lengths, dim), lengths[-1]
    if not a.size:
        return empty(a, dim[-1], n // 2 + 1, complex_of(a.dtype))
    result = along(a, dim[-MAX_DIMS:], "r2c", True, n)
    full = scaled(transformed(result, dim[:-MAX_DIMS], True), lengths, normalization)
    return weighted_pairs(full if forward else conjugated(full), dim[-1], n, pairs)


@with_library(cpu.fft_c2r)
def fft_c2r(
    a: Array, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float = 1.0
) -> Array:
    n, a = lengths[-1], a.as_read(complex_of(a.dtype))
    half = brought(a, (*lengths[:-1], n // 2 + 1), dim)
    if not a.size:
        return empty(half, dim[-1], n, np.dtype(f"f{a.dtype.itemsize // 2}"))
    half = conjugated(arrays.copied(half)) if forward else half
    half = half if pairs == 1 else weighted_pairs(arrays.copied(half), dim[-1], n, pairs)
    value = transformed(half, dim[:-MAX_DIMS], False)
    return scaled(along(value, dim[-MAX_DIMS:], "c2r", False, n), lengths, normalization)


def brought(a: Array, lengths: Sequence[int], dim: Sequence[int]) -> Array:
    for d, length in zip(dim, lengths, strict=True):
        if a.shape[d] > length:
            a = narrowed(a, d, 0, length)
        elif a.shape[d] < length:
            result = empty(a, d, length, a.dtype)
            arrays.copy(narrowed(result, d, 0, a.shape[d]), a)
            a = result
    return a


def weighted_pairs(a: Array, d: int, n: int, pairs: float) -> Array:
    """Half of a symmetric spectrum: what stands for a pair is multiplied in place."""
    count = (n - 1) // 2
    if pairs != 1 and count:
        there = narrowed(a, d, 1, count + 1)
        part = arrays.copied(there)
        per_element.run(kernels.scaled, part.size, part.dtype, part, part.dtype.type(pairs))
        arrays.copy(there, part)
    return a


def complex_of(dtype: np.dtype) -> np.dtype:
    return np.result_type(dtype, np.complex64)


def empty(a: Array, dim: int, size: int, dtype: np.dtype) -> Array:
    result = arrays.empty((*a.shape[:dim], size, *a.shape[dim + 1 :]), dtype, a.device)
    arrays.fill(result, 0)
    return result


def transformed(a: Array, dim: Sequence[int], forward: bool) -> Array:
    for first in range(0, len(dim), MAX_DIMS):
        part = dim[first : first + MAX_DIMS]
        a = along(a, part, "c2c", forward, a.shape[part[-1]])
    return a


def along(a: Array, dim: Sequence[int], kind: str, forward: bool, last: int) -> Array:
    """One transform over up to three dims; `last` is the number of its real numbers along the last of them."""
    lead = [d for d in range(a.ndim) if d not in dim]
    order = (*lead, *dim)
    value = arrays.copied(permuted(a, *order))  # some transforms use up what they are given
    batch, sizes = prod(a.shape[d] for d in lead), (*(a.shape[d] for d in dim[:-1]), last)
    real = a.dtype if kind == "r2c" else np.dtype(f"f{a.dtype.itemsize // 2}")
    fft = Fft(real, kind, batch, sizes, forward)
    shape = (*value.shape[: len(lead)], *(fft.half if kind == "r2c" else sizes))
    result = arrays.empty(shape, real if kind == "c2r" else fft.complex, a.device)
    library().fft(fft, value.address, result.address, stream_of(a))
    return permuted(result, *(order.index(d) for d in range(a.ndim)))


def scaled(a: Array, sizes: Sequence[int], normalization: int) -> Array:
    result = arrays.contiguous(a) if order_is_rows(a) else arrays.copied(a)
    if normalization:
        n = prod(sizes)
        factor = result.dtype.type(1 / n if normalization == 2 else 1 / sqrt(n))
        per_element.run(kernels.scaled, result.size, result.dtype, result, factor)
    return result


def order_is_rows(a: Array) -> bool:
    contiguous_view = Array(a.address, a.shape, a.dtype, a.block, a.device, None, a.stored).byte_strides
    if all(n == 1 or one == other for n, one, other in zip(a.shape, a.byte_strides, contiguous_view, strict=True)):
        a.strides = None
        return True
    return False
