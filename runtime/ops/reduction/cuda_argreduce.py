"""Extrema, their indices, any and all on a device: row programs. Integers are compared as int64."""

from __future__ import annotations

import numpy as np

from ...device.cuda.array import DeviceArray
from ...kernels.cpu.reduce_layout import reduced_dims_of
from ...kernels.cpu.row_shapes import Output
from ...kernels.cuda_launch.row_programs import over
from . import cuda_complex

Dims = tuple[int, ...]
INT64 = np.dtype(np.int64)


def amax(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return extreme("row_amax", a, dim, keepdim)


def amin(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return extreme("row_amin", a, dim, keepdim)


def max_all(a: DeviceArray) -> DeviceArray:
    return extreme("row_amax", a, reduced_dims_of(a.ndim, None), False)


def min_all(a: DeviceArray) -> DeviceArray:
    return extreme("row_amin", a, reduced_dims_of(a.ndim, None), False)


def max_dim(a: DeviceArray, dim: int, keepdim: bool) -> tuple[DeviceArray, DeviceArray]:
    return with_argmax("max_with_indices", a, dim, keepdim)


def min_dim(a: DeviceArray, dim: int, keepdim: bool) -> tuple[DeviceArray, DeviceArray]:
    return with_argmax("min_with_indices", a, dim, keepdim)


def argmax(a: DeviceArray, dim: int | None, keepdim: bool) -> DeviceArray:
    return with_argmax("max_with_indices", a, dim, keepdim)[1]


def argmin(a: DeviceArray, dim: int | None, keepdim: bool) -> DeviceArray:
    return with_argmax("min_with_indices", a, dim, keepdim)[1]


def any_all(a: DeviceArray) -> DeviceArray:
    return truth("some", a, reduced_dims_of(a.ndim, None), False)


def any_dim(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return truth("some", a, dim, keepdim)


def all_all(a: DeviceArray) -> DeviceArray:
    return truth("every", a, reduced_dims_of(a.ndim, None), False)


def all_dim(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return truth("every", a, dim, keepdim)


def in_registers(a: DeviceArray) -> DeviceArray:
    """An array of integers or bools, of which kernels compute with int64."""
    return a.as_read(INT64) if a.dtype.kind in "iub" else a


def element_of(a: DeviceArray) -> Output:
    return Output("each", a.dtype.name) if a.dtype.kind in "iub" else Output("each")


def extreme(name: str, a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return over(name, (in_registers(a),), dim, keepdim=keepdim, outputs=(element_of(a),))


def with_argmax(name: str, a: DeviceArray, dim: int | None, keepdim: bool) -> tuple[DeviceArray, DeviceArray]:
    outputs = element_of(a), Output("each", "int64")
    result: tuple[DeviceArray, DeviceArray] = over(
        name, (in_registers(a),), reduced_dims_of(a.ndim, dim), keepdim=keepdim, outputs=outputs
    )
    return result


def truth(name: str, a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    value = cuda_complex.truths(a) if a.dtype.kind == "c" else a
    return over(name, (in_registers(value),), dim, keepdim=keepdim, outputs=(Output("each", "bool"),))
