"""The product of two matrices in register tiles. A panel is as many columns of b as a tile's registers hold; a tile
goes through the depth of a and of one panel. Where caches cannot hold b, or it is transposed, blocks of it are copied
into panels. Every element is summed in the order of the depth, however the work is divided."""

import numpy as np

from ...compiler.jit import jit
from ..llvm.addresses import address, empty_row, item_size, matrix_at, part_of, row_at
from ..llvm.matmul_tiles import (
    NEAREST,
    copied_panel,
    panel_bytes,
    panel_product,
    panel_width,
    square_rows,
    transposed_block,
)

Array = np.ndarray

COLUMNS = 32  # that are transposed together: of float32 two lines of each row


@jit
def transpose(source: Array, to: Array) -> None:
    like, (rows, columns) = source.dtype.type(0), source.shape
    transpose_at(like, address(source), source.strides[0], rows, columns, address(to), to.strides[0])


@jit
def transpose_at(like: float, source: int, source_row: int, rows: int, columns: int, to: int, to_row: int) -> None:
    """The transpose of a matrix, square by square, the last ones overlapping. It goes down all rows of few columns: so
    each row of the other matrix is written on and on, and it is known what to ask for."""
    size, step = item_size(like), square_rows(like)
    if rows < step or columns < step:
        source_view, across = (
            matrix_at(like, source, rows, columns, source_row),
            matrix_at(like, to, columns, rows, to_row),
        )
        for i in range(rows):
            for j in range(columns):
                across[j, i] = source_view[i, j]
        return
    for start in range(0, columns, COLUMNS):
        for each_row in range(0, rows, step):
            i = min(each_row, rows - step)
            for column in range(start, min(start + COLUMNS, columns), step):
                j = min(column, columns - step)
                at, there = source + i * source_row + j * size, to + j * to_row + i * size
                transposed_block(like, at, source_row, there, to_row)


PRODUCTS = 16  # take as long as one element of other work, or somewhat longer
UNIT, PANEL = 6, 64  # rows of a tile, or columns, that stay together in one thread
PACK_ROWS_THRESHOLD = (
    24  # rows, for which b is not copied to panels: for each line that a row of a panel has, where b is near
)
UNCACHED_ROWS_THRESHOLD = 32  # such rows where it is not: reading it costs more than what the copy saves
LINE = 16  # elements that are at least a line of the cache
PART = 4096  # of the depth, that is added up in the dtype of the matrices
L2_BYTES = 1 << 20  # bytes of a matrix that the second-level cache holds
STRIP = 1 << 22  # bytes of panels beside each other: they come from the third-level cache, each while one is multiplied
ACROSS = 1 << 11  # bytes of a row of such a strip: of c, lines of so many stay in the second-level cache
HIGH = 96  # rows of c that do so
LOW = 256  # rows that are multiplied at once with a panel
FLAT = 64  # the depth of what is read of a far b as it lies: so many rows have a page each that the processor knows
BLOCK = 1 << 17  # bytes of a block of b, which the second-level cache holds beside the panels of a


@jit
def multiply_rows(a: Array, b: Array, c: Array, trans_a: bool, trans_b: bool, add: bool, first: int, last: int) -> None:
    like, depth = c.dtype.type(0), len(a) if trans_a else a.shape[1]
    product_at(like, address(a), address(b), address(c), depth, len(c), c.shape[1], trans_a, trans_b, add, first, last)


@jit
def multiply_columns(
    a: Array, b: Array, c: Array, trans_a: bool, trans_b: bool, add: bool, first: int, last: int
) -> None:
    like, depth, at = c.dtype.type(0), len(a) if trans_a else a.shape[1], address(c)
    product_columns_at(like, address(a), address(b), at, depth, len(c), c.shape[1], trans_a, trans_b, add, first, last)


@jit
def product_at(
    like: float, a: int, b: int, c: int, depth: int, rows: int, columns: int, trans_a: bool, trans_b: bool, add: bool,
    first: int, last: int,
) -> None:  # fmt: skip
    size = item_size(like)
    a_row, b_row, c_row = (rows if trans_a else depth) * size, (depth if trans_b else columns) * size, columns * size
    left, to = a + first * (size if trans_a else a_row), c + first * c_row
    multiply_within(like, left, a_row, trans_a, b, b_row, trans_b, to, c_row, max(last - first, 0), depth, columns, add)


@jit
def product_columns_at(
    like: float, a: int, b: int, c: int, depth: int, rows: int, columns: int, trans_a: bool, trans_b: bool, add: bool,
    first: int, last: int,
) -> None:  # fmt: skip
    size = item_size(like)
    a_row, b_row, c_row = (rows if trans_a else depth) * size, (depth if trans_b else columns) * size, columns * size
    right, to = b + first * (b_row if trans_b else size), c + first * size
    multiply_within(like, a, a_row, trans_a, right, b_row, trans_b, to, c_row, rows, depth, max(last - first, 0), add)


