"""The sizes of a convolution over the last three dimensions, calls of its loops, and channels packed as padded planes.

With a stride s a channel is packed as planes of every s-th element, one for each offset that some element of the kernel
begins at (the polyphase components of the channel).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.cpu.plan import Array, Ints, Step
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.conv import copied_rows, doubled_rows, halved_rows
from ...shapes import conv_size, side_pads


class Geometry(NamedTuple):
    """The sizes of one convolution of a batch; the spatial ones are three, of which the first may be 1."""

    batch: int
    channels: int  # of the input, in one group
    outputs: int  # channels of the output, in one group
    groups: int
    sizes: Ints  # of the input's spatial dimensions
    kernel: Ints
    stride: Ints
    pads: Ints  # before each spatial dimension
    dilation: Ints
    positions: Ints  # of the output's spatial dimensions

    @property
    def taps(self) -> int:
        return prod(self.kernel)

    @property
    def products(self) -> int:
        return self.batch * self.groups * self.outputs * self.channels * self.taps * prod(self.positions)

    @property
    def input_elements(self) -> int:
        return self.groups * self.channels * prod(self.sizes)

    @property
    def output_elements(self) -> int:
        return self.groups * self.outputs * prod(self.positions)


def geometry(
    input_shape: Ints, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Geometry:
    batch, channels, *sizes = input_shape
    outputs, _, *kernel = weight_shape
    pads = side_pads(padding, len(kernel))
    fits = zip(sizes, kernel, stride, pads, dilation, strict=True)
    return Geometry(
        batch=batch,
        channels=channels // groups,
        outputs=outputs // groups,
        groups=groups,
        sizes=_three(sizes, 1),
        kernel=_three(kernel, 1),
        stride=_three(stride, 1),
        pads=_three([before for before, _ in pads], 0),
        dilation=_three(dilation, 1),
        positions=_three([conv_size(n, k, s, sum(pad), d) for n, k, s, pad, d in fits], 1),
    )


def _three(values: Ints | list[int], fill: int) -> Ints:
    return (fill,) * (3 - len(values)) + tuple(values)


class Call(NamedTuple):
    """What a convolution reads and makes, by the numbers that a plan has for operands and results."""

    x: int
    w: int
    bias: int | None
    result: tuple[int, Ints]
    spare: int  # the first number of results that are memory for the plan's calls alone

    def step(self, loops: Any, parts: int, products: int, tables: tuple[Array, ...], ints: Ints = ()) -> Step:
        """The call of loops over independent parts: out = bias + a convolution of x with w, of so many products.

        The last int but those of the range says whether there is a bias; where there is none, w stands in its place.
        """
        operands, biased = (self.x, self.w, self.w if self.bias is None else self.bias), self.bias is not None
        rows, work = (parts, 1), products // PRODUCTS
        return Step(loops, operands, (self.result,), (), (*ints, biased), rows, work, tables=tables)

    def product(self, loops: Any, parts: int, products: int, tables: tuple[Array, ...], ints: Ints = ()) -> Step:
        rows, work = (parts, 1), products // PRODUCTS
        return Step(loops, (self.x, self.w), (self.result,), (), ints, rows, work, tables=tables)


LINE = 16  # elements: planes begin at multiples of it
PART = 5  # numbers that say what is copied to a plane


class Layout(NamedTuple):
    """The layout of a group's channels as planes; all numbers count elements."""

    channels: int
    channel: int  # from channel to channel of the original
    step0: int  # in the original, between neighbours along each dimension of a plane
    step1: int
    step2: int
    planes: int  # of each channel
    plane: int  # from plane to plane
    pitch0: int  # in a plane, between neighbours along the first dimension
    pitch1: int
    size: int  # of the copy; 0 where the original has this layout itself


class Target(NamedTuple):
    """The memory of the results of a convolution; all numbers count elements."""

    groups: int
    channels: int  # of a group
    channel: int  # from channel to channel
    step0: int  # between neighbours along each dimension
    step1: int
    step2: int
    scratch: int  # columns of the buffer for a channel's results before they are unpacked; 0: no buffer
    weight_row: int  # from a tap's weight for a channel to the one for the next channel
    full: int  # whether every element is the result of a task; others are zero


