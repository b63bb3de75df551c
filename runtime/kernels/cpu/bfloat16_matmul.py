"""The product of two bfloat16 matrices (llvm/bfloat16_tiles.py). Every element is summed in float32, in the order of
the depth and in parts that the depth alone decides, and rounded once."""

import numpy as np

from ...compiler.jit import MEMORY, jit
from ..llvm.addresses import address, empty_row, row_at
from ..llvm.bfloat16_tiles import (
    paired_rows,
    rounded_square,
    square_product,
    tiles_begun,
    tiles_ended,
    transposed_square,
)
from .matmul import even_blocks, full_cache_line, transpose_at

Array = np.ndarray

SQUARE, PANEL, STEP, LINE = 32, 16, 32, 64  # as tiles.py has them: of sums, of columns, of the depth; bytes
DEPTH = 512  # of a part: so much of 32 rows stays in the nearest cache
L2_BYTES = 1 << 19  # bytes of panels that stay in the second-level cache, while the rows go by
ITEM, WORD, ROW = 2, 4, 128  # bytes of an element, of a pair, of a row of sums


@jit(forceinline=True)
def panel_bytes_of(depth: int) -> int:
    """The bytes of a panel of 16 columns: a line for each pair of the depth, which is filled up with zeros."""
    return (depth + STEP - 1) // STEP * (STEP // 2) * LINE


@jit(halves=MEMORY)
def packed_panels(b: Array, out: Array, depth: int, columns: int, trans_b: int, first: int, last: int) -> None:
    """The panels of matrices of a batch, each with an even number of them; a range of twos of panels of all."""
    twos, panel = (columns + SQUARE - 1) // SQUARE, panel_bytes_of(depth)
    lines = panel // LINE
    for two in range(first, last):
        item, column = two // twos, two % twos * SQUARE
        matrix, to = address(b) + item * depth * columns * ITEM, address(out) + 2 * two * panel
        if not trans_b:
            full = depth // 2 if columns - column >= SQUARE else 0
            paired_rows(matrix + column * ITEM, columns * ITEM, full, to, panel)
            if full == lines:
                continue
        for side in range(2):
            at, here = to + side * panel, column + side * PANEL
            count = max(min(PANEL, columns - here), 0)
            if trans_b:
                pack_row_major(matrix + here * depth * ITEM, depth * ITEM, count, depth, at, LINE, lines)
            else:
                pack_standing(matrix + here * ITEM, columns * ITEM, depth, count, at, full, lines)


@jit
def clear(start: int, count: int) -> None:
    row = row_at(np.float32(0), start, count)
    for i in range(row.size):
        row[i] = np.float32(0)


@jit
def pack_standing(source: int, source_row: int, depth: int, columns: int, to: int, line: int, lines: int) -> None:
    """Pairs of neighbours in columns, as words in lines of 16, from a line on; beyond the matrix there are zeros."""
    for i in range(line, lines):
        upper, lower = source + 2 * i * source_row, source + (2 * i + 1) * source_row
        packed_pairs = row_at(np.uint32(0), to + i * LINE, PANEL)
        join_rows(upper, lower, columns if 2 * i < depth else 0, 2 * i + 1 < depth, packed_pairs)


@jit
def join_rows(upper: int, lower: int, count: int, both: bool, packed_pairs: Array) -> None:
    one, other = row_at(np.uint16(0), upper, count), row_at(np.uint16(0), lower, count if both else 0)
    for j in range(packed_pairs.size):
        low = np.uint32(one[j]) if j < one.size else np.uint32(0)
        packed_pairs[j] = low | (np.uint32(other[j]) << np.uint32(16) if j < other.size else np.uint32(0))


@jit
def pack_row_major(source: int, source_row: int, count: int, depth: int, to: int, to_row: int, lines: int) -> None:
    """Pairs of neighbours in `count` rows, as words that stand below each other in `lines` rows of 16."""
    pairs = depth // 2
    if count < PANEL or pairs < lines:
        for line in range(lines):
            clear(to + line * to_row, PANEL)
    transpose_at(np.float32(0), source, source_row, count, pairs, to, to_row)
    if depth % 2:
        last = row_at(np.uint32(0), to + pairs * to_row, count)
        for j in range(count):
            last[j] = np.uint32(row_at(np.uint16(0), source + j * source_row + 2 * pairs * ITEM, 1)[0])


@jit(halves=MEMORY)
def half_product(
    a: Array, panels: Array, bias: Array, out: Array, rows: int, depth: int, columns: int, how: int, first: int,
    last: int,
) -> None:  # fmt: skip
    """out = a b, with `how` & ADDING + bias; b in panels. Range: rows of all items, or with BY_COLUMNS columns of
    one."""
    panel, twos = panel_bytes_of(depth), (columns + SQUARE - 1) // SQUARE
    shift = address(bias) if how & ADDING else 0
    tiles_begun()
    if how & BY_COLUMNS:
        begin, end = first // SQUARE, (last + SQUARE - 1) // SQUARE
        multiply_strips(
            address(a), depth, 0, rows, address(panels), panel, begin, end,
            address(out), columns, shift,
        )  # fmt: skip
    else:
        i = first
        while i < last:
            item, row = i // rows, i % rows
            stop = min(rows, row + last - i)
            multiply_strips(
                address(a) + item * rows * depth * ITEM, depth, row, stop,
                address(panels) + item * 2 * twos * panel, panel, 0, twos,
                address(out) + item * rows * columns * ITEM, columns, shift,
            )  # fmt: skip
            i += stop - row
    tiles_ended()


