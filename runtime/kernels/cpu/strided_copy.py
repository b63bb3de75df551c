"""Elements copied to where others lie, in any layout, by NumPy or by threads that share a loop. As elements are only
moved, any bits pass as numbers of that size."""

from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from ...compiler.jit import jit
from ...device.threads.parallel_for import is_shared, shared
from ..llvm.addresses import address, item_size, row_at

Array = np.ndarray
Ints = tuple[int, ...]

WORK = 2  # elements of a sum that one copied counts as, since it may lie apart from others
SMALL = 4096  # elements that are near wherever they lie
SQUARE_COLUMNS_THRESHOLD = 4  # columns, for which squares are too wide
PART = 4096  # elements of a row that one thread copies, at least
LIKE = {kind.itemsize: np.zeros(1, kind) for kind in map(np.dtype, ("u1", "u2", "f4", "f8"))}


class Path(NamedTuple):
    """Three loops through two arrays, the last along a row, in parts: how often, and the steps of both in bytes."""

    outer: int
    inner: int
    size: int
    parts: int  # of a row
    steps: Array  # [array, loop]


def move(to: Array, source: Array) -> None:
    """to[...] = source, of one dtype and one that broadcasts; they share no memory."""
    if to.itemsize in LIKE and is_shared(WORK * to.size):
        source = source if source.shape == to.shape else np.broadcast_to(source, to.shape)
        result = path(to.shape, to.strides, source.strides)
        if result is not None:
            first, second = (array.__array_interface__["data"][0] for array in (to, source))
            arguments = (LIKE[to.itemsize], first, second, result.steps, result.inner, result.size, result.parts)
            shared(move_rows, arguments, result.outer * result.inner * result.parts, WORK * to.size)
            return
    np.copyto(to, source)


@lru_cache(maxsize=4096)
def path(shape: Ints, to: Ints, source: Ints) -> Path | None:
    """The loops through arrays of these strides; None for more, and where rows of one are columns of the other."""
    loops: list[tuple[int, int, int]] = []
    for d in sorted((d for d, size in enumerate(shape) if size > 1), key=lambda d: -abs(to[d])):
        size, step, other = shape[d], to[d], source[d]
        if loops and loops[-1][1] == step * size and loops[-1][2] == other * size:
            size *= loops.pop()[0]
        loops.append((size, step, other))
    crossed = any(0 < abs(other) < abs(loops[-1][2]) for _, _, other in loops)
    if crossed and len(loops) > 1 and loops[-1][0] < SQUARE_COLUMNS_THRESHOLD:
        loops[-2:] = loops[-1], loops[-2]
    elif crossed and prod(shape) >= SMALL:
        return None
    if len(loops) > 3:
        return None
    loops = [(1, 0, 0)] * (3 - len(loops)) + loops
    outer, inner, size = (count for count, _, _ in loops)
    steps = np.array([[step for _, step, _ in loops], [other for _, _, other in loops]], np.int64)
    return Path(outer, inner, size, -(-size // PART), steps)


@jit
def move_rows(
    like: Array, to: int, source: int, steps: Array, inner: int, size: int, parts: int, first: int, last: int
) -> None:
    own = (steps[0, 0], steps[0, 1], steps[0, 2])
    other = (steps[1, 0], steps[1, 1], steps[1, 2])
    move_along(like[0], to, source, own, other, inner, size, parts, first, last)


@jit
def move_along(
    like: float, to: int, source: int, own: tuple[int, int, int], other: tuple[int, int, int], inner: int, size: int,
    parts: int, first: int, last: int,
) -> None:  # fmt: skip
    row, part = first // parts, first % parts
    q, r = row // inner, row % inner
    for _ in range(first, last):
        begin = part * PART
        there = to + q * own[0] + r * own[1] + begin * own[2]
        here = source + q * other[0] + r * other[1] + begin * other[2]
        move_row(like, there, here, own[2], other[2], min(PART, size - begin))
        part += 1  # counted on, as divisions for each row cost more than a short row
        if part == parts:
            part, r = 0, r + 1
            if r == inner:
                q, r = q + 1, 0


@jit
def flat_move(
    to: Array, source: Array, outer: int, inner_count: int, along: int, source_outer: int, source_inner: int,
    source_along: int, inner: int, size: int, parts: int, first: int, last: int,
) -> None:  # fmt: skip
    item = item_size(to[0])
    own = (item * outer, item * inner_count, item * along)
    other = (item * source_outer, item * source_inner, item * source_along)
    move_along(to[0], address(to), address(source), own, other, inner, size, parts, first, last)


@jit
def move_row(like: float, there: int, here: int, step: int, other: int, count: int) -> None:
    item = item_size(like)
    if step == item and other == item:
        target, arg = row_at(like, there, count), row_at(like, here, count)
        for i in range(count):
            target[i] = arg[i]
    elif step == item and other == 0:
        target, value = row_at(like, there, count), row_at(like, here, 1)[0]
        for i in range(count):
            target[i] = value
    else:
        move_strided(like, there, here, step, other, count)


@jit
def move_strided(like: float, there: int, here: int, step: int, other: int, count: int) -> None:
    """Elements that are not side by side, or read from one place: several at a time are on their way."""
    for _ in range(count // 8):
        a, b = row_at(like, here, 1)[0], row_at(like, here + other, 1)[0]
        c, d = row_at(like, here + 2 * other, 1)[0], row_at(like, here + 3 * other, 1)[0]
        e, f = row_at(like, here + 4 * other, 1)[0], row_at(like, here + 5 * other, 1)[0]
        g, h = row_at(like, here + 6 * other, 1)[0], row_at(like, here + 7 * other, 1)[0]
        row_at(like, there, 1)[0], row_at(like, there + step, 1)[0] = a, b
        row_at(like, there + 2 * step, 1)[0], row_at(like, there + 3 * step, 1)[0] = c, d
        row_at(like, there + 4 * step, 1)[0], row_at(like, there + 5 * step, 1)[0] = e, f
        row_at(like, there + 6 * step, 1)[0], row_at(like, there + 7 * step, 1)[0] = g, h
        here, there = here + 8 * other, there + 8 * step
    for i in range(count % 8):
        row_at(like, there + i * step, 1)[0] = row_at(like, here + i * other, 1)[0]
