"""Reductions of complex numbers on a device: row programs over their parts, or over their sizes."""

from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.reduce_layout import Dims, folding
from ...kernels.cuda_launch import arrays
from ...kernels.cuda_launch.per_element import made
from ...kernels.cuda_launch.row_programs import over
from . import cuda_kernels as kernels
from .cuda_products import product_of_all

COMPLEX = {"float32": np.dtype(np.complex64), "float64": np.dtype(np.complex128)}
BOOL = np.dtype(np.bool_)


def pairs(a: Array) -> Array:
    """Complex numbers as pairs of real ones along one more dimension, the last; a number alone is a row of one."""
    value = arrays.materialized(a)
    part = np.dtype(f"f{value.itemsize // 2}")
    shape, steps = (*(a.shape or (1,)), 2), (*(value.byte_strides or (value.itemsize,)), part.itemsize)
    keepdim_shape = None if value.strides is None else steps
    return Array(value.address, shape, part, value.block, value.device, keepdim_shape)


def by_parts(name: str, a: Array, dim: Dims, keepdim: bool, *numbers: Any) -> Array:
    return over(name, (pairs(a),), dim or (0,), *numbers, keepdim=keepdim)


def linear(name: str, a: Array, dim: Dims, keepdim: bool, *numbers: Any) -> Array:
    parts = by_parts(name, a, dim, keepdim, *numbers)
    return parts.ravel().view(COMPLEX[parts.dtype.name]).reshape(folding(a.shape, dim, keepdim).result)


def product(a: Array, dim: Dims, keepdim: bool) -> Array:
    fold = folding(a.shape, dim, keepdim)
    return arrays.copied(product_of_all(a, fold.folded).as_read(a.dtype)).reshape(fold.result)


def sizes(a: Array) -> Array:
    return made(kernels.size, a.shape, (a,), np.dtype(f"f{a.dtype.itemsize // 2}"))


def truths(a: Array) -> Array:
    return made(kernels.is_not_zero, a.shape, (a,), BOOL)