ADDING, BY_COLUMNS = 1, 2


@jit
def multiply_strips(
    a: int, depth: int, first: int, last: int, panels: int, panel: int, begin: int, end: int, c: int, columns: int,
    bias: int,
) -> None:  # fmt: skip
    parts = (depth + DEPTH - 1) // DEPTH
    deep = even_blocks(depth, DEPTH, STEP) if depth else 0
    wide = max(L2_BYTES // (2 * panel), 1) if depth else 1
    stride = (deep + LINE) * ITEM
    left = empty_row(np.float32(0), SQUARE * stride // WORD + LINE)
    sums = empty_row(np.float32(0), ((wide if parts > 1 else 1) + 1) * SQUARE * SQUARE + LINE)
    block, square = full_cache_line(address(left)), full_cache_line(address(sums))
    for j in range(begin, end, wide):
        here = min(wide, end - j)
        for i in range(first, last, SQUARE):
            lines = min(SQUARE, last - i)
            multiply_strip(
                a, depth, deep, i, lines, block, stride,
                panels + 2 * j * panel, panel, here, square, c, columns, j * SQUARE, bias,
            )  # fmt: skip


@jit
def multiply_strip(
    a: int, depth: int, deep: int, row: int, lines: int, block: int, stride: int, panels: int, panel: int, twos: int,
    square: int, c: int, columns: int, column: int, bias: int,
) -> None:  # fmt: skip
    size = SQUARE * ROW
    splits_depth, to_rows = deep < depth, c + row * columns * ITEM
    more = square + (twos * size if splits_depth else 0)
    for k in range(0, depth, max(deep, 1)):
        here = min(deep, depth - k)
        steps = (here + STEP - 1) // STEP
        pack_rows(a + (row * depth + k) * ITEM, depth * ITEM, lines, here, block, stride, steps)
        for two in range(twos):
            right, at = panels + 2 * two * panel + k // 2 * LINE, square + (two * size if splits_depth else 0)
            to = more if k else at
            square_product(block, stride, right, panel, steps, to)
            if k:
                add_square(at, more)
            if k + here == depth:
                round_square(at, lines, column + two * SQUARE, to_rows, columns, bias)
    if not depth:
        clear(square, SQUARE * SQUARE)
        for two in range(twos):
            round_square(square, lines, column + two * SQUARE, to_rows, columns, bias)


@jit
def add_square(to: int, source: int) -> None:
    total, part = row_at(np.float32(0), to, SQUARE * SQUARE), row_at(np.float32(0), source, SQUARE * SQUARE)
    for i in range(SQUARE * SQUARE):
        total[i] = total[i] + part[i]


@jit
def pack_rows(source: int, source_row: int, rows: int, depth: int, to: int, to_row: int, steps: int) -> None:
    """Copies rows, with zeros behind them; below them stays what has been there, which no result is made of."""
    for i in range(rows):
        row = row_at(np.uint16(0), source + i * source_row, depth)
        there = row_at(np.uint16(0), to + i * to_row, steps * STEP)
        for k in range(depth):
            there[k] = row[k]
        for k in range(depth, there.size):
            there[k] = np.uint16(0)


@jit(halves=MEMORY)
def transposed_f16(a: Array, out: Array, rows: int, columns: int, first: int, last: int) -> None:
    strips = (columns + SQUARE - 1) // SQUARE
    for strip in range(first, last):
        item, column = strip // strips * rows * columns * ITEM, strip % strips * SQUARE
        source, to = address(a) + item, address(out) + item
        for row in range(0, rows, SQUARE):
            at, there = source + (row * columns + column) * ITEM, to + (column * rows + row) * ITEM
            if row + SQUARE <= rows and column + SQUARE <= columns:
                transposed_square(at, columns * ITEM, there, rows * ITEM)
            else:
                turn(at, columns * ITEM, min(SQUARE, rows - row), min(SQUARE, columns - column), there, rows * ITEM)


@jit
def turn(source: int, source_row: int, rows: int, columns: int, to: int, to_row: int) -> None:
    for i in range(rows):
        row = row_at(np.uint16(0), source + i * source_row, columns)
        for j in range(columns):
            row_at(np.uint16(0), to + j * to_row + i * ITEM, 1)[0] = row[j]


@jit
def round_square(sums: int, rows: int, column: int, c: int, columns: int, bias: int) -> None:
    shift = bias + column * ITEM if bias else 0
    rounded_square(sums, rows, shift, c + column * ITEM, columns * ITEM, columns - column)
