"""QR decompositions by Householder's reflections, panel by panel.

The columns of a panel lie as rows while reflections are found. The product of a panel's reflections is I - V T V^T with
an upper triangular T, so that they reach all other columns, and those of Q, as products of matrices.
"""

import math

from ...compiler.jit import jit
from ...kernels.cpu.loops import copy_row
from ...kernels.cpu.matmul import multiply_at, transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, item_size, part_of, row_at
from ...kernels.llvm.matmul_tiles import panel_bytes
from .cpu_cholesky import BLOCK, subtract_row


@jit(fastmath={"reassoc", "contract", "nsz"})
def inner_product(x: Array, y: Array) -> float:
    total = x.dtype.type(0)
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@jit(fastmath={"reassoc", "contract", "nsz"})
def square_sum(x: Array, scale: float) -> float:
    """sum_i (x_i scale)^2 in double precision."""
    total = 0.0
    for i in range(x.size):
        part = float(x[i]) * scale
        total += part * part
    return total


@jit
def length_of(x: Array) -> float:
    """The square root of the sum of squares, also where squares are too large or too small for numbers."""
    total = square_sum(x, 1.0)
    if 1e-280 < total < 1e280 or total != total:
        return math.sqrt(total)
    top = 0.0
    for i in range(x.size):
        top = max(top, abs(float(x[i])))
    return math.sqrt(square_sum(x, 1 / top)) * top if 0 < top < math.inf else top


@jit
def reflection_of(column: Array, min_size: float) -> tuple[float, float]:
    """The factor of the reflection that leaves a column's first number alone, and that; none of short columns.

    Its vector, which begins with 1, takes the place of the column.
    """
    first, rest = column[0], length_of(part_of(column, 1, column.size - 1))
    factor, left = column.dtype.type(0), first
    if not rest <= min_size:
        length = math.copysign(math.hypot(float(first), rest), float(first))
        divisor = float(first) + length  # in double precision, for it may be too small for the columns' own
        factor, left = column.dtype.type((length + float(first)) / length), column.dtype.type(-length)
        for i in range(1, column.size):
            column[i] /= divisor
    column[0] = 1
    return factor, left


@jit
def reflect_panel(panel: Array, rows: int, columns: int, diagonal: Array, factors: Array) -> None:
    """Reflections of columns that lie as rows: vectors take the place of zeros, and `diagonal` gets that of R."""
    for j in range(min(rows, columns)):
        column = part_of(panel, j * rows + j, rows - j)
        factors[j], diagonal[j] = reflection_of(column, 0.0)
        for c in range(j + 1, columns):
            other = part_of(panel, c * rows + j, rows - j)
            subtract_row(other, factors[j] * inner_product(column, other), column)


@jit
def triangle_of(panel: Array, rows: int, count: int, factors: Array, t: Array) -> None:
    for j in range(count):
        for i in range(count):
            t[i * BLOCK + j] = 0
        t[j * BLOCK + j] = factors[j]
        vector = part_of(panel, j * rows, rows)
        for i in range(j):
            product = factors[j] * inner_product(part_of(panel, i * rows, rows), vector)
            for k in range(i + 1):
                t[k * BLOCK + j] -= t[k * BLOCK + i] * product


@jit
def reflect(
    v: int, rows: int, count: int, t: Array, transposed: bool, c: int, c_row: int, columns: int, space: Array
) -> None:
    """C = (I - V T V^T) C, or with T^T; the columns of V lie as rows. `space` has room for twice BLOCK rows of C."""
    if columns <= 0:
        return
    like, size = space.dtype.type(0), item_size(space.dtype.type(0))
    row, left = columns * size, rows * size
    first, second = part_of(space, 0, count * columns), part_of(space, count * columns, count * columns)
    one, other = address(first), address(second)
    t_row, t_col = (size, BLOCK * size) if transposed else (BLOCK * size, size)
    multiply_at(like, v, left, size, c, c_row, panel_bytes(), one, row, count, rows, columns, False)
    multiply_at(like, address(t), t_row, t_col, one, row, panel_bytes(), other, row, count, count, columns, False)
    for i in range(first.size):
        first[i] = -second[i]
    multiply_at(like, v, size, left, one, row, panel_bytes(), c, c_row, rows, count, columns, True)


@jit
def write_panel(panel: Array, rows: int, count: int, diagonal: Array, r: int, r_row: int) -> None:
    like = panel.dtype.type(0)
    for i in range(rows):
        row = row_at(like, r + i * r_row, count)
        for j in range(count):
            row[j] = panel[j * rows + i] if i < j else diagonal[j] if i == j else 0
    for j in range(count):
        for i in range(j):
            panel[j * rows + i] = 0


