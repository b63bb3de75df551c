"""A kernel on rows of operands that broadcast or lie apart in memory: see runtime/kernels/rows.py."""

from __future__ import annotations

from ..kernels.llvm.native_code.element_kinds import INTEGERS, number_at
from ..kernels.llvm.native_code.kernel_calls import CallFrame, call_elementwise, put_array
from ..kernels.llvm.native_code.memory import load, load_eighth, load_half, load_quarter, store, store_eighth
from ..kernels.llvm.native_code.structs import Items, Struct, room
from ..kernels.llvm.native_code.typed import address_of, native, new
from .scheduler import smaller

MOST_SPREAD = 512  # elements of a row for which one int64 stands
TILE = 4096  # bytes of short rows that are computed at once
SHORT = 8  # such rows find room at least
MOVED = 128  # bytes of a row that is brought to others sooner than the kernel is called for it alone
FEW = 64  # rows for which it is not worth while
FOLLOWING, SAME, NUMBERS, APART = range(4)  # how rows of an operand lie: `lie`


class Steps(Struct):
    """From row to row of an operand or of the result, in elements."""

    outer: int
    inner: int


class Rows(Struct):
    """The steps by which two operands and a result are read and written row by row."""

    outer: int
    inner: int
    size: int  # elements of a row
    elements: int  # of the result
    repeated: int  # 0, or 1 + the number of the operand that gives one number a row
    reach: Items[int] = room(2)  # elements from the first to the last that is read of either operand, plus one
    steps: Items[Steps] = room(3)


class RowOperands(Struct):
    """Where the two operands and the result lie."""

    memory: Items[int] = room(3)
    itemsize: Items[int] = room(3)
    kind: int  # of the operands
    single: int  # whether there is but one operand, which stands in both places
    rows: Rows


class Spread(Struct):
    """One number as often as a row has elements."""

    items: Items[int] = room(MOST_SPREAD)


