"""Loops that read by index from memory in any layout: where a block of indices lies, then what is there.

Where an index lies is unsigned, so nobody asks again whether it counts from the end. Of the transposes, which add rows
of gradients to where they were read, threads share columns and not rows: equal indices are then added in one thread, in
one order. Their last two arguments are the range of columns. An IndexError lets the kernel in Python say which.
"""

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import gather_along
from ...kernels.llvm.addresses import address, empty_row, part_of, row_at
from ...kernels.llvm.gather import take_into

Array = np.ndarray
BLOCK = 2048  # indices that are looked up at once
LINE = 4  # numbers of an array of indices: its address, what negative ones are added to, the dimension's size and step


@jit
def accumulate_offsets(line: Array, first: int, to: Array) -> bool:
    """to[i] += step indices[first + i], counted from the end if negative; whether all are inside."""
    row = row_at(line[0], line[0] + 8 * first, to.size)
    added, size, step, wrong = line[1], line[2], line[3], 0
    for i in range(row.size):
        index = row[i] + (added & (row[i] >> 63))
        wrong |= index | (size - 1 - index)
        to[i] += np.uint64(index * step)
    return wrong >= 0


@jit
def find_offsets(lines: Array, first: int, offsets: Array) -> bool:
    inside = True
    for i in range(offsets.size):
        offsets[i] = 0
    for d in range(lines.size // LINE):
        inside &= accumulate_offsets(part_of(lines, d * LINE, LINE), first, offsets)
    return inside


@jit
def read_at(memory: Array, at: Array, width: int, inner: int, to: Array) -> None:
    if width == 1:
        take_into(memory, at, to)
    elif inner == 1:
        for i in range(at.size):
            source, target = part_of(memory, at[i], width), part_of(to, i * width, width)
            for j in range(width):
                target[j] = source[j]
    else:
        for i in range(at.size):
            for j in range(width):
                to[i * width + j] = memory[at[i] + np.uint64(j * inner)]


@jit
def take_at(
    x: Array, lines: Array, count: int, outer: int, width: int, inner: int, out: Array, first: int, last: int
) -> bool:
    """out[b, i, j] = x[b outer + offset of i + j inner], for a range of rows (b, i); False at the first one outside."""
    offsets, known, k = empty_row(np.uint64(0), min(BLOCK, count)), -1, first
    b, i = first // count, first % count
    while k < last:
        rows = min(BLOCK, count - i, last - k)
        if known != i:
            if not find_offsets(lines, i, part_of(offsets, 0, rows)):
                return False
            known = i
        memory = part_of(x, b * outer, x.size - b * outer)
        read_at(memory, part_of(offsets, 0, rows), width, inner, part_of(out, k * width, rows * width))
        k, i = k + rows, i + rows
        if i == count:
            b, i = b + 1, 0
    return True


@jit
def take(
    x: Array, lines: Array, count: int, outer: int, width: int, inner: int, out: Array, outside: Array, first: int,
    last: int,
) -> None:  # fmt: skip
    if not take_at(x, lines, count, outer, width, inner, out, first, last):
        outside[0] = 1


@jit
def put_line(lines: Array, d: int, indices: Array, added: int, size: int, step: int) -> None:
    line = part_of(lines, d * LINE, LINE)
    line[0], line[1], line[2], line[3] = address(indices), added, size, step


@jit
def take_by_one(
    x: Array, a: Array, out: Array, added: int, size: int, step: int, count: int, outer: int, width: int,
    inner: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[b, i, j] = x[b outer + a[i] step + j inner], of x in the shape (before, size, width)."""
    lines = empty_row(0, LINE)
    put_line(lines, 0, a, added, size, step)
    if not take_at(x, lines, count, outer, width, inner, out, first, last):
        raise IndexError


@jit
def take_by_two(
    x: Array, a: Array, b: Array, out: Array, size: int, other: int, width: int, count: int, stride: int,
    first: int, last: int,
) -> None:  # fmt: skip
    """out[k, i, j] = x[k, a[i], b[i], j] of (before, size, other, width); by `stride` out[i, j] = x[a[i], j, b[i]]."""
    lines = empty_row(0, 2 * LINE)
    put_line(lines, 0, a, size, size, other * width)
    put_line(lines, 1, b, other, other, 1 if stride else width)
    outer, inner = (0, other) if stride else (size * other * width, 1)
    if not take_at(x, lines, count, outer, width, inner, out, first, last):
        raise IndexError


@jit
def take_by_three(
    x: Array, a: Array, b: Array, c: Array, out: Array, size: int, other: int, third: int, width: int, count: int,
    first: int, last: int,
) -> None:  # fmt: skip
    """out[k, i, j] = x[k, a[i], b[i], c[i], j], of x in the shape (before, size, other, third, width)."""
    lines = empty_row(0, 3 * LINE)
    put_line(lines, 0, a, size, size, other * third * width)
    put_line(lines, 1, b, other, other, third * width)
    put_line(lines, 2, c, third, third, width)
    if not take_at(x, lines, count, size * other * third * width, width, 1, out, first, last):
        raise IndexError


@jit
def take_by_tables(
    x: Array, a: Array, b: Array, c: Array, out: Array, before: Array, after: Array, arrays: int, size: int,
    step: int, other: int, other_step: int, third: int, third_step: int, count: int, first: int, last: int,
) -> None:  # fmt: skip
    """out[k, i, j] = x[before[k] + a[i] step + b[i] other_step + c[i] third_step + after[j]], of so many arrays."""
    lines, width, k = empty_row(0, arrays * LINE), after.size, first
    put_line(lines, 0, a, size, size, step)
    if arrays > 1:
        put_line(lines, 1, b, other, other, other_step)
    if arrays > 2:
        put_line(lines, 2, c, third, third, third_step)
    offsets = empty_row(np.uint64(0), min(BLOCK, count))
    while k < last:
        rows = min(BLOCK, count - k % count, last - k)
        at, start = part_of(offsets, 0, rows), np.uint64(before[k // count])
        if not find_offsets(lines, k % count, at):
            raise IndexError
        for i in range(rows):
            to, position = part_of(out, (k + i) * width, width), at[i] + start
            for j in range(width):
                to[j] = x[position + np.uint64(after[j])]
        k += rows


@jit
def gather_of(
    x: Array, indices: Array, out: Array, before: int, size: int, count: int, after: int, first: int, last: int
) -> None:
    """out[b, i, j] = x[b, indices[b, i, j], j], of x in the shape (before, size, after)."""
    outside, chosen = np.zeros(1, np.int64), (before, count, after)
    table = part_of(x, 0, before * size * after).reshape((before, size, after))
    gather_along(table, indices.reshape(chosen), out.reshape(chosen), outside, first, last)
    if outside[0]:
        raise IndexError


@jit
def counted_from_front(index: Array, out: Array, lower_bound: int, size: int, first: int, last: int) -> None:
    """out = index, and `size` more where that is negative, for a range of indices, which must be in [least, size)."""
    part, to = part_of(index, first, last - first), part_of(out, first, last - first)
    wrong = np.int64(0)
    for i in range(part.size):
        k = np.int64(part[i])
        to[i] = k + (size & (k >> 63))
        wrong |= (k - lower_bound) | (size - 1 - k)
    if wrong < 0:
        raise IndexError


@jit
def add_columns(grad: Array, start: int, alike: int, target: Array) -> None:
    if alike:
        for j in range(target.size):
            target[j] += grad[0]
    else:
        source = part_of(grad, start, target.size)
        for j in range(target.size):
            target[j] += source[j]


@jit
def add_each(grad: Array, start: int, alike: int, offsets: Array, target: Array) -> None:
    if alike:
        for i in range(offsets.size):
            target[np.int64(offsets[i])] += grad[0]
    else:
        source = part_of(grad, start, offsets.size)
        for i in range(offsets.size):
            target[np.int64(offsets[i])] += source[i]


@jit
def clear_columns(out: Array, width: int, first: int, last: int) -> None:
    rows, size = (1, out.size) if last - first == width else (out.size // width, last - first)
    for r in range(rows):
        row = part_of(out, r * width + first, size)
        for j in range(size):
            row[j] = 0


@jit
def give_back(
    grad: Array, lines: Array, count: int, outer: int, width: int, alike: int, out: Array, first: int, last: int
) -> bool:
    """out[b outer + offset of i + j] = the sum of the gradients of (b, i, j) there; whether all indices are inside."""
    clear_columns(out, width, first, last)
    offsets = empty_row(np.uint64(0), min(BLOCK, count))
    for b in range(out.size // outer):
        for start in range(0, count, BLOCK):
            at = part_of(offsets, 0, min(BLOCK, count - start))
            if (b == 0 or count > BLOCK) and not find_offsets(lines, start, at):
                return False
            if width == 1:  # a call for each element would take most of the time
                add_each(grad, b * count + start, alike, at, part_of(out, b * outer, outer))
                continue
            for i in range(at.size):
                position, value = b * outer + np.int64(at[i]) + first, (b * count + start + i) * width + first
                add_columns(grad, value, alike, part_of(out, position, last - first))
    return True


@jit
def give_back_by_one(
    grad: Array, a: Array, out: Array, size: int, width: int, count: int, alike: int, first: int, last: int
) -> None:
    """out[b, a[i], j] = the sum of grad[b, i, j], of `out` in the shape (before, size, width)."""
    lines = empty_row(0, LINE)
    put_line(lines, 0, a, size, size, width)
    if not give_back(grad, lines, count, size * width, width, alike, out, first, last):
        raise IndexError


@jit
def give_back_by_two(
    grad: Array, a: Array, b: Array, out: Array, size: int, other: int, width: int, count: int, alike: int,
    first: int, last: int,
) -> None:  # fmt: skip
    """out[k, a[i], b[i], j] = the sum of grad[k, i, j], of `out` in the shape (before, size, other, width)."""
    lines = empty_row(0, 2 * LINE)
    put_line(lines, 0, a, size, size, other * width)
    put_line(lines, 1, b, other, other, width)
    if not give_back(grad, lines, count, size * other * width, width, alike, out, first, last):
        raise IndexError
