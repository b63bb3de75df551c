"""Discrete Fourier transforms: by plans of our own loops where the lengths have small factors, and SciPy for others."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...device.threads.parallel_for import get_num_threads
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, run_if_planned
from . import plans
from .cpu_radices import resized, with_sizes

# How SciPy names a scale of 1, 1 / sqrt(n) and 1 / n for transforms with exp(-i ...) and with exp(i ...).
_FORWARD = ("backward", "ortho", "forward")
_INVERSE = ("forward", "ortho", "backward")
_SHARED = 1 << 16  # from how many elements on it pays to use several threads


def fft_c2c(a: Array, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool) -> Array:
    """y_k = scale sum_j x_j exp(-+2 pi i j k / n) along dimensions, cut or filled up with zeros to n numbers."""
    shape = with_sizes(a.shape, lengths, dim)
    if not a.size or not dim:
        return np.array(resized(a, shape), np.result_type(a, np.complex64), order="C")
    rest = normalization, forward
    result = _planned(plans.fft_c2c, a, shape, a.ndim - 1, lengths, dim, *rest)
    if result is not None:
        return result
    from scipy import fft

    transform, norms = (fft.fftn, _FORWARD) if forward else (fft.ifftn, _INVERSE)
    return _contiguous(transform(a, lengths, dim, norms[normalization], workers=_workers(a)))


def fft_r2c(
    a: Array, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float = 1.0
) -> Array:
    """The non-redundant half of `fft_c2c`, up to n // 2 along the last dim; what stands for a pair is times `pairs`."""
    last, n = dim[-1], lengths[-1]
    shape = with_sizes(a.shape, lengths, dim)
    if not a.size:
        return np.zeros(with_sizes(shape, [n // 2 + 1], [last]), np.result_type(a, np.complex64))
    result = _planned(plans.fft_r2c, a, shape, last, lengths, dim, normalization, forward, pairs)
    if result is not None:
        return result
    from scipy import fft

    half = fft.rfftn(a, lengths, dim, _FORWARD[normalization], workers=_workers(a))
    return _contiguous(weighted_pairs(half if forward else np.conj(half), last, n, pairs))


def fft_c2r(
    a: Array, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float = 1.0
) -> Array:
    """The real transform of the half of a symmetric spectrum; numbers of it that stand for a pair are times `pairs`."""
    last, n = dim[-1], lengths[-1]
    shape = with_sizes(a.shape, (*lengths[:-1], n // 2 + 1), dim)
    if not a.size:
        return np.zeros(with_sizes(shape, [n], [last]), a.real.dtype)
    a = a.astype(np.result_type(a, np.complex64), copy=False)
    result = _planned(plans.fft_c2r, a, shape, last, lengths, dim, normalization, forward, pairs)
    if result is not None:
        return result
    from scipy import fft

    value = weighted_pairs(resized(a, shape), last, n, pairs)
    value = np.conj(value) if forward else value
    return _contiguous(fft.irfftn(value, lengths, dim, _INVERSE[normalization], workers=_workers(a)))


def _planned(
    find: Callable[..., Any],
    a: Array,
    shape: Sequence[int],
    last: int,
    lengths: Sequence[int],
    dim: Sequence[int],
    *rest: Any,
) -> Array | None:
    """The result by a plan for the array as it is, or as it is of the right shape, with a dimension at the end."""
    if a.dtype.char not in "fdFD" or not plans.have_passes(tuple(lengths)):
        return None
    result = run_if_planned(find, a, tuple(lengths), tuple(dim), *rest)
    if result is not None:
        return result[0]
    rows = contiguous(np.moveaxis(resized(a, shape), last, -1))
    moved = tuple([d - (d > last) if d != last else a.ndim - 1 for d in dim])
    result = run_if_planned(find, rows, tuple(lengths), moved, *rest)
    return None if result is None else contiguous(np.moveaxis(result[0], -1, last))


def weighted_pairs(a: Array, d: int, n: int, pairs: float) -> Array:
    """Half of a symmetric spectrum, times `pairs` but for the frequency 0 and, of an even n, the highest one."""
    if pairs == 1:
        return a
    weights = np.full(n // 2 + 1, pairs, a.real.dtype)
    weights[0] = 1
    weights[n // 2 :] = weights[n // 2 :] if n % 2 else 1
    return a * weights.reshape([-1] + [1] * (a.ndim - 1 - d))


def _contiguous(a: Any) -> Array:
    return np.ascontiguousarray(a) if a.ndim else np.asarray(a)


def _workers(a: Array) -> int:
    return get_num_threads() if a.size >= _SHARED else 1
