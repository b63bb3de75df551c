"""A kernel on rows of operands that broadcast or lie apart: its entry for rows steps through them, or it is called for
many short ones at once, of which one operand's are brought together."""

from __future__ import annotations

from ...compiler.language.call_abi import MAX_NUMBERS, CallFrame, RowCall, call_elementwise, call_rows, put_array
from ...compiler.language.functions import address_of, native, new
from ...compiler.language.memory import (
    is_float,
    is_half,
    load,
    load_eighth,
    load_half,
    load_quarter,
    number_at,
    store,
    store_eighth,
)
from ...compiler.language.structs import Items, Struct, capacity
from .job import MAX_LOOPS
from .pack import put_walk
from .scheduler import smaller

TILE = 4096  # bytes of short rows that are computed at once, or of numbers that are given for as many
MAX_OUTER_LOOPS = MAX_LOOPS - 1
SHORT = 8  # such rows find room at least
# Bytes of a row that is brought to others sooner than the kernel steps to it: one that computes much, or little.
MOVED, MADE = 128, 32
RESTART_ROWS_THRESHOLD = 64  # rows for which it is not worth while
WIDENED = TILE // 8  # 16-bit floats that are given as numbers at once
FOLLOWING, SAME, NUMBERS, STRIDED = range(4)  # how rows of an operand lie: `lie`


class Steps(Struct):
    """From row to row of an operand or of the result, in elements: by the inner loop, and by those around it."""

    inner: int
    around: Items[int] = capacity(MAX_OUTER_LOOPS)


class Rows(Struct):
    """The steps by which two operands and a result are read and written row by row."""

    around: int  # loops around the inner one, at least one
    outer: int  # how often these go through it
    inner: int
    size: int  # elements of a row
    elements: int  # of the result
    repeated: int  # 0, or 1 + the number of the operand that gives one number a row
    long: int  # whether the op computes much of an element
    read_extent: Items[int] = capacity(
        2
    )  # elements from the first to the last that is read of either operand, plus one
    extents: Items[int] = capacity(MAX_OUTER_LOOPS)  # of the loops around, from the inner one outwards
    steps: Items[Steps] = capacity(3)


class RowOperands(Struct):
    memory: Items[int] = capacity(3)
    itemsize: Items[int] = capacity(3)
    kind: int  # of the operands
    single: int  # whether there is but one operand, which stands in both places
    result: int  # whose steps the result has: its own, 2, or those of the first operand, to which it is written
    entry: int  # the address of the kernel's entry for rows
    rows: Rows


