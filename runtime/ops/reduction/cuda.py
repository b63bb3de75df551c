"""Reductions on a device: row programs over the dimensions that are reduced."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...device.cuda.array import DeviceArray
from ...kernels.cpu.reduce_layout import reduced_dims_of
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.row_programs import over
from ..scan.cuda import running_sum
from . import cuda_complex, plans
from .cuda_backward import expand_grad
from .cuda_products import prod_others as prod_others

Dims = tuple[int, ...]
LENGTHS = {0: "not_zero", 1: "total_size", 2: "length", math.inf: "norm_inf", -math.inf: "norm_neg_inf"}


def sum_all(a: DeviceArray) -> DeviceArray:
    return reduced("total", a, all_of(a), False)


def sum_dim(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return reduced("total", a, dim, keepdim)


def sum_to_size(a: DeviceArray, size: Dims) -> DeviceArray:
    dims = plans.grown(size, a.shape)
    if not dims:  # which would stand for all
        return arrays.in_order(a).reshape(size)
    return reduced("total", a, dims, True).reshape(size)


def filled(self: DeviceArray, size: Dims) -> DeviceArray:
    steps = (0,) * len(size)
    return arrays.result_of(self.with_strides(size, steps))


def prod_all(a: DeviceArray) -> DeviceArray:
    return reduced("product", a, all_of(a), False)


def prod_dim(a: DeviceArray, dim: int, keepdim: bool) -> DeviceArray:
    return reduced("product", a, dim, keepdim)


def mean_all(a: DeviceArray) -> DeviceArray:
    return reduced("row_mean", a, all_of(a), False, float(a.size))


def mean_dim(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return reduced("row_mean", a, dim, keepdim, float(math.prod(a.shape[d] for d in dim)))


def var_dim(a: DeviceArray, dim: Dims, correction: float, keepdim: bool) -> DeviceArray:
    return reduced("variance", a, dim, keepdim, float(correction))


def std_dim(a: DeviceArray, dim: Dims, correction: float, keepdim: bool) -> DeviceArray:
    return reduced("std", a, dim, keepdim, float(correction))


def norm(a: DeviceArray, p: float, dim: Dims, keepdim: bool) -> DeviceArray:
    numbers = () if p in LENGTHS else (float(p),)
    value = cuda_complex.sizes(a) if a.dtype.kind == "c" else a
    return reduced(LENGTHS.get(p, "length_of_power"), value, dim, keepdim, *numbers)


def logsumexp(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return reduced("logsumexp", a, dim, keepdim)


def cumsum_backward(grad: DeviceArray, dim: int) -> DeviceArray:
    return running_sum(grad, dim, True)


def all_of(a: DeviceArray) -> Dims:
    return reduced_dims_of(a.ndim, None)


# What stands for a program where numbers are complex; for others both parts are reduced by themselves.
OF_COMPLEX: dict[str, Callable[..., DeviceArray]] = {
    "product": cuda_complex.product,
    "variance": cuda_complex.variance,
    "std": cuda_complex.std,
    "logsumexp": cuda_complex.logsumexp,
}


def reduced(name: str, a: DeviceArray, dim: Dims | int, keepdim: bool, *numbers: Any) -> DeviceArray:
    if a.dtype.kind != "c":
        result: DeviceArray = over(name, (a,), dim, *numbers, keepdim=keepdim)
        return result
    dims = reduced_dims_of(a.ndim, dim)
    if name in OF_COMPLEX:
        return OF_COMPLEX[name](a, dims, keepdim, *numbers)
    return cuda_complex.linear(name, a, dims, keepdim, *numbers)


def nansum(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return reduced("total" if a.dtype.kind in "biu" else "nansum_row", a, dim, keepdim)


def nansum_backward(grad: DeviceArray, x: DeviceArray, dim: Dims) -> DeviceArray:
    return expand_grad("nansum_row_backward", (grad, x), dim)
