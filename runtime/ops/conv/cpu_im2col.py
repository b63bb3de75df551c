"""Convolution as a sum of shifted planes: an implicit im2col, whose addresses are computed once per geometry.

The channels of one sample are packed with zeros around them (cpu_geometry.py). Each element of the kernel, a tap, reads
one of these planes from some offset on. In a flat plane a row of the output is followed by the next one after a few
columns that belong to neither; they are computed, and dropped. The gradient of the input is a convolution of that of
the output with the mirrored kernel. With a stride, elements of the input with different residues have different taps,
and each residue is a task of its own.
"""

import functools
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.plan import Array, Ints
from ...kernels.cpu.plan import Plan as Calls
from ...kernels.llvm.conv import correlated_rows, weighted_rows
from .cpu_geometry import (
    LINE,
    Call,
    Geometry,
    Target,
    as_numbers,
    flat_offset,
    flat_steps,
    layout_of_numbers,
    pack_planes,
    packed_layout,
    target_of_numbers,
    unpack_results,
)

BATCH_PLANE_ELEMENTS = 1 << 17  # elements of the planes of some samples: a share of the second-level cache
TILE_COLUMNS = 1024  # so many are summed up in registers before they are added to the gradient of a weight


class Plan(NamedTuple):
    """One convolution: results = sums over taps of weights times planes, as arrays for the compiled loops."""

    layout: Array  # a Layout
    parts: Array  # numbers for each plane: what is copied to it (see `laid_out`)
    tasks: Array  # of TASK numbers: first tap, end of taps, columns, three sizes of the result, its first element
    taps: Array  # offset of each tap in the planes; behind these that of its weight for the first channel of the result
    target: Array  # a Target


class Residue(NamedTuple):
    """Along one dimension, the elements stride t + residue of the padded input, which the same taps read."""

    first: int  # the first of them that lies in the input
    size: int  # how many do
    taps: tuple[tuple[int, int], ...]  # (index in the kernel, the index in the output that reads `first`)