class Tiles(Struct):
    """Rows of two operands, of each as many as are computed at once, and a word that the last one may write behind."""

    words: Items[int] = room(2 * (TILE // 8 + 1))


@native
def lie(operands: RowOperands, k: int) -> int:
    """How the rows of an operand lie: one behind the other, all in one place, as a number each, or apart."""
    if operands.rows.repeated == k + 1:
        return NUMBERS
    step = operands.rows.steps[k].inner
    return FOLLOWING if step == operands.rows.size else SAME if step == 0 else APART


@native
def rows_of_tile(operands: RowOperands, rows: int) -> int:
    """How many short rows are computed at once, as an operand's are brought together; 0 where each is for itself."""
    found = operands.rows
    first = lie(operands, 0)
    second = first if operands.single else lie(operands, 1)
    row_bytes = found.size * operands.itemsize[0]
    if rows < FEW or row_bytes * SHORT > TILE or found.steps[2].inner != found.size:
        return 0
    if (first > SAME or second > SAME) and row_bytes > MOVED or (first == APART or second == APART) and row_bytes < 8:
        return 0
    return 0 if first == FOLLOWING and second == FOLLOWING else smaller(TILE // row_bytes, smaller(found.inner, rows))


@native
def fill_same(place: int, memory: int, row_bytes: int, wanted: int) -> None:
    """Bring a row to a place again and again, until so many bytes are there."""
    for i in range(row_bytes):
        store_eighth(place + i, load_eighth(memory + i))
    done = row_bytes
    while done < wanted:
        step = smaller(done, wanted - done)  # what is there is written behind itself: twice as much each time
        i = 0
        while i + 8 <= step:
            store(place, done + i, load(place, i))
            i += 8
        while i < step:
            store_eighth(place + done + i, load_eighth(place + i))
            i += 1
        done += step


@native
def word_of(memory: int, itemsize: int) -> int:
    """A word of equal elements."""
    if itemsize == 8:
        return load(memory, 0)
    word = load_half(memory) if itemsize == 4 else load_quarter(memory) * 0x10001
    return word | word << 32


@native
def fill_numbers(place: int, memory: int, step: int, itemsize: int, row_bytes: int, rows: int) -> None:
    """Make rows of equal elements of numbers that lie `step` bytes apart; a row's last word may reach into the next."""
    for _ in range(rows):
        word = word_of(memory, itemsize)
        for i in range((row_bytes + 7) // 8):
            store(place, 8 * i, word)
        place, memory = place + row_bytes, memory + step


@native
def spread(row: Spread, memory: int, itemsize: int, size: int) -> int:
    """The address of a row that has the number at another address everywhere."""
    fill_numbers(address_of(row), memory, 0, itemsize, size * itemsize, 1)
    return address_of(row)


@native
def fill_apart(place: int, memory: int, step: int, row_bytes: int, rows: int) -> None:
    """Bring rows of at least eight bytes together that lie `step` bytes apart."""
    for _ in range(rows):
        for i in range(row_bytes // 8):
            store(place, 8 * i, load(memory, 8 * i))
        store(place, row_bytes - 8, load(memory, row_bytes - 8))  # some of it has been written before
        place, memory = place + row_bytes, memory + step


@native
def outer_step(operands: RowOperands, k: int) -> int:
    """Bytes from an outer row to the next, of operand `k` or of the result."""
    return operands.rows.steps[k].outer * operands.itemsize[k]


@native
def inner_step(operands: RowOperands, k: int) -> int:
    """Bytes from an inner row to the next."""
    return operands.rows.steps[k].inner * operands.itemsize[k]


@native
def brought(tiles: Tiles, operands: RowOperands, k: int, q: int, r: int, rows: int, same: int) -> int:
    """Where rows of an operand lie one behind the other: in its memory, or in a tile, which is filled with them.

    `same`: with so many where they all are the same, 0 where these are there."""
    how, itemsize = lie(operands, k), operands.itemsize[k]
    memory = operands.memory[k] + q * outer_step(operands, k) + r * inner_step(operands, k)
    if how == FOLLOWING:
        return memory
    place, row_bytes = address_of(tiles) + k * (TILE + 8), operands.rows.size * itemsize
    if how == NUMBERS:
        fill_numbers(place, memory, inner_step(operands, k), itemsize, row_bytes, rows)
    elif how == APART:
        fill_apart(place, memory, inner_step(operands, k), row_bytes, rows)
    elif same:
        fill_same(place, memory, row_bytes, same * row_bytes)
    return place


@native
def run_tiled(kernel: int, operands: RowOperands, frame: CallFrame, first: int, last: int, together: int) -> None:
    """`run_rows` where so many rows are computed at once."""
    tiles, found = new(Tiles), operands.rows
    result, row, known = 1 if operands.single else 2, first, -1
    for k in range(result):
        put_array(frame, k, 0, operands.itemsize[k])
    put_array(frame, result, 0, operands.itemsize[2])
    while row < last:
        q, r = row // found.inner, row % found.inner
        count = smaller(together, smaller(found.inner - r, last - row))
        for k in range(result):
            frame.memory[k] = brought(tiles, operands, k, q, r, count, 0 if q == known else together)
        frame.memory[result] = operands.memory[2] + q * outer_step(operands, 2) + r * inner_step(operands, 2)
        call_elementwise(kernel, result + 1, count * found.size, frame)
        row, known = row + count, q


@native
def spreads(found: Rows, kind: int, itemsize: int) -> bool:
    """Whether the kernel gets a row of equal elements where an operand has one number for each row: where rows are
    short, so that many are computed at once, and of int64, as kernels are given none but in arrays."""
    return found.repeated > 0 and (kind == INTEGERS or found.size * itemsize <= MOVED)


@native
def run_rows(kernel: int, operands: RowOperands, frame: CallFrame, first: int, last: int) -> None:
    """Call the kernel for a range of rows; its numbers stand in the frame already."""
    together = rows_of_tile(operands, smaller(operands.rows.inner, last - first))
    if together:
        run_tiled(kernel, operands, frame, first, last, together)
        return
    alone, inner, size = operands.rows.repeated, operands.rows.inner, operands.rows.size
    repeated, row = 0 if spreads(operands.rows, operands.kind, operands.itemsize[0]) else alone, new(Spread)
    repeated = 2 if operands.single else repeated
    q, r, itemsize = first // inner, first % inner, operands.itemsize[0]
    outer0, outer1, outer2 = outer_step(operands, 0), outer_step(operands, 1), outer_step(operands, 2)
    inner0, inner1, inner2 = inner_step(operands, 0), inner_step(operands, 1), inner_step(operands, 2)
    second, result = 0 if repeated == 1 else 1, 1 if repeated else 2
    # Once for all rows: their addresses alone change.
    put_array(frame, 0, 0, itemsize)
    put_array(frame, second, 0, operands.itemsize[1])
    put_array(frame, result, 0, operands.itemsize[2])
    for _ in range(first, last):
        one = operands.memory[0] + q * outer0 + r * inner0
        two = operands.memory[1] + q * outer1 + r * inner1
        frame.memory[result] = operands.memory[2] + q * outer2 + r * inner2
        if repeated == 0:
            frame.memory[0] = spread(row, one, itemsize, size) if alone == 1 else one
            frame.memory[1] = spread(row, two, itemsize, size) if alone == 2 else two
            call_elementwise(kernel, 3, size, frame)
        else:
            frame.memory[0] = two if repeated == 1 else one
            if not operands.single:
                frame.numbers[0] = number_at(one if repeated == 1 else two, operands.kind)
            call_elementwise(kernel, 2, size, frame)
        r += 1
        if r == inner:
            q, r = q + 1, 0
