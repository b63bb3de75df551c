"""Convolutions for which im2col is too much.

Depthwise with a small odd kernel that keeps the size, or halves it: planes are filtered where they lie; with stride 2,
every second element of the result of stride 1 is taken. Of planes too small to fill vectors the samples become the last
dimension, which no kernel spans, in blocks: a plane of 2 x 2 has rows of 2 and as much padding, and with 32 samples
behind each element rows of 64. A kernel of one element is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.matmul import UNIT, product_at, transpose_at
from ...kernels.cpu.plan import Array, Ints, Plan, Step
from ...kernels.llvm.addresses import address, item_size, part_of
from ...kernels.llvm.conv import doubled_rows, halved_rows, stencil, stencil_backward
from .cpu_geometry import Call, Geometry
from .cpu_im2col import forward_plan


def depthwise_output(g: Geometry, call: Call) -> Plan | None:
    return _filtered(g, call, mirrored=False)


def depthwise_input_backward(g: Geometry, call: Call) -> Plan | None:
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


LANES = 16  # of the widest vectors
CACHED = 1 << 18  # elements of a block's planes
BATCH_UNIT = 64  # elements of a sample that stay in one thread


class Elements(NamedTuple):
    """The elements of a sample in what a convolution reads and makes; 0 where there are no samples."""

    x: int
    w: int
    result: int


def block_of_samples(g: Geometry) -> int:
    if g.sizes[0] > 1 or g.kernel[0] > 1 or g.batch < 8 or prod(g.positions) > 32:
        return 0
    plan = forward_plan(g)
    used = prod(g.positions) / (-(-int(plan.tasks[2]) // LANES) * LANES)
    if used > 0.6:
        return 0
    planes = g.channels * int(plan.layout[5] * plan.layout[6])
    blocks = -(-g.batch // max(LANES, min(CACHED // max(planes, 1), 64)))
    return -(-g.batch // blocks)


def on_blocks(
    g: Geometry, block: int, call: Call, elements: Elements, plan_of: Callable[[Geometry, Call], Plan]
) -> Plan:
    """The plan of a convolution with one more dimension, between calls that move samples to it and back."""
    blocks = -(-g.batch // block)
    made = [(call.spare + position, (blocks * count * block,)) for position, count in enumerate(elements)]

    def move(loop: Callable[..., None], operand: int, count: int, result: tuple[int, Ints]) -> Step:
        return Step(loop, (operand,), (result,), (), (g.batch, count, block), (count, BATCH_UNIT), g.batch * count)

    x, w = (~there[0] if count else own for own, there, count in zip((call.x, call.w), made, elements, strict=False))
    result = made[2] if elements.result else call.result
    moved = zip((call.x, call.w), elements, made, strict=False)
    before = [move(samples_last, operand, count, there) for operand, count, there in moved if count]
    behind = [move(samples_first, ~made[2][0], elements.result, call.result)] if elements.result else []
    inner = call._replace(x=x, w=w, result=result, spare=call.spare + len(made))
    last = {"sizes": block, "kernel": 1, "stride": 1, "pads": 0, "dilation": 1, "positions": block}
    samples_behind: dict[str, Any] = {name: (*getattr(g, name)[1:], size) for name, size in last.items()}
    return (*before, *plan_of(g._replace(batch=blocks, **samples_behind), inner), *behind)


@jit
def samples_last(x: Array, out: Array, batch: int, elements: int, block: int, first: int, last: int) -> None:
    """(samples, elements) as (blocks, elements, samples of a block), with zeros for missing samples."""
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    for b in range((batch + block - 1) // block):
        count, to = min(block, batch - b * block), (b * elements + first) * block
        source = address(x) + (b * block * elements + first) * size
        transpose_at(like, source, elements * size, count, last - first, address(out) + to * size, block * size)
        for m in range(last - first if count < block else 0):
            for k in range(count, block):
                out[to + m * block + k] = like


@jit
def samples_first(x: Array, out: Array, batch: int, elements: int, block: int, first: int, last: int) -> None:
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    for b in range((batch + block - 1) // block):
        source = address(x) + (b * elements + first) * block * size
        to = address(out) + (b * block * elements + first) * size
        transpose_at(like, source, block * size, last - first, min(block, batch - b * block), to, elements * size)


POSITIONS_THRESHOLD = 16  # places: for fewer other loops fill vectors better


def pointwise_output(g: Geometry, call: Call) -> Plan | None:
    return _products(g, call, g.channels, g.outputs, transposed=False)


def pointwise_input_backward(g: Geometry, call: Call) -> Plan | None:
    return _products(g, call, g.outputs, g.channels, transposed=True)


def _products(g: Geometry, call: Call, depth: int, rows: int, transposed: bool) -> Plan | None:
    keeps_planes = g.taps == 1 and g.stride == (1, 1, 1) and not any(g.pads) and g.positions == g.sizes
    if not keeps_planes or prod(g.sizes) < POSITIONS_THRESHOLD:
        return None
    ints = (g.groups, depth, rows, prod(g.sizes), transposed)
    return (call.step(multiply_planes, g.batch * g.groups * -(-rows // UNIT), g.products, (), ints),)


@jit
def multiply_planes(
    x: Array, w: Array, bias: Array, out: Array, groups: int, depth: int, rows: int, area: int, transposed: int,
    biased: int, first: int, last: int,
) -> None:  # fmt: skip
    """out = bias + weights times planes of x; `depth` and `rows` are the channels of a group of x and of out."""
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
