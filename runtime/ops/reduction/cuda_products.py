"""Products of all elements but one on a device, by running products from both ends: exact where elements are 0."""

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...kernels.cpu.reduce_layout import folding
from ...kernels.cuda_launch import arrays, per_element
from ...kernels.cuda_launch.arrays import narrowed
from ...kernels.cuda_launch.per_element import apply
from ...kernels.cuda_launch.row_programs import in_order
from ...kernels.cuda_launch.sort_and_scan import scan, seen
from . import cuda_kernels as kernels

WIDE = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}  # of products on the way
Triple = tuple[int, ...]  # before, along, after


def of_others(a: Array, shape: Triple) -> Array:
    """prod_{j != i} a_j along the second of three dimensions, in double precision."""
    kind = WIDE.get(a.dtype.kind, a.dtype)
    before, after, result = (arrays.empty(shape, kind, a.device) for _ in range(3))
    source = in_order(a)
    line = seen(shape, 1)
    scan("product", kind, [source], [before], line)
    scan("product", kind, [source], [after], line, True)
    per_element.run(kernels.products_of_others, a.size, kind, before, after, result, shape[1], shape[2])
    return result


def prod_others(a: Array, dim: int) -> Array:
    shape = a.shape or (1,)
    result = of_others(a, folding(shape, dim % len(shape)).folded).as_read(a.dtype)
    return arrays.copied(result).reshape(a.shape)


def prod_backward(grad: Array, x: Array, dim: int | None) -> Array:
    shape = folding(x.shape, dim).folded
    result = arrays.result(x, x.shape)
    if x.size:
        grads = in_order(grad).reshape(shape[0], 1, shape[2])
        apply(kernels.product, WIDE["f"], (of_others(x, shape), grads), result.reshape(shape))
    return result


def product_of_all(a: Array, shape: Triple) -> Array:
    """prod_j a_j along the second of three dimensions, which becomes 1: where a running product ends."""
    before, along, after = shape
    kind = WIDE.get(a.dtype.kind, a.dtype)
    running = arrays.empty((before, max(along, 1), after), kind, a.device)
    if along:
        scan("product", kind, [in_order(a)], [running], seen(shape, 1))
    else:
        arrays.fill(running, 1)
    return narrowed(running, 1, running.shape[1] - 1, running.shape[1])
