"""Depthwise convolution with a small odd kernel that keeps the size, or halves it: each channel is filtered as it lies.

With stride 2 every second place of what stride 1 gives is taken, and gradients are spread to every second place.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.shifted import doubled_rows, halved_rows
from ...kernels.llvm.stencils import stencil, stencil_backward
from .cpu_sizes import Geometry

Array = np.ndarray


VECTOR_BYTES = 16  # of the smallest machine


def stencil_numbers(g: Geometry, itemsize: int, mirrored: bool) -> Array | None:
    """What the loops below take, where they are the way to do a convolution: kernel size, stride and other sizes."""
    kernel, stride = g.kernel[2], g.stride[2]
    if kernel // 2 > VECTOR_BYTES // itemsize:
        return None
    square = kernel in (3, 5, 7) and g.kernel == (1, kernel, kernel) and g.pads == (0, kernel // 2, kernel // 2)
    steps = g.dilation == (1, 1, 1) and stride in (1, 2) and g.stride == (1, stride, stride)
    same = g.sizes[0] == 1 and g.positions == (1, *((n - 1) // stride + 1 for n in g.sizes[1:]))
    if not (square and steps and same and g.channels == g.outputs == 1 and g.sizes[1] >= kernel):
        return None
    return np.array([kernel, stride, *g.sizes[1:], *g.positions[1:], g.batch, g.groups, mirrored], np.int64)


@jit
def filter_planes(x: Array, w: Array, bias: Array, out: Array, numbers: Array, first: int, last: int) -> None:
    """Channels of samples, each with its kernel."""
    kernel, stride, rows, columns, less_rows, less_columns, _, groups, mirrored = numbers
    area, less = rows * columns, less_rows * less_columns
    scratch = np.zeros(area if stride > 1 else 0, x.dtype)
    for number in range(first, last):
        group = number % groups
        own, start = w[group * kernel * kernel :], bias[group:]
        if stride == 1:
            _filter(kernel, x[number * area :], own, mirrored, start, out[number * area :], rows, columns)
        elif mirrored:
            doubled_rows(scratch, 2 * columns, x[number * less :], less_columns, less_rows, less_columns)
            _filter(kernel, scratch, own, mirrored, start, out[number * area :], rows, columns)
        else:
            _filter(kernel, x[number * area :], own, mirrored, start, scratch, rows, columns)
            halved_rows(out[number * less :], less_columns, scratch, 2 * columns, less_rows, less_columns)


@jit
def _filter(kernel: int, x: Array, w: Array, mirrored: int, bias: Array, out: Array, rows: int, columns: int) -> None:
    if kernel == 3:
        stencil(3, x, w, mirrored, bias, out, rows, columns)
    elif kernel == 5:
        stencil(5, x, w, mirrored, bias, out, rows, columns)
    else:
        stencil(7, x, w, mirrored, bias, out, rows, columns)


@jit
def filter_slopes(grad: Array, x: Array, out: Array, numbers: Array, first: int, last: int) -> None:
    """Adds the gradients of channels' kernels, over all samples."""
    kernel, stride, rows, columns, less_rows, less_columns, batch, groups, _ = numbers
    area, less = rows * columns, less_rows * less_columns
    scratch = np.zeros(batch * area if stride > 1 else 0, x.dtype)
    for group in range(first, last):
        slopes, step = grad[group * less :], groups * less
        if stride > 1:
            for n in range(batch):
                to = scratch[n * area :]
                doubled_rows(to, 2 * columns, slopes[n * step :], less_columns, less_rows, less_columns)
            slopes, step = scratch, area
        seen, to = x[group * area :], out[group * kernel * kernel :]
        if kernel == 3:
            stencil_backward(3, slopes, step, seen, groups * area, to, rows, columns, batch)
        elif kernel == 5:
            stencil_backward(5, slopes, step, seen, groups * area, to, rows, columns, batch)
        else:
            stencil_backward(7, slopes, step, seen, groups * area, to, rows, columns, batch)