WEIGHT_ROW = Target._fields.index("weight_row")


def as_numbers(fields: Layout | Target) -> np.ndarray:
    """The fields as an array, which compiled loops are faster to take than a tuple."""
    return np.array(fields, np.int64)


def flat_steps(sizes: Sequence[int]) -> Ints:
    return sizes[1] * sizes[2], sizes[2], 1


def flat_offset(xs: Sequence[int], ys: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(xs, ys, strict=True))


def packed_layout(
    channels: int, sizes: Ints, stride: Ints, offsets: Sequence[Ints], padded_size: Ints
) -> tuple[Layout, np.ndarray]:
    """Planes of a padded size, one for each offset: element t is element stride t + offset, or zero outside.

    With the layout come PART numbers for each plane: how much of it is copied (three sizes), and the first element of
    that in the original and in the copy.
    """
    itself = stride == (1, 1, 1) and list(offsets) == [(0, 0, 0)] and padded_size == sizes
    plane = prod(sizes) if itself else _padded_gap(prod(padded_size))
    between = tuple(s * step for s, step in zip(stride, flat_steps(sizes), strict=True))
    pitch0, pitch1, _ = flat_steps(padded_size)
    size = 0 if itself else channels * len(offsets) * plane
    parts = []
    for number, offset in enumerate(offsets):
        first = [max(0, -(o // s)) for o, s in zip(offset, stride, strict=True)]
        ends = [min(m, -((o - n) // s)) for o, n, s, m in zip(offset, sizes, stride, padded_size, strict=True)]
        counts = [max(0, end - start) for start, end in zip(first, ends, strict=True)]
        there = flat_offset(first, between) + flat_offset(offset, flat_steps(sizes))
        parts.append((*counts, there, number * plane + flat_offset(first, flat_steps(padded_size))))
    lengths = (channels, prod(sizes), *between, len(offsets), plane, pitch0, pitch1, size)
    return Layout._make(lengths), np.array(parts, np.int64).ravel()


def _padded_gap(elements: int) -> int:
    """The distance between planes of so many elements; powers of two would map them to few lines of the cache."""
    lines = -(-elements // LINE)
    return (lines + (lines % 16 == 0)) * LINE


@jit
def layout_of_numbers(n: Array) -> Any:
    return Layout(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9])


@jit
def target_of_numbers(n: Array) -> Any:
    return Target(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8])


@jit
def pack_planes(x: Array, here: Any, parts: Array, planes: Array) -> None:
    for number in range(here.channels * here.planes):
        c, p = divmod(number, here.planes)
        part = part_of(parts, PART * p, PART)
        for i in range(part[0]):
            at = c * here.channel + part[3] + i * here.step0
            there = c * here.planes * here.plane + part[4] + i * here.pitch0
            source, to = part_of(x, at, x.size - at), part_of(planes, there, planes.size - there)
            if here.step2 == 1:
                copied_rows(to, here.pitch1, source, here.step1, part[1], part[2])
            elif here.step2 == 2:
                halved_rows(to, here.pitch1, source, here.step1, part[1], part[2])
            else:
                for j in range(part[1]):
                    for k in range(part[2]):
                        to[j * here.pitch1 + k] = source[j * here.step1 + k * here.step2]


@jit
def unpack_results(rows: int, scratch: Array, here: Any, task: Array, out: Array, there: Any) -> None:
    for number in range(rows * task[3]):
        r, i = divmod(number, task[3])
        source = scratch[r * there.scratch + i * here.pitch0 :]
        to = out[r * there.channel + i * there.step0 :]
        if there.step2 == 1:
            copied_rows(to, there.step1, source, here.pitch1, task[4], task[5])
        elif there.step2 == 2:
            doubled_rows(to, there.step1, source, here.pitch1, task[4], task[5])
        else:
            for j in range(task[4]):
                for k in range(task[5]):
                    to[j * there.step1 + k * there.step2] = source[j * here.pitch1 + k]
