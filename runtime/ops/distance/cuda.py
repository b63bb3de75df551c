"""The elements of square matrices above their diagonals, on a device."""

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cuda_launch import arrays
from ..indexing.cuda import index_select
from .cpu import upper_triangle_indices


def above_diagonal(x: Array) -> Array:
    rows = x.shape[-1]
    flat = arrays.in_order(x).reshape((*x.shape[:-2], rows * rows))
    return index_select(flat, flat.ndim - 1, arrays.constant(upper_triangle_indices(rows), x.device))