class Tiles(Struct):
    """Rows of two operands, of each as many as are computed at once, and a word that the last one may write behind."""

    slot_values: Items[int] = capacity(2 * (TILE // 8 + 1))


@native
def row_layout(operands: RowOperands, k: int) -> int:
    """How the rows of an operand lie: one behind the other, all in one place, as a number each, or apart."""
    if operands.rows.repeated == k + 1:
        return NUMBERS
    step = operands.rows.steps[k].inner
    return FOLLOWING if step == operands.rows.size else SAME if step == 0 else STRIDED


@native
def max_packed(result: Rows) -> int:
    """How many bytes a row of equal elements has at most that is made sooner than the kernel is given a number."""
    return MOVED if result.long else MADE


@native
def rows_of_tile(operands: RowOperands, rows: int) -> int:
    """How many short rows are computed at once, as an operand's are brought together; 0 where each is for itself."""
    result = operands.rows
    first = row_layout(operands, 0)
    second = first if operands.single else row_layout(operands, 1)
    row_bytes = result.size * operands.itemsize[0]
    if rows < RESTART_ROWS_THRESHOLD or row_bytes * SHORT > TILE or result.steps[operands.result].inner != result.size:
        return 0
    if (first == STRIDED or second == STRIDED) and (not result.long or row_bytes < 8 or row_bytes > MOVED):
        return 0
    if result.repeated and row_bytes > max_packed(result):
        return 0
    return 0 if first == FOLLOWING and second == FOLLOWING else smaller(TILE // row_bytes, smaller(result.inner, rows))


@native
def fill_same(position: int, memory: int, row_bytes: int, requested: int) -> None:
    for i in range(row_bytes):
        store_eighth(position + i, load_eighth(memory + i))
    done = row_bytes
    while done < requested:
        step = smaller(done, requested - done)  # what is there is written behind itself: twice as much each time
        i = 0
        while i + 8 <= step:
            store(position, done + i, load(position, i))
            i += 8
        while i < step:
            store_eighth(position + done + i, load_eighth(position + i))
            i += 1
        done += step


@native
def word_of(memory: int, itemsize: int) -> int:
    if itemsize == 8:
        return load(memory, 0)
    if itemsize == 1:
        half = load_eighth(memory) * 0x1010101
    else:
        half = load_half(memory) if itemsize == 4 else load_quarter(memory) * 0x10001
    return half | half << 32


@native
def fill_numbers(position: int, memory: int, step: int, itemsize: int, row_bytes: int, rows: int) -> None:
    """Make rows of equal elements of numbers that lie `step` bytes apart; a row's last word may reach into the next."""
    for _ in range(rows):
        word = word_of(memory, itemsize)
        for i in range((row_bytes + 7) // 8):
            store(position, 8 * i, word)
        position, memory = position + row_bytes, memory + step


@native
def fill_strided(position: int, memory: int, step: int, row_bytes: int, rows: int) -> None:
    for _ in range(rows):
        for i in range(row_bytes // 8):
            store(position, 8 * i, load(memory, 8 * i))
        store(position, row_bytes - 8, load(memory, row_bytes - 8))  # some of it has been written before
        position, memory = position + row_bytes, memory + step


@native
def steps_of(operands: RowOperands, k: int) -> Steps:
    return operands.rows.steps[operands.result if k == 2 else k]


@native
def begin_of(operands: RowOperands, k: int, q: int) -> int:
    result, position, rest = operands.rows, 0, q
    for i in range(result.around):
        last = i + 1 == result.around  # then there is nothing to divide
        position += (rest if last else rest % result.extents[i]) * steps_of(operands, k).around[i]
        rest = 0 if last else rest // result.extents[i]
    return operands.memory[k] + position * operands.itemsize[k]


@native
def inner_step(operands: RowOperands, k: int) -> int:
    return steps_of(operands, k).inner * operands.itemsize[k]


@native
def brought(tiles: Tiles, operands: RowOperands, k: int, q: int, r: int, rows: int, same: int) -> int:
    """Where rows of an operand lie one behind the other: in its memory, or in a tile that is filled with them."""
    how, itemsize = row_layout(operands, k), operands.itemsize[k]
    memory = begin_of(operands, k, q) + r * inner_step(operands, k)
    if how == FOLLOWING:
        return memory
    position, row_bytes = address_of(tiles) + k * (TILE + 8), operands.rows.size * itemsize
    if how == NUMBERS:
        fill_numbers(position, memory, inner_step(operands, k), itemsize, row_bytes, rows)
    elif how == STRIDED:
        fill_strided(position, memory, inner_step(operands, k), row_bytes, rows)
    elif same:
        fill_same(position, memory, row_bytes, same * row_bytes)
    return position


@native
def run_tiled(kernel: int, operands: RowOperands, frame: CallFrame, first: int, last: int, tile_rows: int) -> None:
    tiles, match = new(Tiles), operands.rows
    result, row, known = 1 if operands.single else 2, first, -1
    for k in range(result):
        put_array(frame, k, 0, operands.itemsize[k])
    put_array(frame, result, 0, operands.itemsize[2])
    while row < last:
        q, r = row // match.inner, row % match.inner
        count = smaller(tile_rows, smaller(match.inner - r, last - row))
        for k in range(result):
            frame.memory[k] = brought(tiles, operands, k, q, r, count, 0 if q == known else tile_rows)
        frame.memory[result] = begin_of(operands, 2, q) + r * inner_step(operands, 2)
        call_elementwise(kernel, result + 1, count * match.size, frame)
        row, known = row + count, q


@native
def spreads(result: Rows, kind: int, itemsize: int) -> bool:
    """Whether one number a row becomes a row of equal elements: where rows are short, and of what are no floats."""
    return result.repeated > 0 and (not is_float(kind) or result.size * itemsize <= max_packed(result))


@native
def tile_row_count(operands: RowOperands, is_broadcast: bool, rows: int) -> int:
    """How many rows a call may have: of those that are made for it as many as there is room for."""
    if is_broadcast:
        return TILE // (operands.rows.size * operands.itemsize[0])
    return WIDENED if operands.rows.repeated and is_half(operands.kind) else rows


@native
def put_operand(
    operands: RowOperands, k: int, is_broadcast: bool, memory: int, rows: int, array: int, tiles: Tiles, call: RowCall
) -> int:
    """Put rows of an operand into a call, as an array or as a number a row; gives how many arrays there are."""
    step, row_bytes = inner_step(operands, k), operands.rows.size * operands.itemsize[k]
    if operands.rows.repeated != k + 1:
        put_walk(call.arrays[array], memory, step)
        return array + 1
    if is_broadcast:
        fill_numbers(address_of(tiles), memory, step, operands.itemsize[k], row_bytes, rows)
        put_walk(call.arrays[array], address_of(tiles), row_bytes)
        return array + 1
    if is_half(operands.kind):
        for i in range(rows):
            store(address_of(tiles), 8 * i, number_at(memory + i * step, operands.kind))
        put_walk(call.numbers[0], address_of(tiles), 8)
    else:
        put_walk(call.numbers[0], memory, step)
    return array


@native
def run_long_rows(operands: RowOperands, frame: CallFrame, first: int, last: int) -> None:
    match, tiles, call, width = operands.rows, new(Tiles), new(RowCall), operands.itemsize[0]
    part, repeated = TILE // width, operands.rows.repeated - 1
    for i in range(MAX_NUMBERS):
        put_walk(call.numbers[i], address_of(frame.numbers) + 8 * i, 0)
    call.rows = 1
    for row in range(first, last):
        q, r, start = row // match.inner, row % match.inner, 0
        number = begin_of(operands, repeated, q) + r * inner_step(operands, repeated)
        fill_numbers(address_of(tiles), number, 0, width, TILE, 1)
        while start < match.size:
            array, call.size = 0, smaller(part, match.size - start)
            for k in range(1 if operands.single else 2):
                position = begin_of(operands, k, q) + r * inner_step(operands, k) + start * width
                put_walk(call.arrays[array], address_of(tiles) if k == repeated else position, 0)
                array += 1
            result = begin_of(operands, 2, q) + r * inner_step(operands, 2) + start * operands.itemsize[2]
            put_walk(call.arrays[array], result, 0)
            call_rows(operands.entry, call)
            start += part


@native
def run_rows(kernel: int, operands: RowOperands, frame: CallFrame, first: int, last: int) -> None:
    result, tiles, call = operands.rows, new(Tiles), new(RowCall)
    tile_rows = rows_of_tile(operands, smaller(result.inner, last - first))
    if tile_rows:
        run_tiled(kernel, operands, frame, first, last, tile_rows)
        return
    is_broadcast = spreads(result, operands.kind, operands.itemsize[0])
    if is_broadcast and result.size * operands.itemsize[0] > TILE:
        run_long_rows(operands, frame, first, last)
        return
    q, r, tile_rows = first // result.inner, first % result.inner, tile_row_count(operands, is_broadcast, last - first)
    for i in range(MAX_NUMBERS):
        put_walk(call.numbers[i], address_of(frame.numbers) + 8 * i, 0)
    call.size = result.size
    while first < last:
        array, rows = 0, smaller(tile_rows, smaller(result.inner - r, last - first))
        for k in range(1 if operands.single else 2):
            memory = begin_of(operands, k, q) + r * inner_step(operands, k)
            array = put_operand(operands, k, is_broadcast, memory, rows, array, tiles, call)
        put_walk(call.arrays[array], begin_of(operands, 2, q) + r * inner_step(operands, 2), inner_step(operands, 2))
        call.rows = rows
        call_rows(operands.entry, call)
        first, r = first + rows, r + rows
        if r == result.inner:
            q, r = q + 1, 0