@jit
def multiply_within(
    like: float, a: int, a_row: int, trans_a: bool, b: int, b_row: int, trans_b: bool, c: int, c_row: int, rows: int,
    depth: int, columns: int, add: bool,
) -> None:  # fmt: skip
    """c = a b, or c + a b, of parts of matrices. A great depth is summed in parts, as a long sum loses precision."""
    size = item_size(like)
    if not rows or not columns:
        return
    if not depth and not add:
        fill_rows(like, c, c_row, rows, columns)
    sums = empty_row(0.0, rows * columns if depth > PART else 0)
    for start in range(0, depth, PART):
        left, right = a + start * (a_row if trans_a else size), b + start * (size if trans_b else b_row)
        here, more = min(PART, depth - start), add and start == 0
        multiply_part(like, left, a_row, trans_a, right, b_row, trans_b, c, c_row, rows, here, columns, more)
        if sums.size:
            sum_rows(like, c, c_row, rows, columns, sums, start > 0, start + here == depth)


@jit
def fill_rows(value: float, c: int, c_row: int, rows: int, columns: int) -> None:
    for i in range(rows):
        row = row_at(value, c + i * c_row, columns)
        for x in range(row.size):
            row[x] = value


@jit
def sum_rows(
    like: float, c: int, c_row: int, rows: int, columns: int, sums: Array, begun: bool, finished: bool
) -> None:
    for i in range(rows):
        row, total = row_at(like, c + i * c_row, columns), part_of(sums, i * columns, columns)
        for x in range(row.size):
            total[x] = total[x] + row[x] if begun else row[x]
        for x in range(row.size if finished else 0):
            row[x] = total[x]


@jit
def multiply_part(
    like: float, a: int, a_row: int, trans_a: bool, b: int, b_row: int, trans_b: bool, c: int, c_row: int, rows: int,
    depth: int, columns: int, add: bool,
) -> None:  # fmt: skip
    """Of a depth summed at once: by blocks, or turned round where a has few rows: c^T = b a^T needs no panels of b."""
    if trans_b and not trans_a and 2 * rows < columns and rows * depth * item_size(like) <= L2_BYTES:
        multiply_transposed(like, a, a_row, b, b_row, c, c_row, rows, depth, columns, add)
    else:
        multiply_blocks(like, a, a_row, trans_a, b, b_row, trans_b, c, c_row, rows, depth, columns, add)


