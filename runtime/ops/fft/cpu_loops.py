"""Passes of Fourier transforms, as planes of real and imaginary parts in near memory; transforms of rows and columns.

Arrays are flat and of real numbers: a complex one has real and imaginary parts in turn. Where rows, or blocks of
columns, fill vectors, the first pass reads such pairs, and the last one writes them.
"""

from ...compiler.jit import jit
from ...compiler.passes.primitives import fma
from ...kernels.cpu.matmul import transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, empty_row, item_size, matrix_at, part_of, row_at
from ...kernels.llvm.fft_butterflies import WIDEST, first_pass, last_pass, prime_pass, transform_pass
from ...kernels.llvm.fft_spectra import full_spectrum, half_spectrum
from ...kernels.llvm.matmul_tiles import lanes

BATCH_ELEMENTS = 1024  # complex numbers that are transformed together
PLANE_OFFSET = 64
# Complex numbers, real ones, an even number of these to half a spectrum, and that to them.
COMPLEX, REAL, HALF, FULL_SPECTRUM = range(4)


@jit
def vector_lanes(like: float) -> int:
    return lanes(like)


@jit
def split(x: Array, real: Array, imaginary: Array) -> None:
    for i in range(real.size):
        real[i] = x[2 * i]
        imaginary[i] = x[2 * i + 1]


@jit
def join(real: Array, imaginary: Array, scale: float, out: Array) -> None:
    for i in range(real.size):
        out[2 * i] = real[i] * scale
        out[2 * i + 1] = imaginary[i] * scale


@jit
def to_half(real: Array, imaginary: Array, twiddles: Array, scale: float, out: Array) -> None:
    """`half_spectrum` of a row that fills no vector."""
    n = real.size
    half, cosines, sines = real.dtype.type(0.5) * scale, part_of(twiddles, 0, n), part_of(twiddles, n, n)
    for k in range(n):
        a, b, c, d = real[k], imaginary[k], real[n - k if k else 0], imaginary[n - k if k else 0]
        less, odd = a - c, b + d
        out[2 * k] = fma(odd, cosines[k], fma(-less, sines[k], a + c)) * half
        out[2 * k + 1] = (b - d - fma(less, cosines[k], odd * sines[k])) * half


@jit
def from_half(x: Array, twiddles: Array, factor: float, real: Array, imaginary: Array) -> None:
    """`full_spectrum` to a row that fills no vector."""
    n = real.size
    cosines, sines = part_of(twiddles, 0, n), part_of(twiddles, n, n)
    for k in range(n):
        a, b, c, d = x[2 * k], x[2 * k + 1], x[2 * (n - k)], x[2 * (n - k) + 1]
        even, odd = a - c, b + d
        real[k] = (a + c - fma(even, sines[k], odd * cosines[k])) * factor
        imaginary[k] = fma(even, cosines[k], fma(-odd, sines[k], b - d)) * factor


@jit
def all_passes(
    steps: Array, table: Array, inverse: bool, columns: int, count: int, plane: int, at: int, other: int
) -> int:
    """Passes over `count` rows of columns, by steps (radix, m, s, first factor); the address of the result."""
    like, size = table.dtype.type(0), item_size(table.dtype.type(0))
    for k in range(len(steps)):
        factors, s = address(table) + steps[k, 3] * size, steps[k, 2] * columns
        if steps[k, 0] > WIDEST:
            prime_pass(like, steps[k, 0], at, other, plane, count, steps[k, 1], s, factors, inverse)
        else:
            transform_pass(like, steps[k, 0], at, other, plane, count, steps[k, 1], s, factors, inverse)
        at, other = other, at
    return at


@jit
def rows_begun(
    steps: Array, table: Array, inverse: bool, columns: int, count: int, plane: int, x: int, line: int, to: int
) -> None:
    like, factors = table.dtype.type(0), address(table) + steps[0, 3] * item_size(table.dtype.type(0))
    first_pass(like, steps[0, 0], x, to, plane, count, steps[0, 1], columns, factors, inverse, line)


@jit
def ended(
    steps: Array, scale: float, inverse: bool, columns: int, count: int, plane: int, at: int, out: int, line: int
) -> None:
    last = len(steps) - 1
    like, outer = scale, steps[last, 2]
    if columns == 1:
        columns, outer = outer, 1
    last_pass(like, steps[last, 0], at, out, plane, count, outer, columns, scale, inverse, line)


