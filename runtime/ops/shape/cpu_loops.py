"""Copies, as plans call them: strided memory made contiguous, pieces put together, triangles, windows as columns.

The innermost loops count from 0, and index by unsigned numbers where a step is not known: where an index may be
negative, Numba asks whether it is, and LLVM makes no vectors.
"""

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...kernels.cpu.loops import copy_run
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.gather import copy_elements


@jit(halves=WRITTEN)
def strided_copy(
    x: Array, out: Array, n0: int, n1: int, n2: int, n3: int, n4: int, s0: int, s1: int, s2: int, s3: int, s4: int
) -> None:
    """A contiguous copy of up to five dimensions: blocks of windows, and heads of attention, have as many."""
    offset = 0
    for i in range(n0):
        for j in range(n1):
            for k in range(n2):
                for row in range(n3):
                    start, to = i * s0 + j * s1 + k * s2 + row * s3, part_of(out, offset, n4)
                    if s4 == 1:
                        copy_elements(to, part_of(x, start, n4))
                    elif s4 == 0:
                        value = x[start]
                        for m in range(to.size):
                            to[m] = value
                    else:
                        for m in range(n4):
                            to[m] = x[start + m * s4]
                    offset += n4


@jit(halves=WRITTEN)
def flat_copy(x: Array, out: Array, first: int, last: int) -> None:
    copy_elements(part_of(out, first, last - first), part_of(x, first, last - first))


@jit
def slice_in_zeros(x: Array, out: Array, before: int, size: int, after: int, start: int, step: int, count: int) -> None:
    out[:] = 0
    for b in range(before):
        for i in range(count):
            copy_run(x, (b * count + i) * after, out, (b * size + start + i * step) * after, after)


@jit(halves=WRITTEN)
def cat_pair(x: Array, y: Array, out: Array, one: int, other: int, first: int, last: int) -> None:
    """out[i] = x[i] and y[i] side by side. Row by row, as large arrays are written faster from front to back."""
    for i in range(first, last):
        offset = i * (one + other)
        copy_elements(part_of(out, offset, one), part_of(x, i * one, one))
        copy_elements(part_of(out, offset + one, other), part_of(y, i * other, other))


@jit(halves=WRITTEN)
def cat_piece(x: Array, out: Array, rows: int, piece: int, full: int, offset: int) -> None:
    for i in range(rows):
        copy_elements(part_of(out, i * full + offset, piece), part_of(x, i * piece, piece))


@jit(halves=WRITTEN)
def pairs_made(x: Array, y: Array, out: Array, first: int, last: int) -> None:
    n = last - first
    rows = part_of(out, 2 * first, 2 * n)
    x, y = part_of(x, first, n), part_of(y, first, n)
    for i in range(n):
        rows[2 * i] = x[i]
        rows[2 * i + 1] = y[i]


@jit(halves=WRITTEN)
def triples_made(x: Array, y: Array, z: Array, out: Array, first: int, last: int) -> None:
    n = last - first
    rows = part_of(out, 3 * first, 3 * n)
    x, y, z = part_of(x, first, n), part_of(y, first, n), part_of(z, first, n)
    for i in range(n):
        rows[3 * i] = x[i]
        rows[3 * i + 1] = y[i]
        rows[3 * i + 2] = z[i]


@jit(halves=WRITTEN)
def quadruples_made(w: Array, x: Array, y: Array, z: Array, out: Array, first: int, last: int) -> None:
    n = last - first
    rows = part_of(out, 4 * first, 4 * n)
    w, x, y, z = part_of(w, first, n), part_of(x, first, n), part_of(y, first, n), part_of(z, first, n)
    for i in range(n):
        rows[4 * i] = w[i]
        rows[4 * i + 1] = x[i]
        rows[4 * i + 2] = y[i]
        rows[4 * i + 3] = z[i]


@jit(halves=WRITTEN)
def pairs_parted(value: Array, x: Array, y: Array, first: int, last: int) -> None:
    n = last - first
    rows = part_of(value, 2 * first, 2 * n)
    x, y = part_of(x, first, n), part_of(y, first, n)
    for i in range(n):
        x[i] = rows[2 * i]
        y[i] = rows[2 * i + 1]


