"""How a convolution is done by adding up shifted pictures: where everything lies, worked out once per geometry.

The channels of one sample are copied with zeros around them, for a stride s as s^2 pictures of every s-th element. Then
each element of the kernel sees one of these pictures from some place on. In a flat picture a row of the output is
followed by the next one after a few columns that belong to neither; they are computed, and dropped.

The gradient of the input does the same with the gradient of the output and the mirrored kernel. With a stride each
residue of the input's places has taps of its own: a task.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from .conv_sizes import Geometry, Ints

LINE = 16  # elements: pictures begin at multiples of it


class Layout(NamedTuple):
    """How the channels of a group are copied; all numbers count elements."""

    channels: int
    channel: int  # from channel to channel of the original
    step0: int  # in the original, between neighbours along each dimension of a copied picture
    step1: int
    step2: int
    pictures: int  # of each channel
    picture: int  # from picture to picture
    pitch0: int  # in a picture, between neighbours along the first dimension
    pitch1: int
    copied: int  # 0: the original has the layout itself

    @property
    def size(self) -> int:
        return self.channels * self.pictures * self.picture if self.copied else 0


class Target(NamedTuple):
    """Where the results go; all numbers count elements."""

    batch: int
    groups: int
    channels: int  # of a group
    channel: int  # from channel to channel
    step0: int  # between neighbours along each dimension
    step1: int
    step2: int
    scratch: int  # columns computed for one channel that are more than the results, so need a place; 0: they are not


class Plan(NamedTuple):
    """One convolution: results = sums over taps of weights times the pictures from a place on."""

    layout: Layout
    parts: np.ndarray  # a row for each picture: what is copied, (sizes, first element here, first element there)
    tasks: np.ndarray  # rows (first tap, end of taps, columns, sizes of the result, its first element)
    places: np.ndarray  # where in the pictures each tap begins
    weights: np.ndarray  # where its weight for the first channel of the result stands
    weight_row: int  # from there to the weight for the next one
    target: Target
    whole: bool  # whether every result is written


def steps_of(sizes: Ints) -> Ints:
    """The elements between neighbours along each of three dimensions."""
    return sizes[1] * sizes[2], sizes[2], 1


def dot(xs: Sequence[int], ys: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(xs, ys, strict=True))


def laid_out(channels: int, sizes: Ints, stride: Ints, offsets: Sequence[Ints], room: Ints) -> tuple[Layout, np.ndarray]:
    """Pictures of sizes `room`, one for each of `offsets`: element t of it is element stride t + offset of `sizes`.

    What lies outside is zero.
    """
    copied = stride != (1, 1, 1) or list(offsets) != [(0, 0, 0)] or room != sizes
    picture = -(-prod(room) // LINE) * LINE if copied else prod(sizes)
    if copied and picture % (64 * LINE) == 0:
        picture += LINE  # pictures a power of two apart would share few lines of the cache
    steps, pitches = steps_of(sizes), steps_of(room)
    between = tuple(s * step for s, step in zip(stride, steps, strict=True))
    parts = []
    for number, offset in enumerate(offsets):
        first = [max(0, -(o // s)) for o, s in zip(offset, stride, strict=True)]
        ends = [min(m, -((o - n) // s)) for o, n, s, m in zip(offset, sizes, stride, room, strict=True)]
        counts = [max(0, end - start) for start, end in zip(first, ends, strict=True)]
        there = number * picture + dot(first, pitches)
        parts.append([*counts, dot(first, between) + dot(offset, steps), there])
    layout = Layout(channels, prod(sizes), *between, len(offsets), picture, pitches[0], pitches[1], int(copied))
    return layout, np.array(parts, np.int64)


@functools.lru_cache(maxsize=1024)
def forward_plan(g: Geometry) -> Plan:
    """The output from the input."""
    residues = [
        sorted({d * j % s for j in range(k)}) for k, s, d in zip(g.kernel, g.stride, g.dilation, strict=True)
    ]
    room = tuple(
        q + d * (k - 1) // s for q, d, k, s in zip(g.positions, g.dilation, g.kernel, g.stride, strict=True)
    )
    seen = list(product(*residues))
    offsets = [tuple(r - pad for r, pad in zip(rs, g.pads, strict=True)) for rs in seen]
    layout, parts = laid_out(g.channels, g.sizes, g.stride, offsets, room)
    pitches = (layout.pitch0, layout.pitch1, 1)
    taps = []
    for tap in np.ndindex(*g.kernel):
        reach = [d * j for d, j in zip(g.dilation, tap, strict=True)]
        picture = seen.index(tuple(r % s for r, s in zip(reach, g.stride, strict=True)))
        taps.append(picture * layout.picture + dot([r // s for r, s in zip(reach, g.stride, strict=True)], pitches))
    places = _for_channels(taps, g.channels, layout.pictures * layout.picture)
    columns = _columns(g.positions, pitches)
    tasks = np.array([[0, places.size, columns, *g.positions, 0]], np.int64)
    target = _target(g, g.outputs, g.positions, (1, 1, 1), columns)
    return Plan(layout, parts, tasks, places, np.arange(places.size), places.size, target, True)


@functools.lru_cache(maxsize=1024)
def backward_plan(g: Geometry) -> Plan:
    """The gradient of the input from that of the output."""
    lines = [_Line.of(*sizes) for sizes in zip(g.sizes, g.kernel, g.stride, g.pads, g.dilation, strict=True)]
    base = tuple(line.base for line in lines)
    layout, parts = laid_out(g.outputs, g.positions, (1, 1, 1), [base], tuple(line.room for line in lines))
    pitches = (layout.pitch0, layout.pitch1, 1)
    steps = steps_of(g.sizes)
    tasks, places, weights = [], [], []
    for residues in product(*(line.residues for line in lines)):
        counts = [r.count for r in residues]
        taps = list(product(*(r.taps for r in residues)))
        starts = [dot([start - b for (_, start), b in zip(tap, base, strict=True)], pitches) for tap in taps]
        kernel = [dot([j for j, _ in tap], steps_of(g.kernel)) for tap in taps]
        first = sum(map(len, places))
        places.append(_for_channels(starts, g.outputs, layout.picture))
        weights.append(_for_channels(kernel, g.outputs, g.channels * g.taps))
        ends = first, first + places[-1].size
        tasks.append([*ends, _columns(counts, pitches), *counts, dot([r.first for r in residues], steps)])
    widest = max((task[2] for task in tasks), default=0)
    target = _target(g, g.channels, g.sizes, g.stride, widest if len(tasks) == 1 else 0)
    flat = [np.concatenate([np.empty(0, np.int64), *many]) for many in (places, weights)]
    table = np.array(tasks, np.int64).reshape(-1, 7)
    return Plan(layout, parts, table, *flat, g.taps, target, all(line.whole for line in lines))
