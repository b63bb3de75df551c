"""Extrema, their indices, any and all on a device: row programs. Integers are compared as int64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.reduce_layout import Dims, reduced_dims_of
from ...kernels.cpu.row_shapes import Output
from ...kernels.cuda_launch.row_programs import over
from . import cuda_complex

INT64 = np.dtype(np.int64)


def in_registers(a: Array) -> Array:
    return a.as_read(INT64) if a.dtype.kind in "iub" else a


def element_of(a: Array) -> Output:
    return Output("each", a.dtype.name) if a.dtype.kind in "iub" else Output("each")


def extreme(name: str) -> Callable[..., Array]:
    def kernel(a: Array, dim: Dims | None = None, keepdim: bool = False) -> Array:
        dims, outputs = reduced_dims_of(a.ndim, dim), (element_of(a),)
        return over(name, (in_registers(a),), dims, keepdim=keepdim, outputs=outputs)

    return kernel


def with_argmax(name: str) -> Callable[..., tuple[Array, Array]]:
    def kernel(a: Array, dim: int | None, keepdim: bool) -> tuple[Array, Array]:
        dims, outputs = reduced_dims_of(a.ndim, dim), (element_of(a), Output("each", "int64"))
        return over(name, (in_registers(a),), dims, keepdim=keepdim, outputs=outputs)

    return kernel


def truth(name: str) -> Callable[..., Array]:
    def kernel(a: Array, dim: Dims | None = None, keepdim: bool = False) -> Array:
        value, dims = cuda_complex.truths(a) if a.dtype.kind == "c" else a, reduced_dims_of(a.ndim, dim)
        return over(name, (in_registers(value),), dims, keepdim=keepdim, outputs=(Output("each", "bool"),))

    return kernel


amax = max_all = extreme("row_amax")
amin = min_all = extreme("row_amin")
max_dim = with_argmax("max_with_indices")
min_dim = with_argmax("min_with_indices")
any_all = any_dim = truth("some")
all_all = all_dim = truth("every")


def argmax(a: Array, dim: int | None, keepdim: bool) -> Array:
    return with_argmax("max_with_indices")(a, dim, keepdim)[1]


def argmin(a: Array, dim: int | None, keepdim: bool) -> Array:
    return with_argmax("min_with_indices")(a, dim, keepdim)[1]
