"""Sums of what is not nan on a device, and their gradients: row programs over the dimensions that are reduced."""

from __future__ import annotations

from ...cuda.array import DeviceArray
from .cuda import reduced
from .cuda_backward import expand_grad

Dims = tuple[int, ...]


def nansum(a: DeviceArray, dim: Dims, keepdim: bool) -> DeviceArray:
    return reduced("total" if a.dtype.kind in "biu" else "nansum_row", a, dim, keepdim)


def nansum_backward(grad: DeviceArray, x: DeviceArray, dim: Dims) -> DeviceArray:
    return expand_grad("nansum_row_backward", (grad, x), dim)