@jit
def twiddled_passes(
    steps: Array, table: Array, inverse: bool, n: int, block: int, count: int, plane: int, at: int, other: int
) -> int:
    """All passes over `count` rows of n numbers, which lie as columns meanwhile; there is room for `block` rows."""
    like, size = table.dtype.type(0), item_size(table.dtype.type(0))
    for part in range(2):
        transpose_at(like, at + part * plane, n * size, count, n, other + part * plane, block * size)
    result = all_passes(steps, table, inverse, block, 1, plane, other, at)
    to = at if result == other else other
    for part in range(2):
        transpose_at(like, result + part * plane, block * size, n, count, to + part * plane, n * size)
    return to


@jit
def read_rows(
    x: Array, kind: int, twiddles: Array, n: int, pairs: float, first: int, count: int, at: int, plane: int
) -> None:
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    real, imaginary = row_at(like, at, count * n), row_at(like, at + plane, count * n)
    if kind == REAL:
        row = part_of(x, first * n, count * n)
        for i in range(row.size):
            real[i] = row[i]
            imaginary[i] = 0
    elif kind == FULL_SPECTRUM:
        for r in range(count):
            row, to = part_of(x, (first + r) * (2 * n + 2), 2 * n + 2), at + r * n * size
            if n < lanes(like):
                from_half(row, twiddles, like + pairs, row_at(like, to, n), row_at(like, to + plane, n))
            else:
                full_spectrum(like, address(row), plane, to, n, address(twiddles), like + pairs)
            # Both are real, whatever their imaginary parts.
            real[r * n], imaginary[r * n] = row[0] + row[2 * n], row[0] - row[2 * n]
    else:
        split(part_of(x, first * 2 * n, count * 2 * n), real, imaginary)


@jit
def write_rows(
    kind: int, twiddles: Array, n: int, pairs: float, first: int, count: int, at: int, plane: int, scale: float,
    nothing: float, out: Array,
) -> None:  # fmt: skip
    """Some rows of the result, from their parts; `nothing` is the imaginary part of real numbers in half a spectrum."""
    like, size = out.dtype.type(0), item_size(out.dtype.type(0))
    real, imaginary = row_at(like, at, count * n + 1), row_at(like, at + plane, count * n + 1)
    if kind != HALF:
        row = part_of(out, first * 2 * n, count * 2 * n)
        join(part_of(real, 0, count * n), part_of(imaginary, 0, count * n), scale, row)
        return
    for r in range(count - 1, -1, -1):  # behind a row is the next one, which is not read any more
        row, here = part_of(out, (first + r) * (2 * n + 2), 2 * n + 2), at + r * n * size
        top, other = real[r * n], imaginary[r * n]
        if n < lanes(like):
            to_half(row_at(like, here, n), row_at(like, here + plane, n), twiddles, scale * pairs, row)
        else:
            real[r * n + n], imaginary[r * n + n] = top, other
            half_spectrum(like, here, plane, address(row), n, address(twiddles), scale * pairs)
        row[0], row[1], row[2 * n], row[2 * n + 1] = (top + other) * scale, nothing, (top - other) * scale, nothing


