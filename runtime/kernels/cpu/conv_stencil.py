"""Depthwise convolution with a small odd kernel that keeps the size: each channel is filtered as it lies."""

from __future__ import annotations

import numpy as np

from ..jit import jit
from ..stencils import stencil, stencil_slopes
from .conv_sizes import Geometry

Array = np.ndarray


def stencil_numbers(g: Geometry, mirrored: bool) -> Array | None:
    """What the loops below take, where they are the way to do a convolution: (kernel size, rows, columns, ...)."""
    kernel = g.kernel[2]
    square = kernel in (3, 5, 7) and g.kernel == (1, kernel, kernel) and g.pads == (0, kernel // 2, kernel // 2)
    steady = g.stride == g.dilation == (1, 1, 1) and g.positions == g.sizes
    if not (square and steady and g.channels == g.outputs == 1 and g.sizes[0] == 1 and g.sizes[1] >= kernel):
        return None
    return np.array([kernel, *g.sizes[1:], g.batch, g.groups, mirrored], np.int64)


@jit
def filter_planes(x: Array, w: Array, bias: Array, out: Array, numbers: Array, first: int, last: int) -> None:
    """Channels of samples, each with its kernel."""
    kernel, rows, columns, _, groups, mirrored = numbers
    area = rows * columns
    for number in range(first, last):
        group = number % groups
        seen, own, to = x[number * area :], w[group * kernel * kernel :], out[number * area :]
        if kernel == 3:
            stencil(3, seen, own, mirrored, bias[group:], to, rows, columns)
        elif kernel == 5:
            stencil(5, seen, own, mirrored, bias[group:], to, rows, columns)
        else:
            stencil(7, seen, own, mirrored, bias[group:], to, rows, columns)


@jit
def filter_slopes(grad: Array, x: Array, out: Array, numbers: Array, first: int, last: int) -> None:
    """Adds the gradients of channels' kernels, over all samples."""
    kernel, rows, columns, batch, groups, _ = numbers
    area = rows * columns
    for group in range(first, last):
        slopes, seen, to = grad[group * area :], x[group * area :], out[group * kernel * kernel :]
        if kernel == 3:
            stencil_slopes(3, slopes, seen, to, rows, columns, batch, groups * area)
        elif kernel == 5:
            stencil_slopes(5, slopes, seen, to, rows, columns, batch, groups * area)
        else:
            stencil_slopes(7, slopes, seen, to, rows, columns, batch, groups * area)