@jit
def factorize(r: int, rows: int, columns: int, vectors: Array, triangles: Array, space: Array) -> None:
    """R in place of A, contiguous; vectors and triangles of the panels, one behind the other."""
    like, size, count = space.dtype.type(0), item_size(space.dtype.type(0)), min(rows, columns)
    row = columns * size
    for start in range(0, count, BLOCK):
        left, width, corner = rows - start, min(BLOCK, count - start), r + start * (row + size)
        panel, t = part_of(vectors, start * rows, width * left), part_of(triangles, start * BLOCK, BLOCK * BLOCK)
        diagonal, factors = part_of(space, 0, BLOCK), part_of(space, BLOCK, BLOCK)
        transpose_at(like, corner, row, left, width, address(panel), left * size)
        reflect_panel(panel, left, width, diagonal, factors)
        write_panel(panel, left, width, diagonal, corner, row)
        triangle_of(panel, left, width, factors, t)
        reflect(address(panel), left, width, t, True, corner + width * size, row, columns - start - width, space)


@jit
def compose(q: int, rows: int, columns: int, count: int, vectors: Array, triangles: Array, space: Array) -> None:
    like, size = space.dtype.type(0), item_size(space.dtype.type(0))
    row = columns * size
    for i in range(rows):
        line = row_at(like, q + i * row, columns)
        for j in range(columns):
            line[j] = 1 if i == j else 0
    reflect_back(q, row, rows, columns, count, vectors, triangles, True, space)


@jit
def reflect_back(
    c: int, c_row: int, rows: int, columns: int, count: int, vectors: Array, triangles: Array, corner: bool,
    space: Array,
) -> None:  # fmt: skip
    """The product of `count` reflections and C, in place of C; a C that was the identity has a `corner` that is."""
    size = item_size(space.dtype.type(0))
    for block in range((count + BLOCK - 1) // BLOCK - 1, -1, -1):
        start = block * BLOCK
        left, width, before = rows - start, min(BLOCK, count - start), start if corner else 0
        panel, t = part_of(vectors, start * rows, width * left), part_of(triangles, start * BLOCK, BLOCK * BLOCK)
        position = c + start * c_row + before * size
        reflect(address(panel), left, width, t, False, position, c_row, columns - before, space)


@jit
def keep_reflection(vectors: Array, rows: int, j: int, vector: Array) -> None:
    start = j // BLOCK * BLOCK
    left = rows - start
    row = part_of(vectors, start * rows + (j - start) * left, left)
    for i in range(j - start):
        row[i] = 0
    for i in range(vector.size):
        row[j - start + i] = vector[i]


@jit
def all_triangles(vectors: Array, rows: int, count: int, factors: Array, triangles: Array) -> None:
    for start in range(0, count, BLOCK):
        left, width = rows - start, min(BLOCK, count - start)
        panel, t = part_of(vectors, start * rows, width * left), part_of(triangles, start * BLOCK, BLOCK * BLOCK)
        triangle_of(panel, left, width, part_of(factors, start, width), t)


@jit
def factorize_each(
    a: Array, q: Array, r: Array, rows: int, columns: int, wide: int, q_columns: int, first: int, last: int
) -> None:
    """So many rows of R that are `kept`, and `wide` columns of Q, of some contiguous matrices of a batch."""
    like, count, full = a.dtype.type(0), min(rows, columns), rows * columns
    blocks = (count + BLOCK - 1) // BLOCK
    vectors, triangles = empty_row(like, blocks * BLOCK * rows), empty_row(like, blocks * BLOCK * BLOCK)
    space, matrix = empty_row(like, 2 * BLOCK * max(columns, wide, 1)), empty_row(like, full)
    for i in range(first, last):
        copy_row(part_of(a, i * full, full), matrix)
        factorize(address(matrix), rows, columns, vectors, triangles, space)
        copy_row(matrix, part_of(r, i * q_columns * columns, q_columns * columns))
        if wide:
            to = part_of(q, i * rows * wide, rows * wide)
            compose(address(to), rows, wide, count, vectors, triangles, space)


@jit
def reflected_each(
    a: Array, factors: Array, out: Array, rows: int, columns: int, count: int, first: int, last: int
) -> None:
    """The first columns of products of `count` reflections, whose vectors stand below the diagonals."""
    like, blocks = out.dtype.type(0), (count + BLOCK - 1) // BLOCK
    vectors, triangles = empty_row(like, blocks * BLOCK * rows), empty_row(like, blocks * BLOCK * BLOCK)
    space, vector = empty_row(like, 2 * BLOCK * columns), empty_row(like, rows)
    for m in range(first, last):
        for j in range(count):
            vector[0] = 1
            for i in range(j + 1, rows):
                vector[i - j] = a[(m * rows + i) * columns + j]
            keep_reflection(vectors, rows, j, part_of(vector, 0, rows - j))
        all_triangles(vectors, rows, count, part_of(factors, m * count, count), triangles)
        to = address(out) + m * rows * columns * item_size(like)
        compose(to, rows, columns, count, vectors, triangles, space)
