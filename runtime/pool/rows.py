"""A kernel on rows of operands that broadcast or lie apart in memory: see runtime/kernels/rows.py."""

from __future__ import annotations

from ..kernels.llvm.element_kinds import INTEGERS, number_at
from ..kernels.llvm.kernel_calls import CallFrame, call_elementwise, put_array
from ..kernels.llvm.memory import load, load_eighth, store, store_eighth
from ..kernels.llvm.structs import Items, Struct, room
from ..kernels.llvm.typed import address_of, native, new
from .scheduler import smaller

MOST_SPREAD = 512  # elements of a row for which one int64 stands
TILE = 4096  # bytes of a short row that every row has anew, as often as it has room
SHORT = 8  # such rows find room at least
FEW = 64  # rows for which it is not worth while


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
    """One int64 as often as a row has elements: kernels are given no int64 but in arrays."""

    items: Items[int] = room(MOST_SPREAD)


@native
def spread(row: Spread, memory: int, size: int) -> int:
    """The address of a row that has the int64 at another address everywhere."""
    value, place = load(memory, 0), address_of(row)
    for i in range(size):
        store(place, 8 * i, value)
    return place


class Tile(Struct):
    """A row, again and again."""

    words: Items[int] = room(TILE // 8)


@native
def tiled_operand(operands: RowOperands, rows: int) -> int:
    """1 + the number of the operand of which so many rows are one and the same, a short one, while all others follow
    one another in memory; else 0."""
    found = operands.rows
    if found.repeated or operands.single or rows < FEW or found.size * operands.itemsize[0] * SHORT > TILE:
        return 0
    if found.steps[2].inner != found.size:
        return 0
    if found.steps[0].inner == 0 and found.steps[1].inner == found.size:
        return 1
    return 2 if found.steps[1].inner == 0 and found.steps[0].inner == found.size else 0


@native
def fill_tile(tile: Tile, memory: int, row_bytes: int, wanted: int) -> None:
    """Bring a row into a tile until so many bytes are there."""
    place = address_of(tile)
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
def outer_step(operands: RowOperands, k: int) -> int:
    """Bytes from an outer row to the next, of operand `k` or of the result."""
    return operands.rows.steps[k].outer * operands.itemsize[k]


@native
def inner_step(operands: RowOperands, k: int) -> int:
    """Bytes from an inner row to the next."""
    return operands.rows.steps[k].inner * operands.itemsize[k]


@native
def run_tiled(kernel: int, operands: RowOperands, frame: CallFrame, first: int, last: int, tiled: int) -> None:
    """`run_rows` where all rows of an operand are one: as many at a time as a tile has room for."""
    tile, found = new(Tile), operands.rows
    row_bytes, k, known = found.size * operands.itemsize[0], tiled - 1, -1
    together, row = smaller(TILE // row_bytes, smaller(found.inner, last - first)), first
    for i in range(3):
        put_array(frame, i, 0, operands.itemsize[i])
    while row < last:
        q, r = row // found.inner, row % found.inner
        if q != known:
            fill_tile(tile, operands.memory[k] + q * outer_step(operands, k), row_bytes, together * row_bytes)
            known = q
        count = smaller(together, smaller(found.inner - r, last - row))
        for i in range(3):
            frame.memory[i] = operands.memory[i] + q * outer_step(operands, i) + r * inner_step(operands, i)
        frame.memory[k] = address_of(tile)
        call_elementwise(kernel, 3, count * found.size, frame)
        row += count


@native
def run_rows(kernel: int, operands: RowOperands, frame: CallFrame, first: int, last: int) -> None:
    """Call the kernel for a range of rows; its numbers stand in the frame already."""
    tiled = tiled_operand(operands, smaller(operands.rows.inner, last - first))
    if tiled:
        run_tiled(kernel, operands, frame, first, last, tiled)
        return
    alone, inner, size = operands.rows.repeated, operands.rows.inner, operands.rows.size
    repeated, row = 0 if operands.kind == INTEGERS else alone, new(Spread)
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
            frame.memory[0] = spread(row, one, size) if alone == 1 else one
            frame.memory[1] = spread(row, two, size) if alone == 2 else two
            call_elementwise(kernel, 3, size, frame)
        else:
            frame.memory[0] = two if repeated == 1 else one
            if not operands.single:
                frame.numbers[0] = number_at(one if repeated == 1 else two, operands.kind)
            call_elementwise(kernel, 2, size, frame)
        r += 1
        if r == inner:
            q, r = q + 1, 0
