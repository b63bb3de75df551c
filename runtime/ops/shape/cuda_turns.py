"""Flips, rolls and triangles on a CUDA device, each by one launch."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.elementwise import between
from ...cuda.launching.layouts import steps_in
from ...cuda.launching.moving import numbers, over_elements, pinned_reader
from ...kernels.cuda.loops import divisor
from ...kernels.cuda.moving.places import flip_kernel, triangles
from . import cpu

Ints = tuple[int, ...]
Turn = tuple[int, int, int, int]  # size, 1 or -1, the index of the source for index 0, step in elements


@pinned_reader(cpu.flip)
def flip(a: DeviceArray, dims: Ints) -> DeviceArray:
    flipped = {d % a.ndim for d in dims} if a.ndim else ()
    steps = steps_in(a, a.shape)
    return _flipped(a, [(n, -1, n - 1, s) if d in flipped else (n, 1, 0, s) for d, (n, s) in _dims(a, steps)])


@pinned_reader(cpu.roll)
def roll(a: DeviceArray, shifts: Ints, dims: Ints) -> DeviceArray:
    if not dims:
        flat = memory.in_order(a).ravel()
        return roll(flat, shifts[:1], (0,)).reshape(a.shape)
    moved = [0] * a.ndim
    for shift, dim in zip(shifts, dims, strict=True):
        moved[dim] += shift
    return _flipped(a, [(n, 1, -moved[d] % n if n else 0, s) for d, (n, s) in _dims(a, steps_in(a, a.shape))])


def _dims(a: DeviceArray, steps: Ints) -> Sequence[tuple[int, tuple[int, int]]]:
    return list(enumerate(zip(a.shape, steps, strict=True)))


def _flipped(a: DeviceArray, flips: list[Turn]) -> DeviceArray:
    """A copy in which index i along a dimension is first + i, or first - i, of the source."""
    result = memory.result(a, a.shape)
    if not a.size:
        return result
    inner_part = _merged(flips)
    inner = tuple([numbers(*divisor(n)) for n, *_ in inner_part[:-1]])
    kernel = flip_kernel(between(a.stored, a.dtype))
    over_elements(kernel, a.size, a, result, tuple([numbers(*turn) for turn in inner_part]), inner)
    return result


def _merged(flips: list[Turn]) -> list[Turn]:
    """The dimensions, the innermost first, in as few as say it; at least one."""
    inner_part: list[Turn] = []
    for n, sign, first, step in reversed(flips):
        if n == 1:
            continue
        if inner_part:
            inner = inner_part[-1]
            full = (sign, first) == inner[1:3] == (1, 0) or (sign == inner[1] == -1)
            if full and step == inner[3] * inner[0]:
                size = n * inner[0]
                inner_part[-1] = (size, sign, size - 1 if sign < 0 else 0, inner[3])
                continue
        inner_part.append((n, sign, first, step))
    return inner_part or [(1, 1, 0, 0)]


@pinned_reader(cpu.triu)
def triu(a: DeviceArray, diagonal: int) -> DeviceArray:
    """a_ij where j - i >= diagonal, else 0."""
    return _triangle(a, diagonal, True)


@pinned_reader(cpu.tril)
def tril(a: DeviceArray, diagonal: int) -> DeviceArray:
    """a_ij where j - i <= diagonal, else 0."""
    return _triangle(a, diagonal, False)


def _triangle(a: DeviceArray, diagonal: int, upper: bool) -> DeviceArray:
    value = memory.in_order(a)
    result = memory.result(a, a.shape)
    rows, columns = a.shape[-2:]
    limit = np.int32(min(max(diagonal, -rows), columns))
    kernel = triangles(between(value.stored, result.dtype), upper)
    over_elements(kernel, prod(a.shape), value.ravel(), result, *numbers(rows, columns), limit)
    return result