@jit
def multiply_transposed(
    like: float, a: int, a_row: int, b: int, b_row: int, c: int, c_row: int, rows: int, depth: int, columns: int,
    add: bool,
) -> None:  # fmt: skip
    """c = a b^T, or c + a b^T, as the transpose of b a^T; b is read once, as it lies."""
    size, width, panel_row = item_size(like), panel_width(like), panel_bytes()
    full = (rows + width - 1) // width * width
    high = even_blocks(columns, max(BLOCK // (max(depth, full) * size), UNIT), UNIT)
    panels, block = empty_row(like, full * depth + LINE), empty_row(like, full * high + LINE)
    right, rotated = full_cache_line(address(panels)), full_cache_line(address(block))
    fill_panels(like, a, a_row, True, depth, rows, right, depth * panel_row)
    for j in range(0, columns, high):
        lines, to, row = min(high, columns - j), c + j * size, full * size
        if add:
            transpose_at(like, to, c_row, rows, lines, rotated, row)
        multiply_tiles(
            like, b + j * b_row, b_row, right, panel_row, depth * panel_row, rotated, row, lines, depth, rows, add
        )
        transpose_at(like, rotated, row, lines, rows, to, c_row)


@jit
def multiply_blocks(
    like: float, a: int, a_row: int, trans_a: bool, b: int, b_row: int, trans_b: bool, c: int, c_row: int, rows: int,
    depth: int, columns: int, add: bool,
) -> None:  # fmt: skip
    size, width, panel_row = item_size(like), panel_width(like), panel_bytes()
    # Panels pay where they are read often enough, or where b as it lies would be read against its rows.
    # Rows of b that begin with a line of the cache, in a panel that lies close together, are as good as a copy.
    is_line_aligned = b % 64 == 0 and b_row % 64 == 0 and b_row <= 2 * panel_row
    skip_copy_rows = PACK_ROWS_THRESHOLD * panel_row // 64 if depth * b_row <= L2_BYTES else UNCACHED_ROWS_THRESHOLD
    copies = trans_b or (rows > skip_copy_rows and not is_line_aligned)
    along, deep, wide, high = block_sizes(like, rows, depth, columns, copies, trans_a, depth * b_row > L2_BYTES)
    panels = empty_row(like, (wide + width - 1) // width * width * along + LINE if copies else 0)
    stride = (deep + LINE) * size  # rows of a block of a: no power of two, for which they would share sets of the cache
    block = empty_row(like, (deep + LINE) * high + LINE if trans_a else 0)
    for start in range(0, depth, along):
        stop = min(start + along, depth)
        for j in range(0, columns, wide):
            count = min(wide, columns - j)
            right, row, panel = b + start * b_row + j * size, b_row, panel_row
            if copies:
                corner = b + j * b_row + start * size if trans_b else right
                right, row, panel = full_cache_line(address(panels)), panel_row, (stop - start) * panel_row
                fill_panels(like, corner, b_row, trans_b, stop - start, count, right, panel)
            for i in range(0, rows, high):
                lines, to = min(high, rows - i), c + i * c_row + j * size
                for k in range(start, stop, deep):
                    here, left, left_row = min(deep, stop - k), a + i * a_row + k * size, a_row
                    if trans_a:
                        corner, left, left_row = a + k * a_row + i * size, full_cache_line(address(block)), stride
                        transpose_at(like, corner, a_row, here, lines, left, left_row)
                    at, more = right + (k - start) * row, add or k > 0
                    multiply_tiles(like, left, left_row, at, row, panel, to, c_row, lines, here, count, more)


@jit
def block_sizes(
    like: float, rows: int, depth: int, columns: int, copies: bool, trans_a: bool, beyond_cache: bool
) -> tuple[int, int, int, int]:
    """The depth of strips of b and of panels in them, columns of strips, rows of blocks of a. A panel stays in the
    first-level cache, a block of a with those elements of c that it meets in the second."""
    size, width = item_size(like), panel_width(like)
    if not copies and not trans_a:
        deep = even_blocks(depth, FLAT, 1) if beyond_cache else depth
        return deep, deep, columns, rows
    deep = even_blocks(depth, NEAREST // panel_bytes(), 1)
    if rows <= LOW and not trans_a:
        return deep, deep, width, rows
    wide = even_blocks(columns, (2 if trans_a else 1) * ACROSS // size, width)
    return even_blocks(depth, STRIP // (wide * size), deep), deep, wide, even_blocks(rows, HIGH, UNIT)


@jit
def multiply_tiles(
    like: float, a: int, a_row: int, b: int, b_row: int, b_panel: int, c: int, c_row: int, rows: int, depth: int,
    columns: int, add: bool,
) -> None:  # fmt: skip
    multiply_at(like, a, a_row, item_size(like), b, b_row, b_panel, c, c_row, rows, depth, columns, add)


@jit(forceinline=True)
def full_cache_line(offset: int) -> int:
    return (offset + 63) // 64 * 64


@jit
def even_blocks(count: int, max_block: int, step: int) -> int:
    """The size of blocks of at most `most`, and a multiple of `step`; the last is hardly smaller than the others."""
    blocks = (count + max_block - 1) // max_block
    return ((count + blocks - 1) // blocks + step - 1) // step * step


@jit(forceinline=True)
def multiply_at(
    like: float, a: int, a_row: int, a_col: int, b: int, b_row: int, b_panel: int, c: int, c_row: int, rows: int,
    depth: int, columns: int, add: bool,
) -> None:  # fmt: skip
    """c = a b, or c + a b, of matrices at addresses, distances in bytes. Rows of panels and of c are contiguous."""
    width, bytes_ = panel_width(like), panel_bytes()
    for j in range(0, columns, width):
        count, at, to = min(width, columns - j), b + j // width * b_panel, c + j // width * bytes_
        after = at + b_panel if b_row == bytes_ and count == width else at
        panel_product(like, a, a_row, a_col, at, b_row, to, c_row, rows, depth, count, add, after)


@jit
def fill_panels(
    like: float, b: int, b_row: int, transposed: bool, depth: int, columns: int, panels: int, panel: int
) -> None:
    """Copies a matrix of `depth` rows to panels `panel` bytes apart; `transposed`, it lies in `columns` rows."""
    size, width = item_size(like), panel_width(like)
    for j in range(0, columns, width):
        count, to = min(width, columns - j), panels + j // width * panel
        if transposed:
            transpose_at(like, b + j * b_row, b_row, count, depth, to, panel_bytes())
        elif count == width:
            copied_panel(like, b + j * size, b_row, to, panel_bytes(), depth)
        else:
            copy_rows(like, b + j * size, b_row, depth, count, to, panel_bytes())


@jit
def copy_rows(like: float, source: int, source_row: int, rows: int, columns: int, to: int, to_row: int) -> None:
    for i in range(rows):
        row, there = row_at(like, source + i * source_row, columns), row_at(like, to + i * to_row, columns)
        for x in range(row.size):
            there[x] = row[x]
