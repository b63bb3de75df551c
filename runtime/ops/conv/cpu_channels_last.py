"""Convolution with vectors along the channels of the result: products of gathered rows and packed weights.

The channels of one sample are packed as planes, as for shifted planes (cpu_im2col.py), and the same offsets serve:
place + tap is where the planes have what a tap reads for a place of the output. A tile has places and channels of a
panel: each step multiplies one element for each place by the weights of a tap. Results are transposed. The gradient of
the weight has the same tiles, of taps by channels; a step is a place of the output. Each element is summed in the order
of the taps, as by shifted planes: the same bits.
"""

import functools
from math import prod

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.matmul import transpose_at
from ...kernels.cpu.plan import Array, Ints, Step
from ...kernels.cpu.plan import Plan as Calls
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, zero_row
from ...kernels.llvm.conv import gathered_tile
from ...kernels.llvm.matmul_tiles import lanes, panel_width
from .cpu_geometry import WEIGHT_ROW, Call, Geometry, layout_of_numbers, pack_planes
from .cpu_im2col import TASK, Plan, backward_plan, forward_plan

BLOCK = 96  # places of the output, or of the gradient's steps, that are packed at once: whole tiles of any size
TAPS = 24  # taps that stay together in one thread: whole tiles of any size
UNIT = 64  # channels: whole panels, as wide as any processor has them
FULL_VECTOR = 16  # channels: whole vectors of any processor
PACK_RESULTS_THRESHOLD = 8192  # of all samples, in a panel's channels: weights are read so often that packing pays


def gathered_output(g: Geometry, call: Call) -> Calls | None:
    if not _fills(g, g.outputs) or g.batch * prod(g.positions) * min(g.outputs, UNIT) < PACK_RESULTS_THRESHOLD:
        return None
    return _weighted(g, call, forward_plan(g), g.outputs, g.positions)


def gathered_input_backward(g: Geometry, call: Call) -> Calls | None:
    results = g.batch * prod(g.sizes) * min(g.channels, UNIT)
    if g.stride != (1, 1, 1) or not _fills(g, g.channels) or results < PACK_RESULTS_THRESHOLD:
        return None
    plan = backward_plan(g)
    entire = plan.tasks.size == TASK and tuple(plan.tasks[3:6].tolist()) == g.sizes
    return _weighted(g, call, plan, g.channels, g.sizes) if entire else None


