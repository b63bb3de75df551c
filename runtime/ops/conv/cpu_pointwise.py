"""Convolution with a kernel of one element as products of matrices: weights times channels of a sample as they lie."""

from __future__ import annotations

from math import prod

import numpy as np

from ...kernels.cpu.matmul import UNIT, product_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, item_size, part_of
from .cpu_geometry import Geometry, Work

Array = np.ndarray

FEW = 16  # places: for fewer other loops fill vectors better


def pointwise_output(g: Geometry, itemsize: int) -> Work | None:
    """The loops of the output."""
    return _products(g, g.channels, g.outputs, transposed=False)


def pointwise_input_backward(g: Geometry, itemsize: int) -> Work | None:
    """The loops of the gradient of the input."""
    return _products(g, g.outputs, g.channels, transposed=True)


def _products(g: Geometry, depth: int, rows: int, transposed: bool) -> Work | None:
    if g.taps > 1 or g.stride != (1, 1, 1) or any(g.pads) or g.positions != g.sizes or prod(g.sizes) < FEW:
        return None
    sizes = np.array([g.groups, depth, rows, prod(g.sizes), -(-rows // UNIT)], np.int64)
    return Work(multiply_planes, (sizes, transposed), g.batch * g.groups * -(-rows // UNIT), g.products)


@jit
def multiply_planes(
    x: Array, w: Array, bias: Array, out: Array, sizes: Array, transposed: bool, first: int, last: int
) -> None:
    """out = bias + weights times planes of x, for blocks of channels of samples' groups.

    `sizes` are the groups, the channels of a group of x and of out, the elements of a plane, and the blocks of a group.
    """
    groups, depth, rows, area, blocks = sizes
    like, size = out.dtype.type(0), item_size(out.dtype.type(0))
    for number in range(first // blocks, (last + blocks - 1) // blocks):
        group = number % groups
        low, high = max(first - number * blocks, 0) * UNIT, min((last - number * blocks) * UNIT, rows)
        for r in range(low, high):
            row, start = part_of(out, (number * rows + r) * area, area), bias[group * rows + r]
            for k in range(area):
                row[k] = start
        own, source = address(w) + group * rows * depth * size, address(x) + number * depth * area * size
        to = address(out) + number * rows * area * size
        product_at(like, own, source, to, depth, rows, area, transposed, False, True, low, high)
