"""Reductions on a device: row programs over the dimensions that are reduced. Integers are compared as int64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.reduce_layout import Dims, reduced_dims_of
from ...kernels.cpu.row_shapes import Output
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.row_programs import over
from ..scan.cuda import running_sum
from . import cuda_complex, plans
from .cuda_products import prod_others as prod_others

INT64 = np.dtype(np.int64)
LENGTHS = {0: "not_zero", 1: "total_size", 2: "length", math.inf: "norm_inf", -math.inf: "norm_neg_inf"}


def reduction(name: str) -> Callable[..., Array]:
    def kernel(a: Array, dim: Dims | int | None = None, keepdim: bool = False) -> Array:
        return reduced(name, a, reduced_dims_of(a.ndim, dim), keepdim)

    return kernel


sum_all = sum_dim = reduction("total")
prod_all = prod_dim = reduction("product")


def sum_to_size(a: Array, size: Dims) -> Array:
    dims = plans.grown(size, a.shape)
    if not dims:  # which would stand for all
        return arrays.in_order(a).reshape(size)
    return reduced("total", a, dims, True).reshape(size)


def filled(self: Array, size: Dims) -> Array:
    steps = (0,) * len(size)
    return arrays.result_of(self.with_strides(size, steps))


def mean_dim(a: Array, dim: Dims | None = None, keepdim: bool = False) -> Array:
    dims = reduced_dims_of(a.ndim, dim)
    return reduced("row_mean", a, dims, keepdim, float(math.prod(a.shape[d] for d in dims)))


mean_all = mean_dim


def norm(a: Array, p: float, dim: Dims, keepdim: bool) -> Array:
    numbers = () if p in LENGTHS else (float(p),)
    value = cuda_complex.sizes(a) if a.dtype.kind == "c" else a
    powers = "length_of_power" if p > 0 else "length_of_negative_power"
    return reduced(LENGTHS.get(p, powers), value, dim, keepdim, *numbers)


def cumsum_backward(grad: Array, dim: int) -> Array:
    return running_sum(grad, dim, True)


# What stands for a program where numbers are complex; for others both parts are reduced by themselves.
OF_COMPLEX: dict[str, Callable[..., Array]] = {
    "product": cuda_complex.product,
}


def reduced(name: str, a: Array, dim: Dims | int, keepdim: bool, *numbers: Any) -> Array:
    if a.dtype.kind != "c":
        return over(name, (a,), dim, *numbers, keepdim=keepdim)
    dims = reduced_dims_of(a.ndim, dim)
    if name in OF_COMPLEX:
        return OF_COMPLEX[name](a, dims, keepdim, *numbers)
    return cuda_complex.linear(name, a, dims, keepdim, *numbers)


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