def shifted_output(g: Geometry, call: Call) -> Calls:
    return (call.step(add_shifted, g.batch * g.groups * -(-g.outputs // ROWS), g.products, forward_plan(g)),)


def shifted_input_backward(g: Geometry, call: Call) -> Calls:
    return (call.step(add_shifted, g.batch * g.groups * -(-g.channels // ROWS), g.products, backward_plan(g)),)


def shifted_weight_backward(g: Geometry, call: Call) -> Calls:
    tables, sizes = weight_plan(g)
    return (call.product(multiply_shifted, g.groups * -(-g.outputs // ROWS), g.products, tables, sizes),)


@functools.lru_cache(maxsize=256)
def forward_plan(g: Geometry) -> Plan:
    reaches = [[divmod(d * j, s) for j in range(k)] for k, s, d in zip(g.kernel, g.stride, g.dilation, strict=True)]
    padded_size = tuple(q + read_extent[-1][0] for q, read_extent in zip(g.positions, reaches, strict=True))
    seen = list(product(*(sorted({residue for _, residue in read_extent}) for read_extent in reaches)))
    offsets = [tuple(r - pad for r, pad in zip(residue, g.pads, strict=True)) for residue in seen]
    layout, parts = packed_layout(g.channels, g.sizes, g.stride, offsets, padded_size)
    offsets_of_taps = []
    for tap in product(*reaches):
        plane = seen.index(tuple(residue for _, residue in tap))
        offsets_of_taps.append(plane * layout.plane + flat_offset([start for start, _ in tap], flat_steps(padded_size)))
    every = g.channels * g.taps
    taps = [_for_channels(offsets_of_taps, g.channels, layout.planes * layout.plane), np.arange(every)]
    tasks = [(0, every, _columns(g.positions, padded_size), *g.positions, 0)]
    target = _targeted(g, g.outputs, g.positions, (1, 1, 1), tasks, every)
    return Plan(as_numbers(layout), parts, _table(tasks), np.concatenate(taps), target)


@functools.lru_cache(maxsize=256)
def backward_plan(g: Geometry) -> Plan:
    lines = [_residues(*sizes) for sizes in zip(g.sizes, g.kernel, g.stride, g.pads, g.dilation, strict=True)]
    starts = [[start for residue in line for _, start in residue.taps] or [0] for line in lines]
    ends = [[start + residue.size for residue in line for _, start in residue.taps] or [1] for line in lines]
    base, pairs = tuple(map(min, starts)), zip(ends, starts, strict=True)
    padded_size = tuple(max(end) - min(start) for end, start in pairs)
    layout, parts = packed_layout(g.outputs, g.positions, (1, 1, 1), [base], padded_size)
    corner = flat_offset(base, flat_steps(padded_size))
    tasks: list[Ints] = []
    taps, end = [np.empty((2, 0), np.int64)], 0
    for residues in product(*lines):
        reaching = [tuple(zip(*along, strict=True)) for along in product(*(r.taps for r in residues))]
        offsets = [flat_offset(start, flat_steps(padded_size)) - corner for _, start in reaching]
        weights = [flat_offset(tap, flat_steps(g.kernel)) for tap, _ in reaching]
        rows = (offsets, layout.plane), (weights, g.channels * g.taps)
        taps.append(np.stack([_for_channels(starts, g.outputs, step) for starts, step in rows]))
        first, end = end, end + taps[-1].shape[1]
        counts, begin = [r.size for r in residues], flat_offset([r.first for r in residues], flat_steps(g.sizes))
        tasks.append((first, end, _columns(counts, padded_size), *counts, begin))
    target = _targeted(g, g.channels, g.sizes, g.stride, tasks, g.taps)
    return Plan(as_numbers(layout), parts, _table(tasks), np.concatenate(taps, 1).ravel(), target)


def _residues(size: int, kernel: int, stride: int, pad: int, dilation: int) -> list[Residue]:
    matches = []
    for residue in sorted({dilation * j % stride for j in range(kernel)}):  # there may be far more that no tap reads
        start = -((residue - pad) // stride)
        count = (size - 1 + pad - residue) // stride - start + 1
        reaches = [(j, dilation * j) for j in range(kernel) if dilation * j % stride == residue]
        if count > 0:
            taps = tuple((j, start - read_extent // stride) for j, read_extent in reaches)
            matches.append(Residue(stride * start + residue - pad, count, taps))
    return matches


def weight_plan(g: Geometry) -> tuple[tuple[Array, ...], Ints]:
    """Tables and ints of `multiply_shifted`; the gradient's rows get as much room as the forward plan's planes."""
    plan = forward_plan(g)
    _, pitch0, pitch1 = plan.layout[6:9]
    rows = pitch0 // pitch1 if g.positions[0] > 1 else g.positions[1]
    padded_size = (g.positions[0], int(rows), int(pitch1) if max(g.positions[:2]) > 1 else g.positions[2])
    layout, parts = packed_layout(g.outputs, g.positions, (1, 1, 1), [(0, 0, 0)], padded_size)
    columns = int(plan.tasks[2])
    elements = columns * g.outputs + int(plan.layout[5] * plan.layout[6]) * g.channels
    batch_size = max(BATCH_PLANE_ELEMENTS // max(elements, 1), -(-TILE_COLUMNS // columns))
    sizes = columns, g.batch, max(1, min(batch_size, g.batch)), g.groups
    return (as_numbers(layout), parts, plan.layout, plan.parts, plan.taps[: plan.taps.size // 2]), sizes


def _columns(sizes: Sequence[int], padded_size: Ints) -> int:
    return flat_offset([n - 1 for n in sizes], flat_steps(padded_size)) + 1


def _targeted(g: Geometry, channels: int, sizes: Ints, stride: Ints, tasks: Sequence[Ints], weight_row: int) -> Array:
    """The memory of results, with a buffer unless the columns of a single task are the result as they are."""
    widest = max((task[2] for task in tasks), default=0)
    steps = [s * step for s, step in zip(stride, flat_steps(sizes), strict=True)]
    straight = stride == (1, 1, 1) and len(tasks) == 1 and widest == prod(sizes)
    scratch = 0 if straight else widest
    full = sum(prod(task[3:6]) for task in tasks) == prod(sizes)
    return as_numbers(Target._make((g.groups, channels, prod(sizes), *steps, scratch, weight_row, full)))


def _for_channels(taps: Sequence[int], channels: int, step: int) -> Array:
    return np.add.outer(np.arange(channels, dtype=np.int64) * step, np.array(taps, np.int64)).ravel()


def _table(tasks: Sequence[Sequence[int]]) -> Array:
    return np.array(tasks, np.int64).ravel()


ROWS = 4  # channels of the result that are computed together
TASK = 7  # numbers that say what a task is


@jit
def add_shifted(
    x: Array, w: Array, bias: Array, out: Array, layout: Array, parts: Array, tasks: Array, taps: Array,
    target: Array, biased: int, first: int, last: int,
) -> None:  # fmt: skip
    """out = bias + the sum over taps of weights times planes of x, for blocks of channels of samples' groups."""
    here, there = layout_of_numbers(layout), target_of_numbers(target)
    planes = np.zeros(here.size, x.dtype)
    scratch = np.empty(ROWS * there.scratch, x.dtype)
    starts = bias if biased else np.zeros(there.groups * there.channels, x.dtype)
    blocks = (there.channels + ROWS - 1) // ROWS
    for number in range(first // blocks, (last + blocks - 1) // blocks):
        group = number % there.groups
        source = x[number * here.channels * here.channel :]
        if here.size:
            pack_planes(source, here, parts, planes)
            source = planes
        own, own_starts = w[group * (w.size // there.groups) :], starts[group * there.channels :]
        result = out[number * there.channels * there.channel :]
        begin, end = max(first - number * blocks, 0) * ROWS, min((last - number * blocks) * ROWS, there.channels)
        if not there.full:
            result[begin * there.channel : end * there.channel] = 0
        for t in range(0, tasks.size, TASK):
            _do_task(source, here, own, own_starts, tasks[t : t + TASK], taps, scratch, result, there, begin, end)


@jit
def _do_task(
    source: Array, here: Any, w: Array, bias: Array, task: Array, taps: Array, scratch: Array, out: Array,
    there: Any, r: int, end: int,
) -> None:  # fmt: skip
    offsets, weights = taps[task[0] : task[1]], taps[taps.size // 2 + task[0] : taps.size // 2 + task[1]]
    while r < end:
        rows = block_of(end - r)
        result, own = out[r * there.channel + task[6] :], w[r * there.weight_row :]
        if there.scratch:
            _weigh(rows, source, offsets, own, weights, there.weight_row, bias[r:], scratch, there.scratch, task[2])
            unpack_results(rows, scratch, here, task, result, there)
        else:
            _weigh(rows, source, offsets, own, weights, there.weight_row, bias[r:], result, there.channel, task[2])
        r += rows


@jit
def block_of(left: int) -> int:
    return ROWS if left >= ROWS else 2 if left >= 2 else 1


@jit
def _weigh(
    rows: int, x: Array, offsets: Array, w: Array, weights: Array, w_row: int, bias: Array, out: Array, step: int,
    columns: int,
) -> None:  # fmt: skip
    if rows == ROWS:
        weighted_rows(4, x, offsets, w, weights, w_row, bias, out, step, columns)
    elif rows == 2:
        weighted_rows(2, x, offsets, w, weights, w_row, bias, out, step, columns)
    else:
        weighted_rows(1, x, offsets, w, weights, w_row, bias, out, step, columns)


@jit
def multiply_shifted(
    grad: Array, x: Array, out: Array, grad_layout: Array, grad_parts: Array, layout: Array, parts: Array,
    offsets: Array, columns: int, batch: int, batch_size: int, groups: int, first: int, last: int,
) -> None:  # fmt: skip
    """out = the sum over samples of channels of grad times each tap's view of x; `columns` are those of a plane."""
    left, right = layout_of_numbers(grad_layout), layout_of_numbers(layout)
    lefts, rights = np.zeros(batch_size * left.size, x.dtype), np.zeros(batch_size * right.size + LINE, x.dtype)
    if left.size and right.size:
        columns = (columns + LINE - 1) // LINE * LINE  # whole vectors: zeros in grad, anything in x
    blocks = (left.channels + ROWS - 1) // ROWS
    for group in range(first // blocks, (last + blocks - 1) // blocks):
        r, end = max(first - group * blocks, 0) * ROWS, min((last - group * blocks) * ROWS, left.channels)
        out[(group * left.channels + r) * offsets.size : (group * left.channels + end) * offsets.size] = 0
    for sample in range(0, batch, batch_size):
        count = min(batch_size, batch - sample)
        for group in range(first // blocks, (last + blocks - 1) // blocks):
            g_here, g_step = _side(grad, left, grad_parts, lefts, sample * groups + group, count, groups)
            x_here, x_step = _side(x, right, parts, rights, sample * groups + group, count, groups)
            r, end = max(first - group * blocks, 0) * ROWS, min((last - group * blocks) * ROWS, left.channels)
            while r < end:
                rows = block_of(end - r)
                own, result = g_here[r * left.plane :], out[(group * left.channels + r) * offsets.size :]
                _correlate(rows, own, left.plane, g_step, x_here, x_step, offsets, result, count, columns)
                r += rows


@jit
def _side(
    x: Array, layout: Any, parts: Array, planes: Array, number: int, count: int, groups: int
) -> tuple[Array, int]:
    """The planes of a group in some samples, and the step from sample to sample."""
    own = layout.channels * layout.channel
    here = x[number * own :]
    if not layout.size:
        return here, groups * own
    for n in range(count):
        pack_planes(here[n * groups * own :], layout, parts, planes[n * layout.size :])
    return planes, layout.size


@jit
def _correlate(
    rows: int, g: Array, g_row: int, g_step: int, x: Array, x_step: int, offsets: Array, out: Array, samples: int,
    columns: int,
) -> None:  # fmt: skip
    if rows == ROWS:
        correlated_rows(4, g, g_row, g_step, x, x_step, offsets, out, offsets.size, samples, columns)
    elif rows == 2:
        correlated_rows(2, g, g_row, g_step, x, x_step, offsets, out, offsets.size, samples, columns)
    else:
        correlated_rows(1, g, g_row, g_step, x, x_step, offsets, out, offsets.size, samples, columns)
