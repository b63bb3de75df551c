"""Plans of diagonals put into zeros, from what the kernel does to places, and of windows by loops of their own."""

from math import prod

from ...kernels.cpu.contiguous_copy import along_path, zeros
from ...kernels.cpu.move_plans import MAX_MOVED_ELEMENTS, moved
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, of_any_layout
from ...shapes import contiguous_strides
from ...tensor import view_shapes
from . import cpu
from .cpu_loops import columns_to_windows, windows_to_columns


@of_any_layout
def diagonal_backward(grad: Layout, sizes: Ints, offset: int, dim1: int, dim2: int) -> Plan | None:
    if prod(sizes) <= MAX_MOVED_ELEMENTS:
        return moved(grad, lambda a: cpu.diagonal_backward(a, sizes, offset, dim1, dim2))
    _, steps, first = view_shapes.diagonal(sizes, contiguous_strides(sizes), 0, offset, dim1, dim2)
    written = along_path(grad, sizes, tuple(steps), first)
    return written and (zeros(0, sizes), written)


def im2col(x: Layout, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Plan | None:
    if x.strides is not None or not prod(x.shape):
        return None
    geometry = window_geometry(x.shape[-2:], kernel_size, dilation, padding, stride)
    rows, indices = prod(x.shape[:-2]) * prod(kernel_size), geometry[4] * geometry[5]
    shape = (*x.shape[:-3], x.shape[-3] * prod(kernel_size), indices)
    return (Step(windows_to_columns, (0,), ((0, shape),), (), geometry, (rows, 1), rows * indices),)


def col2im(x: Layout, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Plan | None:
    if x.strides is not None or not prod(x.shape):
        return None
    geometry = window_geometry(output_size, kernel_size, dilation, padding, stride)
    shape = (*x.shape[:-2], x.shape[-2] // prod(kernel_size), *output_size)
    planes = prod(shape[:-2])
    return (Step(columns_to_windows, (0,), ((0, shape),), (), geometry, (planes, 1), prod(x.shape)),)


def window_geometry(size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Ints:
    each = zip(size, kernel_size, dilation, padding, stride, strict=True)
    counts = [(n + 2 * p - (k - 1) * d - 1) // s + 1 for n, k, d, p, s in each]
    return (*size, *kernel_size, *counts, *padding, *dilation, *stride)
