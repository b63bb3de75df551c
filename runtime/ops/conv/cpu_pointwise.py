"""Convolution with a kernel of one element as products of matrices: weights times channels of a sample as they lie."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.matmul import UNIT, product_at
from ...kernels.cpu.plan import Array, Plan
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, item_size, part_of
from .cpu_geometry import Call, Geometry

POSITIONS_THRESHOLD = 16  # places: for fewer other loops fill vectors better


def pointwise_output(g: Geometry, call: Call) -> Plan | None:
    return _products(g, call, g.channels, g.outputs, transposed=False)


def pointwise_input_backward(g: Geometry, call: Call) -> Plan | None:
    return _products(g, call, g.outputs, g.channels, transposed=True)


def _products(g: Geometry, call: Call, depth: int, rows: int, transposed: bool) -> Plan | None:
    if (
        g.taps > 1
        or g.stride != (1, 1, 1)
        or any(g.pads)
        or g.positions != g.sizes
        or prod(g.sizes) < POSITIONS_THRESHOLD
    ):
        return None
    ints = (g.groups, depth, rows, prod(g.sizes), transposed)
    return (call.step(multiply_planes, g.batch * g.groups * -(-rows // UNIT), g.products, (), ints),)


@jit
def multiply_planes(
    x: Array,
    w: Array,
    bias: Array,
    out: Array,
    groups: int,
    depth: int,
    rows: int,
    area: int,
    transposed: int,
    biased: int,
    first: int,
    last: int,
) -> None:
    """out = bias + weights times planes of x, for blocks of channels of samples' groups.

    `depth` and `rows` are the channels of a group of x and of out, `area` the elements of a plane.
    """
    like, size, blocks = out.dtype.type(0), item_size(out.dtype.type(0)), (rows + UNIT - 1) // UNIT
    for number in range(first // blocks, (last + blocks - 1) // blocks):
        group = number % groups
        low, high = max(first - number * blocks, 0) * UNIT, min((last - number * blocks) * UNIT, rows)
        for r in range(low, high if biased else low):
            row, start = part_of(out, (number * rows + r) * area, area), bias[group * rows + r]
            for k in range(area):
                row[k] = start
        own, source = address(w) + group * rows * depth * size, address(x) + number * depth * area * size
        to = address(out) + number * rows * area * size
        product_at(like, own, source, to, depth, rows, area, transposed != 0, False, biased != 0, low, high)