@jit
def transform_either(
    x: Array, out: Array, steps: Array, table: Array, twiddles: Array, double_steps: Array, double_table: Array,
    double_twiddles: Array, scale: float, pairs: float, n: int, block: int, twiddled: int, double_block: int,
    double_twiddled: int, kind: int, inverse: int, first: int, last: int,
) -> None:  # fmt: skip
    """The transforms of some rows of n complex numbers, or 2 n real ones, `block` at a time.

    What passes take is there for either precision: tables are given as integers.
    """
    like, size = x.dtype.type(0), item_size(x.dtype.type(0))
    if size == 8:
        steps, table, twiddles = double_steps, double_table, double_twiddles
        block, twiddled = double_block, double_twiddled
    rows, back, factor, by_pairs = rows_of_steps(steps), inverse != 0, x.dtype.type(scale), x.dtype.type(pairs)
    factors, cosines = row_at(like, address(table), 0), row_at(like, address(twiddles), 2 * n)
    nothing = x.dtype.type(-0.0 if back else 0.0)
    plane = (block * n * size + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET + PLANE_OFFSET
    space = empty_row(like, (4 * plane + 2 * PLANE_OFFSET) // size)
    for i in range(space.size if twiddled else 0):
        space[i] = 0
    one = (address(space) + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET
    other = one + 2 * plane
    # Which passes have to do with planes alone.
    begin, end = 0 if twiddled or kind % 2 else 1, len(rows)
    if not twiddled and kind != HALF and rows[len(rows) - 1, 0] <= WIDEST:
        end -= 1
    for start in range(first, last, block):
        count = min(block, last - start)
        if begin:
            rows_begun(rows, factors, back, 1, count, plane, address(x) + start * 2 * n * size, 2 * size, one)
        else:
            read_rows(x, kind, cosines, n, by_pairs, start, count, one, plane)
        if twiddled:
            at = twiddled_passes(rows, factors, back, n, block, count, plane, one, other)
        else:
            at = all_passes(rows[begin:end], factors, back, 1, count, plane, one, other)
        if end < len(rows):
            to, line = address(out) + start * 2 * n * size, 2 * rows[end, 2] * size
            ended(rows, factor, back, 1, count, plane, at, to, line)
        else:
            write_rows(kind, cosines, n, by_pairs, start, count, at, plane, factor, nothing, out)


@jit
def transform_either_columns(
    x: Array, out: Array, steps: Array, table: Array, double_steps: Array, double_table: Array, scale: float,
    n: int, after: int, block: int, double_block: int, kind: int, inverse: int, first: int, last: int,
) -> None:  # fmt: skip
    """The transforms of columns of matrices with n rows of `after` complex numbers: a range of blocks of columns.

    What passes take is there for either precision; a block may be some blocks of the wider numbers. The result may be
    in the place of x: a block is read before it is written.
    """
    like, size, own = x.dtype.type(0), item_size(x.dtype.type(0)), block
    if size == 8:
        steps, table, own = double_steps, double_table, double_block
    passes, factors = rows_of_steps(steps), row_at(like, address(table), 0)
    back, factor = inverse != 0, x.dtype.type(like + scale)
    blocks, own_blocks = (after + block - 1) // block, (after + own - 1) // own
    plane = (own * n * size + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET + PLANE_OFFSET
    space = empty_row(like, (4 * plane + 2 * PLANE_OFFSET) // size)
    for i in range(space.size):
        space[i] = 0
    one = (address(space) + PLANE_OFFSET - 1) // PLANE_OFFSET * PLANE_OFFSET
    other, line, step = one + 2 * plane, own * size, 2 * after * size
    for k in range(own_block(first, blocks, block, own, after), own_block(last, blocks, block, own, after)):
        start = k % own_blocks * own
        count, corner = min(own, after - start), k // own_blocks * n * after + start
        full = count == own and len(passes) > 1
        paired = full and passes[len(passes) - 1, 0] <= WIDEST
        begin = 1 if full and kind != REAL and passes[0, 0] <= WIDEST else 0
        end = len(passes) - (1 if paired else 0)
        if begin:
            rows_begun(passes, factors, back, own, 1, plane, address(x) + 2 * corner * size, step, one)
        for i in range(0 if begin else n):
            real, imaginary = row_at(like, one + i * line, count), row_at(like, one + plane + i * line, count)
            if kind == REAL:
                row = part_of(x, corner + i * after, count)
                for j in range(count):
                    real[j] = row[j]
                    imaginary[j] = 0
            else:
                split(part_of(x, 2 * (corner + i * after), 2 * count), real, imaginary)
        at = all_passes(passes[begin:end], factors, back, own, 1, plane, one, other)
        if paired:
            ended(passes, factor, back, own, 1, plane, at, address(out) + 2 * corner * size, step)
        for i in range(0 if paired else n):
            real, imaginary = row_at(like, at + i * line, count), row_at(like, at + plane + i * line, count)
            join(real, imaginary, factor, part_of(out, 2 * (corner + i * after), 2 * count))


@jit
def own_block(k: int, blocks: int, block: int, own: int, after: int) -> int:
    """The number of the first block of `own` columns in block number k of a multiple of them."""
    return k // blocks * ((after + own - 1) // own) + k % blocks * (block // own)


@jit
def rows_of_steps(steps: Array) -> Array:
    like = steps.dtype.type(0)
    return matrix_at(like, address(steps), steps.size // 4, 4, 4 * item_size(like))


@jit
def mirror_rows(half: Array, out: Array, partners: Array, n: int, conjugate: int, first: int, last: int) -> None:
    """Rows of 2 n numbers of a symmetric spectrum, from rows of n + 1 and the partner's; without these their own."""
    sign = half.dtype.type(-1 if conjugate else 1)
    for r in range(first, last):
        row, opposite = part_of(half, r * (2 * n + 2), 2 * n + 2), partners[r] if partners.size else r
        other = part_of(half, opposite * (2 * n + 2), 2 * n + 2)
        mirror_row(row, other, n, sign, part_of(out, r * 4 * n, 4 * n))


@jit
def mirror_row(row: Array, other: Array, n: int, sign: float, to: Array) -> None:
    """A row of n + 1 numbers and, behind it, conjugates from the end of another one."""
    for k in range(n + 1):
        to[2 * k] = row[2 * k]
        to[2 * k + 1] = row[2 * k + 1] * sign
    for k in range(1, n):
        to[4 * n - 2 * k] = other[2 * k]
        to[4 * n - 2 * k + 1] = -other[2 * k + 1] * sign