def gathered_weight_backward(g: Geometry, call: Call) -> Calls | None:
    if not _fills(g, g.outputs):
        return None
    plan = forward_plan(g)
    depth = plan.taps.size // 2
    rows = np.concatenate([plan.taps[:depth], np.full(-depth % TAPS, plan.taps[depth - 1])])
    tables = plan.layout, plan.parts, rows, _offsets(plan, g.positions)
    sizes = g.batch, g.groups, g.outputs, depth, prod(g.positions)
    return (call.product(multiply_gathered, g.groups * (len(rows) // TAPS), g.products, tables, sizes),)


def _fills(g: Geometry, channels: int) -> bool:
    """Whether so many channels make vectors that are nearly full, and there is anything to add up."""
    return g.products > 0 and (channels % FULL_VECTOR == 0 or channels > 3 * FULL_VECTOR)


def _weighted(g: Geometry, call: Call, plan: Plan, channels: int, sizes: Ints) -> Calls:
    offsets, depth = _offsets(plan, sizes), plan.taps.size // 2
    blocks = len(offsets) // BLOCK
    packed = (call.spare, (g.groups * depth * -(-channels // FULL_VECTOR) * FULL_VECTOR,))
    ints, parts = (int(plan.target[WEIGHT_ROW]), g.groups, channels), g.groups * -(-channels // UNIT)
    pack = Step(pack_weights, (call.w,), (packed,), (), ints, (parts, 1), tables=(plan.taps[depth:],))
    tables = plan.layout, plan.parts, offsets, plan.taps[:depth]
    numbers = g.groups, channels, prod(sizes), blocks
    inner = call._replace(w=~packed[0])
    return pack, inner.step(add_gathered, g.batch * g.groups * blocks, g.products, tables, numbers)


def _offsets(plan: Plan, sizes: Ints) -> Array:
    """Where each element of a result begins to read in flat planes; the last again, until there are whole blocks."""
    return _offsets_of(int(plan.layout[7]), int(plan.layout[8]), sizes)


@functools.lru_cache(maxsize=256)
def _offsets_of(pitch0: int, pitch1: int, sizes: Ints) -> Array:
    i, j, k = np.ogrid[tuple(map(slice, sizes))]
    offsets = (i * pitch0 + j * pitch1 + k).ravel().astype(np.int64)
    return np.concatenate([offsets, np.full(-len(offsets) % BLOCK, offsets[-1])])


@jit
def panel_vectors(like: float, left: int) -> int:
    """The vectors of the next panel, of so many channels that are left: no more than a tile has, and nearly full."""
    max_width, step = panel_width(like) // lanes(like), lanes(like)
    requested = (left + step - 1) // step
    return max_width if requested >= max_width else 2 if requested >= 2 else 1


@jit
def pack_weights(
    w: Array, panels: Array, w_taps: Array, w_row: int, groups: int, channels: int, first: int, last: int
) -> None:
    """Weights as panels, of which each has a row for each tap, with its weights for some channels; else zeros."""
    like, depth, units = w.dtype.type(0), w_taps.size, (channels + UNIT - 1) // UNIT
    size, run = item_size(like), run_of(w_taps)
    rounded = panels.size // (groups * depth)
    for number in range(first, last):
        group, c = number // units, number % units * UNIT
        own, end = group * (w.size // groups), min(c + UNIT, channels)
        while c < end:
            width = panel_vectors(like, channels - c) * lanes(like)
            panel = part_of(panels, (group * rounded + c) * depth, width * depth)
            count = min(width, channels - c)
            for p in range(0, depth, run):
                source, to = address(w) + (own + w_taps[p] + c * w_row) * size, address(panel) + p * width * size
                transpose_at(like, source, w_row * size, count, run, to, width * size)
            for p in range(depth if count < width else 0):
                part_of(panel, p * width + count, width - count)[:] = like
            c += width


@jit
def run_of(taps: Array) -> int:
    for length in range(1, taps.size):
        if taps[length] != taps[length - 1] + 1:
            for p in range(taps.size):
                if taps[p] != taps[p - p % length] + p % length:
                    return 1
            return length if taps.size % length == 0 else 1
    return taps.size


@jit(forceinline=True)
def _tile(vectors: int, x: Array, starts: Array, steps: Array, panel: Array, begin: Array, out: Array) -> None:
    if vectors == 4:
        gathered_tile(4, x, starts, steps, panel, begin, out)
    elif vectors == 2:
        gathered_tile(2, x, starts, steps, panel, begin, out)
    else:
        gathered_tile(1, x, starts, steps, panel, begin, out)


@jit
def add_gathered(
    x: Array, panels: Array, bias: Array, out: Array, layout: Array, parts: Array, offsets: Array, taps: Array,
    groups: int, channels: int, area: int, blocks: int, biased: int, first: int, last: int,
) -> None:  # fmt: skip
    """out = bias + the sum over taps of weights times planes of x, for blocks of places."""
    depth = taps.size
    here, like, size = layout_of_numbers(layout), x.dtype.type(0), item_size(x.dtype.type(0))
    planes, begin, tile = zero_row(like, here.size), empty_row(like, UNIT), empty_row(like, BLOCK * UNIT)
    rounded, all_rows = panels.size // (groups * depth), 6 * (panel_width(like) // lanes(like))
    for number in range(first // blocks, (last + blocks - 1) // blocks):
        source, group, c = x[number * here.channels * here.channel :], number % groups, 0
        if here.size:
            pack_planes(source, here, parts, planes)
            source = planes
        while c < channels:
            vectors = panel_vectors(like, channels - c)
            width, rows = vectors * lanes(like), all_rows // vectors
            panel, count = part_of(panels, (group * rounded + c) * depth, width * depth), min(width, channels - c)
            for k in range(width):
                begin[k] = bias[group * channels + c + k] if biased and k < count else like
            for block in range(max(first - number * blocks, 0), min(last - number * blocks, blocks)):
                there = min(BLOCK, area - block * BLOCK)
                for r in range(0, there, rows):
                    starts, to = part_of(offsets, block * BLOCK + r, rows), part_of(tile, r * width, rows * width)
                    _tile(vectors, source, starts, taps, panel, begin, to)
                to_at = address(out) + ((number * channels + c) * area + block * BLOCK) * size
                transpose_at(like, address(tile), width * size, there, count, to_at, area * size)
            c += width


@jit
def multiply_gathered(
    grad: Array, x: Array, out: Array, layout: Array, parts: Array, taps: Array, offsets: Array, batch: int,
    groups: int, channels: int, depth: int, area: int, first: int, last: int,
) -> None:  # fmt: skip
    """out = the sum over samples of channels of grad times each tap's view of x, for groups of taps of all channels."""
    here, like, size = layout_of_numbers(layout), x.dtype.type(0), item_size(x.dtype.type(0))
    planes, begin, tile = zero_row(like, here.size), zero_row(like, UNIT), empty_row(like, TAPS * UNIT)
    blocks, all_rows = taps.size // TAPS, 6 * (panel_width(like) // lanes(like))
    rounded = (channels + lanes(like) - 1) // lanes(like) * lanes(like)
    panel, sums = empty_row(like, BLOCK * UNIT), zero_row(like, rounded * taps.size)
    for group in range(first // blocks, (last + blocks - 1) // blocks):
        low, high = max(first - group * blocks, 0) * TAPS, min(last - group * blocks, blocks) * TAPS
        for n in range(batch):
            source = x[(n * groups + group) * here.channels * here.channel :]
            if here.size:
                pack_planes(source, here, parts, planes)
                source = planes
            c = 0
            while c < channels:
                vectors = panel_vectors(like, channels - c)
                width, rows = vectors * lanes(like), all_rows // vectors
                count = min(width, channels - c)
                for position in range(0, area, BLOCK):
                    there = min(BLOCK, area - position)
                    corner = address(grad) + (((n * groups + group) * channels + c) * area + position) * size
                    transpose_at(like, corner, area * size, count, there, address(panel), width * size)
                    lines, steps = part_of(panel, 0, there * width), part_of(offsets, position, there)
                    for r in range(low, high, rows):
                        _tile(vectors, source, part_of(taps, r, rows), steps, lines, begin, tile)
                        total = part_of(sums, c * taps.size + r * width, rows * width)
                        for k in range(total.size):
                            total[k] += tile[k]
                c += width
        c = 0
        while c < channels:
            width = panel_vectors(like, channels - c) * lanes(like)
            count, end = min(width, channels - c), min(high, depth)
            source_at = address(sums) + (c * taps.size + low * width) * size
            to_at = address(out) + ((group * channels + c) * depth + low) * size
            transpose_at(like, source_at, width * size, end - low, count, to_at, depth * size)
            c += width
        sums[:] = like
