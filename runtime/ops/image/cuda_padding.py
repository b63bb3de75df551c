"""Padding by reflection, replication or wrapping around on a device, one dimension after the other."""

from __future__ import annotations

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching import indexed
from ...cuda.views import in_order
from . import cuda_kernels as kernels
from .cpu_padding import source_index
from .cpu_resample import Rows
from .cuda_resample import multiplied, sizes_of

Array = DeviceArray
Ints = tuple[int, ...]


def border_pad(a: Array, pad: Ints, mode: str) -> Array:
    for dim, before, after in sides(a.ndim, pad):
        columns = source_index(a.shape[dim], before, after, mode)
        result = memory.result(a, (*a.shape[:dim], columns.size, *a.shape[dim + 1 :]))
        positions = memory.constant(columns.astype(np.int32), a.device)
        args = in_order(a), positions, result, *sizes_of(a, dim, columns.size)
        indexed.run(kernels.gathered, result.size, a.dtype, *args)
        a = result
    return a


def border_pad_backward(grad: Array, input_shape: Ints, pad: Ints, mode: str) -> Array:
    for dim, before, after in sides(grad.ndim, pad):
        size = input_shape[dim]
        columns = source_index(size, before, after, mode)
        order = np.argsort(columns, kind="stable")
        starts = np.searchsorted(columns[order], np.arange(size + 1))
        grad = multiplied(grad, dim, size, Rows(starts, order, np.ones(order.size)), memory.scratch)
    return grad


def sides(ndim: int, pad: Ints) -> list[tuple[int, int, int]]:
    return [(ndim - 1 - k, pad[2 * k], pad[2 * k + 1]) for k in range(len(pad) // 2)]
