"""Copies, as plans call them: strided memory made contiguous, pieces put together, zeros around one, triangles."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.loops import copy_run
from ...kernels.jit import WRITTEN, jit
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.runs import copy_elements

Array = np.ndarray


@jit(halves=WRITTEN)
def strided_copy(
    x: Array,
    out: Array,
    n0: int,
    n1: int,
    n2: int,
    n3: int,
    n4: int,
    s0: int,
    s1: int,
    s2: int,
    s3: int,
    s4: int,
) -> None:
    """out[i, j, k, l, m] = x[i s0 + j s1 + ... + m s4]: a contiguous copy of a strided array of up to five dimensions,
    which is what blocks of windows and the heads of attention take."""
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
    """out = x."""
    copy_elements(part_of(out, first, last - first), part_of(x, first, last - first))


@jit
def slice_in_zeros(x: Array, out: Array, before: int, size: int, after: int, start: int, step: int, count: int) -> None:
    """Zeros with x at `count` of `size` indices along, from `start` on, `step` apart: the gradient of a slice."""
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
    """out[i, offset:offset + piece] = x[i], for rows of `whole` elements: one operand of a concatenation."""
    for i in range(rows):
        copy_elements(part_of(out, i * full + offset, piece), part_of(x, i * piece, piece))


@jit(halves=WRITTEN)
def pairs_made(x: Array, y: Array, out: Array, first: int, last: int) -> None:
    """out[i] = x[i], y[i], for rows of two numbers.

    Counted from 0 here and below: where an index may be negative, Numba asks whether it is, and LLVM makes no vectors.
    """
    n = last - first
    rows = part_of(out, 2 * first, 2 * n)
    x, y = part_of(x, first, n), part_of(y, first, n)
    for i in range(n):
        rows[2 * i] = x[i]
        rows[2 * i + 1] = y[i]


@jit(halves=WRITTEN)
def triples_made(x: Array, y: Array, z: Array, out: Array, first: int, last: int) -> None:
    """out[i] = x[i], y[i], z[i], for rows of three numbers."""
    n = last - first
    rows = part_of(out, 3 * first, 3 * n)
    x, y, z = part_of(x, first, n), part_of(y, first, n), part_of(z, first, n)
    for i in range(n):
        rows[3 * i] = x[i]
        rows[3 * i + 1] = y[i]
        rows[3 * i + 2] = z[i]


@jit(halves=WRITTEN)
def quadruples_made(w: Array, x: Array, y: Array, z: Array, out: Array, first: int, last: int) -> None:
    """out[i] = w[i], x[i], y[i], z[i], for rows of four numbers."""
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
    """x[i], y[i] = given[i], for rows of two numbers."""
    n = last - first
    rows = part_of(value, 2 * first, 2 * n)
    x, y = part_of(x, first, n), part_of(y, first, n)
    for i in range(n):
        x[i] = rows[2 * i]
        y[i] = rows[2 * i + 1]


@jit(halves=WRITTEN)
def triples_parted(value: Array, x: Array, y: Array, z: Array, first: int, last: int) -> None:
    """x[i], y[i], z[i] = given[i], for rows of three numbers."""
    n = last - first
    rows = part_of(value, 3 * first, 3 * n)
    x, y, z = part_of(x, first, n), part_of(y, first, n), part_of(z, first, n)
    for i in range(n):
        x[i] = rows[3 * i]
        y[i] = rows[3 * i + 1]
        z[i] = rows[3 * i + 2]


@jit(halves=WRITTEN)
def quadruples_parted(value: Array, w: Array, x: Array, y: Array, z: Array, first: int, last: int) -> None:
    """w[i], x[i], y[i], z[i] = given[i], for rows of four numbers."""
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
    """Some rows of matrices from column i + diagonal on (upper), or up to it; zeros elsewhere."""
    for k in range(first, last):
        start, at = k * width, min(max(k % height + diagonal, 0), width)
        inner_part, size = (start + at, width - at) if upper else (start, at)
        zeros = part_of(out, start if upper else start + at, width - size)
        for i in range(zeros.size):
            zeros[i] = 0
        copy_elements(part_of(out, inner_part, size), part_of(x, inner_part, size))
