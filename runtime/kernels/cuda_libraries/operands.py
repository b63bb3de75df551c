"""Arrays as libraries take them: in one dtype, from where they expect arrays to begin, and the addresses of a batch in
memory of the device."""

from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ...shapes import byte_strides, contiguous_strides
from ..cuda.language import cuda
from ..cuda_launch import arrays, per_element

ALIGNMENT = 16


def aligned(a: DeviceArray) -> DeviceArray:
    """An array that begins where libraries expect it to: a copy in row order, if need be."""
    return arrays.moved(a) if a.address % ALIGNMENT else a


def is_channels_last(a: DeviceArray, axis: int) -> bool:
    order = [d for d in range(a.ndim) if d != axis] + [axis]
    sizes = tuple(a.shape[d] for d in order)
    contiguous_steps = byte_strides(sizes, contiguous_strides(sizes), a.itemsize)
    return all(a.shape[d] == 1 or a.byte_strides[d] == step for d, step in zip(order, contiguous_steps, strict=True))


def stored_as(a: DeviceArray, kind: np.dtype) -> DeviceArray:
    return a if a.stored == kind else arrays.copied(a.as_read(kind)).as_read(a.dtype)


def has_rows(a: DeviceArray) -> bool:
    is_strided = all(step or n == 1 for n, step in zip(a.shape, a.byte_strides, strict=True))
    return is_strided and a.byte_strides[-1] == a.itemsize and a.address % ALIGNMENT == 0


# A text names these; a kernel has its own in their place.
index: Any = None
put_result: Any = None

INT64 = np.dtype(np.int64)


def addresses_of(first: int, step: int, count: int, device: Any) -> DeviceArray:
    """`first` and what lies `step` bytes after each other; a kernel writes them, so that graphs can be captured."""
    result = arrays.empty((count,), INT64, device)
    per_element.run(progression, count, INT64, result, np.int64(first), np.int64(step))
    return result


def progression(result: Any, first: Any, step: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        put_result(result, i, first + i * step)
