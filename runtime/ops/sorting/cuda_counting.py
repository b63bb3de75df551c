"""Counts of numbers on a CUDA device: in bins, by value, in runs. How many results there are, the host reads."""

from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda import counting
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.arrays import contiguous
from ...kernels.cuda_launch.launch import launch
from ...kernels.cuda_launch.per_element import numbers, over_elements, pinned_reader
from ...kernels.cuda_launch.sort_and_scan import keyed, keys_and_order, order_of, seen
from ..indexing.cuda_gather import counts_of
from ..reduction.cuda_argreduce import max_all, min_all
from . import cpu_counting as cpu

INT64, UINT32, BOOL = np.dtype(np.int64), np.dtype(np.uint32), np.dtype(np.bool_)
BLOCKS = 512  # that keep a device busy
BIN_BLOCK_THRESHOLD = 256  # elements of a bin from which on a block of more than a warp adds them up


@pinned_reader(cpu.bin_counts)
def bin_counts(a: Array, minlength: int) -> Array:
    if not a.size:
        return counted("integer", a, (), minlength)
    lowest, highest = (int(arrays.to_host(result(a))) for result in (min_all, max_all))
    cpu.require_none_negative(lowest)
    return counted("integer", a, (), max(highest + 1, minlength))


@pinned_reader(cpu.histc)
def histc(a: Array, bins: int, min: float, max: float) -> Array:
    if min == max and a.size:
        min, max = (float(arrays.to_host(result(a))) for result in (min_all, max_all))
        cpu.require_finite(min, max)
    if min == max:
        min, max = min - 1, max + 1
    low, high = a.dtype.type(min), a.dtype.type(max)
    return contiguous(counted("even", a, (low, high, high - low), bins).as_read(a.dtype))


@pinned_reader(cpu.counts_between)
def counts_between(self: Array, edges: Array, weight: Array | None) -> Array:
    bins = len(edges) - 1
    if weight is None:
        return contiguous(counted("between", self, (contiguous(edges),), bins).as_read(self.dtype))
    x, return_index = contiguous(self).ravel(), arrays.empty((self.size,), UINT32, self.device)
    if not x.size:
        return arrays.zeros((bins,), self.dtype, self.device)
    over_elements(counting.BIN_SEARCH["between"], x.size, x, return_index, (contiguous(edges),), *numbers(bins))
    keys, order = keys_and_order(return_index, x.size, (0, bins.bit_length()))
    result = arrays.empty((bins,), self.dtype, self.device)
    threads = counting.THREADS if x.size > BIN_BLOCK_THRESHOLD * bins else 32
    launch(counting.SUMMED, bins, threads, keys, order, contiguous(weight).ravel(), result, *numbers(x.size))
    return result


def counted(name: str, a: Array, args: tuple[Any, ...], bins: int) -> Array:
    """How many elements are in each bin, which the kernel of that name finds."""
    x, counts = contiguous(a).ravel(), arrays.zeros((bins,), INT64, a.device)
    if x.size and bins <= counting.BINS:
        blocks = min(-(-x.size // counting.THREADS), BLOCKS)
        launch(counting.IN_BLOCK[name], blocks, counting.THREADS, x, counts, args, *numbers(bins, x.size))
    else:
        over_elements(counting.AT_ONCE[name], x.size, x, counts, args, *numbers(bins))
    return counts


@pinned_reader(cpu.distinct)
def distinct(a: Array, dim: int | None, runs: bool, return_index: bool) -> tuple[Array, Array, Array]:
    shape = (1, a.size, 1) if dim is None else seen(a.shape, dim % a.ndim)
    x, (_, along, after) = keyed(a).ravel(), shape
    order: Any = () if runs or not along else slices_in_order(x, shape)
    ends = run_ends(x, order, shape)
    total = int(arrays.to_host(ends[along - 1 :])[0]) if along else 0
    starts, counts = (arrays.empty((total,), INT64, a.device) for _ in range(2))
    inverse = arrays.empty((along,), INT64, a.device)
    over_elements(counting.NUMBERED, along, order, ends, starts, inverse)
    over_elements(counting.COUNTED, total, starts, counts, *numbers(along))
    result_dims = (total,) if dim is None else (*a.shape[: dim % a.ndim], total, *a.shape[dim % a.ndim + 1 :])
    values = arrays.result(a, result_dims)
    over_elements(counting.FIRSTS, values.size, x, order, starts, values.ravel(), *numbers(along, after, total))
    if not return_index and not runs and dim is None:
        none = arrays.empty((0,), INT64, a.device)
        return values, none, none
    return values, inverse.reshape(a.shape) if dim is None else inverse, counts


def slices_in_order(x: Array, shape: tuple[int, int, int]) -> Array:
    """The places along (before, along, after) of slices in order: the first elements that differ decide. So slices are
    sorted by their last element first, and equal ones keep the order that they have."""
    before, along, after = shape
    order = None
    for column in reversed(range(before * after)):
        first = column // after * along * after + column % after
        order = order_of(x[first:], 1, along, after, order)
    assert order is not None
    return order


def run_ends(x: Array, order: Any, shape: tuple[int, int, int]) -> Array:
    before, along, after = shape
    begins = arrays.empty((along,), BOOL, x.device)
    over_elements(counting.DIFFERS, along, x, order, begins, *numbers(before, after))
    return counts_of(begins, 1)
