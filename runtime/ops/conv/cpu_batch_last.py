"""Convolution of planes too small to fill vectors: the samples become the last dimension, which no kernel spans.

A plane of 2 x 2 has rows of 2 and as much padding; with 32 samples behind each element its rows have 64. So a
convolution over d dimensions is computed as one over d + 1, of blocks of samples.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import NamedTuple

from ...kernels.cpu.plan import Array, Ints, Plan, Step
from ...kernels.cpu.transpose import transpose_at
from ...kernels.jit import jit
from ...kernels.llvm.addresses import address, item_size
from .cpu_geometry import Call, Geometry
from .cpu_shifted import forward_plan

LANES = 16  # of the widest vectors
CACHED = 1 << 18  # elements of a block's planes
BATCH_UNIT = 64  # elements of a sample that stay in one thread


class Elements(NamedTuple):
    """The elements of a sample in what a convolution reads and makes; 0 where there are no samples."""

    x: int
    w: int
    result: int


def block_of_samples(g: Geometry) -> int:
    """The number of samples of a block; 0 where planes are large enough as they lie, or samples too few."""
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

    x, w, result = (~number if count else None for (number, _), count in zip(made, elements, strict=True))
    inner = call._replace(
        x=call.x if x is None else x,
        w=call.w if w is None else w,
        result=call.result if result is None else made[2],
        spare=call.spare + len(made),
    )
    before = [
        move(samples_last, operand, count, there)
        for operand, count, there in zip((call.x, call.w), elements, made, strict=False)
        if count
    ]
    behind = [] if result is None else [move(samples_first, result, elements.result, call.result)]
    return (*before, *plan_of(with_samples_last(g, block, blocks), inner), *behind)


def with_samples_last(g: Geometry, block: int, blocks: int) -> Geometry:
    """The sizes of the convolution with one more dimension, along which the kernel has size 1."""
    return g._replace(
        batch=blocks,
        sizes=(*g.sizes[1:], block),
        kernel=(*g.kernel[1:], 1),
        stride=(*g.stride[1:], 1),
        pads=(*g.pads[1:], 0),
        dilation=(*g.dilation[1:], 1),
        positions=(*g.positions[1:], block),
    )


@jit
def samples_last(x: Array, out: Array, batch: int, elements: int, block: int, first: int, last: int) -> None:
    """(samples, elements) as (blocks, elements, samples of a block), for a range of elements; zeros for samples that
    are missing."""
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
    """The inverse of `samples_last`, without the zeros that it added."""
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    for b in range((batch + block - 1) // block):
        source = address(x) + (b * elements + first) * block * size
        to = address(out) + (b * block * elements + first) * size
        transpose_at(like, source, block * size, last - first, min(block, batch - b * block), to, elements * size)
