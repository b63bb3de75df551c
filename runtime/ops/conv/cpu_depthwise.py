"""Depthwise convolution with a small odd kernel that keeps the size, or halves it: planes are filtered where they lie.

With stride 2, every second element of the result of stride 1 is taken, and gradients go to every second element.
"""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.plan import Array, Plan
from ...kernels.jit import jit
from ...kernels.llvm.shifted import doubled_rows, halved_rows
from ...kernels.llvm.stencils import stencil, stencil_backward
from .cpu_geometry import Call, Geometry


def depthwise_output(g: Geometry, call: Call) -> Plan | None:
    return _filtered(g, call, mirrored=False)


def depthwise_input_backward(g: Geometry, call: Call) -> Plan | None:
    """The calls for the gradient of the input: the gradient of the output filtered with the mirrored kernel."""
    return _filtered(g, call, mirrored=True)


def depthwise_weight_backward(g: Geometry, call: Call) -> Plan | None:
    if not _is_filtered(g):
        return None
    return (call.product(filter_planes_backward, g.groups, g.products, (_loop_sizes(g, mirrored=False),)),)


def _filtered(g: Geometry, call: Call, mirrored: bool) -> Plan | None:
    if not _is_filtered(g):
        return None
    return (call.step(filter_planes, g.batch * g.groups, g.products, (_loop_sizes(g, mirrored),)),)


def _is_filtered(g: Geometry) -> bool:
    kernel, stride = g.kernel[2], g.stride[2]
    square = kernel in (3, 5, 7) and g.kernel == (1, kernel, kernel) and g.pads == (0, kernel // 2, kernel // 2)
    steps = g.dilation == (1, 1, 1) and stride in (1, 2) and g.stride == (1, stride, stride)
    same = g.sizes[0] == 1 and g.positions == (1, *((n - 1) // stride + 1 for n in g.sizes[1:]))
    return square and steps and same and g.channels == g.outputs == 1 and g.sizes[1] >= kernel


def _loop_sizes(g: Geometry, mirrored: bool) -> Array:
    return np.array([g.kernel[2], g.stride[2], *g.sizes[1:], *g.positions[1:], g.batch, g.groups, mirrored], np.int64)


@jit
def filter_planes(
    x: Array, w: Array, bias: Array, out: Array, sizes: Array, biased: int, first: int, last: int
) -> None:
    """The planes of samples and channels in a range, each with the kernel of its channel."""
    kernel, stride, rows, columns, less_rows, less_columns, _, groups, mirrored = sizes
    area, less = rows * columns, less_rows * less_columns
    scratch, zero = np.zeros(area if stride > 1 else 0, x.dtype), np.zeros(1, x.dtype)
    for number in range(first, last):
        group = number % groups
        own, start = w[group * kernel * kernel :], bias[group:] if biased else zero
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
def filter_planes_backward(grad: Array, x: Array, out: Array, sizes: Array, first: int, last: int) -> None:
    """The gradients of the kernels of a range of channels, summed over all samples."""
    kernel, stride, rows, columns, less_rows, less_columns, batch, groups, _ = sizes
    area, less = rows * columns, less_rows * less_columns
    scratch = np.zeros(batch * area if stride > 1 else 0, x.dtype)
    for group in range(first, last):
        grads, step = grad[group * less :], groups * less
        if stride > 1:
            for n in range(batch):
                to = scratch[n * area :]
                doubled_rows(to, 2 * columns, grads[n * step :], less_columns, less_rows, less_columns)
            grads, step = scratch, area
        seen, to = x[group * area :], out[group * kernel * kernel :]
        to[: kernel * kernel] = 0
        if kernel == 3:
            stencil_backward(3, grads, step, seen, groups * area, to, rows, columns, batch)
        elif kernel == 5:
            stencil_backward(5, grads, step, seen, groups * area, to, rows, columns, batch)
        else:
            stencil_backward(7, grads, step, seen, groups * area, to, rows, columns, batch)
