"""Scans along a dimension on a CUDA device: cumulative extrema, sums and products, recurrences, logcumsumexp.

As on the CPU, sums and products of float32 are computed in float64, and sums of float64 with their rounding errors.
Products and recurrences of float64 are not.
"""

from functools import partial

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda.logcumsumexp import complex_logarithm_kernel
from ...kernels.cuda_launch import arrays as memory
from ...kernels.cuda_launch.per_element import numbers, over_elements, pinned_reader, summed_in
from ...kernels.cuda_launch.sort_and_scan import scan, seen
from . import cpu

INT64, FLOAT64 = np.dtype(np.int64), np.dtype(np.float64)


def _minmax(name: str, a: Array, dim: int) -> tuple[Array, Array]:
    if not a.ndim:
        return memory.result_of(a), memory.zeros((), INT64, a.device)
    values, positions = memory.result(a, a.shape), memory.empty(a.shape, INT64, a.device)
    computed = INT64 if a.dtype.kind == "b" else summed_in(a.dtype)
    scan(name, computed, [memory.in_order(a)], [values, positions], seen(a.shape, dim % a.ndim))
    return values, positions


cummax = pinned_reader(cpu.cummax)(partial(_minmax, "maximum"))
cummin = pinned_reader(cpu.cummin)(partial(_minmax, "minimum"))


@pinned_reader(cpu.cumsum)
def cumsum(a: Array, dim: int) -> Array:
    return running_sum(a, dim, False)


@pinned_reader(cpu.running_sum)
def running_sum(a: Array, dim: int, reverse: bool) -> Array:
    if a.dtype.kind != "c" or not a.ndim:
        name = "sum_in_two" if a.dtype == FLOAT64 else "sum"
        return _scanned(name, [a], dim, reverse)
    kind = np.dtype(f"f{a.dtype.itemsize // 2}")
    result = memory.empty(a.shape, a.dtype, a.device)
    before, along, after = seen(a.shape, dim % a.ndim)
    flat = [each.ravel().view(kind) for each in (memory.contiguous(a), result)]
    name = "sum_in_two" if kind == FLOAT64 else "sum"
    scan(name, kind, flat[:1], flat[1:], (before, along, 2 * after), reverse)
    return result


@pinned_reader(cpu.cumprod)
def cumprod(a: Array, dim: int) -> Array:
    return _scanned("product", [a], dim)


@pinned_reader(cpu.linear_recurrence)
def linear_recurrence(self: Array, factor: Array, dim: int, reverse: bool) -> Array:
    return _scanned("recurrence", [self, factor], dim, reverse)


@pinned_reader(cpu.logcumsumexp)
def logcumsumexp(a: Array, dim: int) -> Array:
    return _scanned("logarithm", [a], dim) if a.dtype.kind != "c" else _complex_logarithms(a, dim)


def _complex_logarithms(a: Array, dim: int) -> Array:
    """Each line is one thread's, as a result depends on the one before."""
    if a.size <= 1 or a.shape[dim] == 1:
        return memory.copied(a)
    result = memory.empty(a.shape, a.dtype, a.device)
    before, along, after = seen(a.shape, dim % a.ndim)
    kernel = complex_logarithm_kernel(a.dtype)
    over_elements(kernel, before * after, memory.in_order(a).ravel(), result.ravel(), *numbers(along, after))
    return result


def _scanned(name: str, arrays: list[Array], dim: int, reverse: bool = False) -> Array:
    a = arrays[0]
    if not a.ndim:
        return memory.result_of(a)
    result = memory.result(a, a.shape)
    computed = INT64 if a.dtype.kind == "b" else summed_in(a.dtype)
    scan(name, computed, [memory.in_order(each) for each in arrays], [result], seen(a.shape, dim % a.ndim), reverse)
    return result
