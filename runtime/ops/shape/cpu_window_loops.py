"""Windows of images as columns, and columns added up where their windows lie, on flat memory.

The innermost loops count from 0, and index by unsigned numbers where a step is not known: where an index may be
negative, Numba asks whether it is, and LLVM makes no vectors.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of

Array = np.ndarray


@jit
def windows_to_columns(
    x: Array,
    out: Array,
    height: int,
    width: int,
    kernel_height: int,
    kernel_width: int,
    rows: int,
    columns: int,
    down: int,
    across: int,
    dilation_down: int,
    dilation_across: int,
    stride_down: int,
    stride_across: int,
    first: int,
    last: int,
) -> None:
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
    x: Array,
    out: Array,
    height: int,
    width: int,
    kernel_height: int,
    kernel_width: int,
    rows: int,
    columns: int,
    down: int,
    across: int,
    dilation_down: int,
    dilation_across: int,
    stride_down: int,
    stride_across: int,
    first: int,
    last: int,
) -> None:
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
