"""How the channels of a sample are packed as planes with zeros around them, and the results unpacked."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.shifted import copied_rows, doubled_rows, halved_rows
from .cpu_geometry import Ints

LINE = 16  # elements: pictures begin at multiples of it


class Layout(NamedTuple):
    """How the channels of a group lie as pictures, copies of them; all numbers count elements."""

    channels: int
    channel: int  # from channel to channel of the original
    step0: int  # in the original, between neighbours along each dimension of a picture
    step1: int
    step2: int
    pictures: int  # of each channel
    picture: int  # from picture to picture
    pitch0: int  # in a picture, between neighbours along the first dimension
    pitch1: int
    size: int  # of the copy; 0: the original lies so itself


class Target(NamedTuple):
    """Where the results of a convolution go; all numbers count elements."""

    batch: int
    groups: int
    channels: int  # of a group
    channel: int  # from channel to channel
    step0: int  # between neighbours along each dimension
    step1: int
    step2: int
    scratch: int  # columns of the place where a channel's results are computed; 0: right where they go
    weight_row: int  # from a tap's weight for a channel to the one for the next channel


def as_numbers(fields: Layout | Target) -> np.ndarray:
    """As kernels take it, who would be slow to unpack a tuple."""
    return np.array(fields, np.int64)


def flat_steps(sizes: Sequence[int]) -> Ints:
    """The elements between neighbours along each of three dimensions."""
    return sizes[1] * sizes[2], sizes[2], 1


def flat_place(xs: Sequence[int], ys: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(xs, ys, strict=True))


def laid_out(
    channels: int, sizes: Ints, stride: Ints, offsets: Sequence[Ints], room: Ints
) -> tuple[Layout, np.ndarray]:
    """Pictures of sizes `room`, one for each offset: its element t is element stride t + offset, or zero outside.

    With them comes a row for each picture: how much of it is copied (three sizes), and the first element of that in the
    original and in the copy.
    """
    itself = stride == (1, 1, 1) and list(offsets) == [(0, 0, 0)] and room == sizes
    picture = prod(sizes) if itself else _apart(prod(room))
    between = tuple(s * step for s, step in zip(stride, flat_steps(sizes), strict=True))
    pitch0, pitch1, _ = flat_steps(room)
    size = 0 if itself else channels * len(offsets) * picture
    parts = []
    for number, offset in enumerate(offsets):
        first = [max(0, -(o // s)) for o, s in zip(offset, stride, strict=True)]
        ends = [min(m, -((o - n) // s)) for o, n, s, m in zip(offset, sizes, stride, room, strict=True)]
        counts = [max(0, end - start) for start, end in zip(first, ends, strict=True)]
        there = flat_place(first, between) + flat_place(offset, flat_steps(sizes))
        parts.append((*counts, there, number * picture + flat_place(first, flat_steps(room))))
    lengths = (channels, prod(sizes), *between, len(offsets), picture, pitch0, pitch1, size)
    return Layout._make(lengths), np.array(parts, np.int64)


def _apart(elements: int) -> int:
    """A distance of pictures of so many elements; powers of two would let them share few lines of the cache."""
    lines = -(-elements // LINE)
    return (lines + (lines % 16 == 0)) * LINE


Array = np.ndarray


@jit
def picture_layout(n: Array) -> Any:
    """The layout whose numbers these are."""
    return Layout(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9])


@jit
def result_target(n: Array) -> Any:
    """The target whose numbers these are."""
    return Target(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8])


@jit
def copy_pictures(x: Array, here: Any, parts: Array, pictures: Array) -> None:
    """The pictures of a group's channels; what lies around them is zero already."""
    for number in range(here.channels * here.pictures):
        c, p = divmod(number, here.pictures)
        part = parts[p]
        for i in range(part[0]):
            source = x[c * here.channel + part[3] + i * here.step0 :]
            to = pictures[c * here.pictures * here.picture + part[4] + i * here.pitch0 :]
            if here.step2 == 1:
                copied_rows(to, here.pitch1, source, here.step1, part[1], part[2])
            elif here.step2 == 2:
                halved_rows(to, here.pitch1, source, here.step1, part[1], part[2])
            else:
                for j in range(part[1]):
                    for k in range(part[2]):
                        to[j * here.pitch1 + k] = source[j * here.step1 + k * here.step2]


@jit
def spread_results(rows: int, scratch: Array, here: Any, task: Array, out: Array, there: Any) -> None:
    """Brings the results of some channels from the pictures' pitch to their places."""
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