@jit(halves=WRITTEN)
def triples_parted(value: Array, x: Array, y: Array, z: Array, first: int, last: int) -> None:
    n = last - first
    rows = part_of(value, 3 * first, 3 * n)
    x, y, z = part_of(x, first, n), part_of(y, first, n), part_of(z, first, n)
    for i in range(n):
        x[i] = rows[3 * i]
        y[i] = rows[3 * i + 1]
        z[i] = rows[3 * i + 2]


@jit(halves=WRITTEN)
def quadruples_parted(value: Array, w: Array, x: Array, y: Array, z: Array, first: int, last: int) -> None:
    n = last - first
    rows = part_of(value, 4 * first, 4 * n)
    w, x, y, z = part_of(w, first, n), part_of(x, first, n), part_of(y, first, n), part_of(z, first, n)
    for i in range(n):
        w[i] = rows[4 * i]
        x[i] = rows[4 * i + 1]
        y[i] = rows[4 * i + 2]
        z[i] = rows[4 * i + 3]


@jit(halves=WRITTEN)
def triangle(x: Array, out: Array, height: int, width: int, diagonal: int, upper: int, first: int, last: int) -> None:
    for k in range(first, last):
        start, at = k * width, min(max(k % height + diagonal, 0), width)
        inner_part, size = (start + at, width - at) if upper else (start, at)
        zeros = part_of(out, start if upper else start + at, width - size)
        for i in range(zeros.size):
            zeros[i] = 0
        copy_elements(part_of(out, inner_part, size), part_of(x, inner_part, size))


@jit
def windows_to_columns(
    x: Array, out: Array, height: int, width: int, kernel_height: int, kernel_width: int, rows: int, columns: int,
    down: int, across: int, dilation_down: int, dilation_across: int, stride_down: int, stride_across: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """A range of rows of `out`: each has one place of all windows of a plane, zeros where that is outside of it."""
    for row in range(first, last):
        tap, plane = row % (kernel_height * kernel_width), row // (kernel_height * kernel_width)
        top, left = tap // kernel_width * dilation_down - down, tap % kernel_width * dilation_across - across
        begin, end = inside(left, width, stride_across, columns)
        for i in range(rows):
            y, to = i * stride_down + top, part_of(out, (row * rows + i) * columns, columns)
            line = part_of(x, (plane * height + max(y, 0)) * width, width if 0 <= y < height else 0)
            low, high = (begin, end) if line.size else (columns, columns)
            for j in range(low):
                to[j] = 0
            for j in range(high, columns):
                to[j] = 0
            within, start = part_of(to, low, high - low), low * stride_across + left
            segment = part_of(line, start, within.size * stride_across)
            if stride_across == 1:
                for j in range(within.size):
                    within[j] = segment[j]
            else:
                for j in range(within.size):
                    within[j] = segment[np.uint64(j) * np.uint64(stride_across)]


@jit
def inside(left: int, width: int, stride: int, columns: int) -> tuple[int, int]:
    """Of which windows the place that lies at left + j stride is inside of a row: from the first j to the last."""
    begin = min(max((stride - 1 - left) // stride, 0), columns)
    return begin, min(max((width - 1 - left) // stride + 1, begin), columns)


@jit
def columns_to_windows(
    x: Array, out: Array, height: int, width: int, kernel_height: int, kernel_width: int, rows: int, columns: int,
    down: int, across: int, dilation_down: int, dilation_across: int, stride_down: int, stride_across: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """A range of planes: to each element what windows have there, in the order of the places of a window."""
    taps = kernel_height * kernel_width
    for plane in range(first, last):
        full = part_of(out, plane * height * width, height * width)
        for k in range(full.size):
            full[k] = 0
        for tap in range(taps):
            top, left = tap // kernel_width * dilation_down - down, tap % kernel_width * dilation_across - across
            low, high = inside(left, width, stride_across, columns)
            begin, end = inside(top, height, stride_down, rows)
            for i in range(begin, end):
                line = part_of(full, (i * stride_down + top) * width, width)
                value = part_of(x, ((plane * taps + tap) * rows + i) * columns, columns)
                added, start = part_of(value, low, high - low), low * stride_across + left
                reached = part_of(line, start, added.size * stride_across)
                if stride_across == 1:
                    for j in range(added.size):
                        reached[j] += added[j]
                else:
                    for j in range(added.size):
                        reached[np.uint64(j) * np.uint64(stride_across)] += added[j]
