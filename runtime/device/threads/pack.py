"""Elements of strided tensors are packed side by side, or unpacked: row by row, or by squares where rows are columns.
Where much is packed the kernel takes it block by block from the memory of its result: see `run_flat` of turning.py."""

from __future__ import annotations

from ...compiler.language.call_abi import MAX_NUMBERS, CallFrame, RowCall, Walk, call_rows
from ...compiler.language.functions import address_of, external, native, new
from ...compiler.language.memory import (
    BYTES,
    load,
    load_eighth,
    load_half,
    load_quarter,
    store,
    store_eighth,
    store_half,
    store_quarter,
    transpose_slots,
    turn_halves,
)
from ...compiler.language.structs import Items, Struct, capacity
from .scheduler import smaller

MAX_DIMS = 8
LINE = 64  # bytes of a row that are read at a time, as wide as memory is
SHORT = 8  # elements: rows of fewer are moved column by column
BLOCK = 1 << 12  # elements that are packed before a kernel goes on with them
SQUARES = 1 << 15  # of whole rows of squares, about

copy_memory = external("memcpy", int, int, int, int)


class StridedOperand(Struct):
    """Where the elements of a tensor lie: loops from the last dimension to the first, which step through bytes."""

    memory: int  # of the first element
    count: int
    itemsize: int
    loops: int
    written: int  # whether results are put back there, block by block
    row_entry: int  # the address of a kernel's entry for rows, which goes through them as they lie; else 0
    sizes: Items[int] = capacity(MAX_DIMS)
    steps: Items[int] = capacity(MAX_DIMS)


class TileWalk(Struct):
    """How often each loop has gone round."""

    items: Items[int] = capacity(MAX_DIMS)


@native
def put_walk(strided: Walk, start: int, step: int) -> None:
    strided.start = start
    strided.step = step


@native
def begin_strided(strided: StridedOperand, written: int) -> None:
    strided.written = written
    strided.row_entry = 0


@native
def add_loop(strided: StridedOperand, extent: int, step: int) -> None:
    last = strided.loops - 1
    if strided.loops and step == strided.sizes[last] * strided.steps[last]:
        strided.sizes[last] *= extent
    else:
        strided.sizes[strided.loops] = extent
        strided.steps[strided.loops] = step
        strided.loops += 1


@native
def move_row(to: int, to_step: int, source: int, step: int, count: int, width: int) -> None:
    if step == width and to_step == width:
        copy_memory(to, source, count * width)
    elif width == 4:
        for i in range(count):
            store_half(to + i * to_step, load_half(source + i * step))
    elif width == 8:
        for i in range(count):
            store(to + i * to_step, 0, load(source + i * step, 0))
    elif width == 2:
        for i in range(count):
            store_quarter(to + i * to_step, load_quarter(source + i * step))
    else:
        for i in range(count):
            store_eighth(to + i * to_step, load_eighth(source + i * step))


@native
def move_transposed(to: int, to_row: int, source: int, row: int, rows: int, count: int, width: int) -> None:
    """Copy rows of elements that are columns, square by square, the last ones overlapping."""
    side, tile_rows, start = BYTES // width, LINE // width, 0
    while start < rows:
        stop, column = smaller(start + tile_rows, rows), 0
        while column < count:
            j, each = smaller(column, count - side), start
            while each < stop:
                i = smaller(each, rows - side)
                there, here = to + i * to_row + j * width, source + j * row + i * width
                if width == 4:
                    turn_halves(there, to_row, here, row)
                else:
                    transpose_slots(there, to_row, here, row)
                each += side
            column += side
        start += tile_rows


@native
def are_columns(strided: StridedOperand) -> bool:
    width = strided.itemsize
    if strided.loops < 2 or (width != 4 and width != 8):
        return False
    is_narrow = smaller(strided.sizes[0], strided.sizes[1]) < BYTES // width
    return not is_narrow and strided.steps[1] == width and strided.steps[0] > width


@native
def turn_to(strided: StridedOperand, row: int, tiles: TileWalk) -> int:
    position = strided.memory
    for i in range(1, strided.loops):
        tiles.items[i] = row % strided.sizes[i]
        row = row // strided.sizes[i]
        position += tiles.items[i] * strided.steps[i]
    return position


@native
def go_on(strided: StridedOperand, rows: int, tiles: TileWalk, position: int) -> int:
    """Go on by some rows, no more than are left of the loop around them; gives where the next one begins."""
    if strided.loops < 2:
        return position
    tiles.items[1] += rows
    position += rows * strided.steps[1]
    loop = 1
    while tiles.items[loop] == strided.sizes[loop]:
        tiles.items[loop] = 0
        position -= strided.steps[loop] * strided.sizes[loop]
        loop += 1
        if loop == strided.loops:
            break
        tiles.items[loop] += 1
        position += strided.steps[loop]
    return position


@native
def have_company(strided: StridedOperand) -> bool:
    return are_columns(strided) or (strided.loops > 1 and strided.sizes[0] < SHORT)


@native
def tile_row_count(strided: StridedOperand, tiles: TileWalk, elements: int) -> int:
    """How many rows are moved together, of so many elements at most; 0 for too few for a square."""
    rows = smaller(strided.sizes[1] - tiles.items[1], elements // strided.sizes[0])
    return 0 if rows < BYTES // strided.itemsize and are_columns(strided) else rows


@native
def move_rows(strided: StridedOperand, memory: int, position: int, rows: int, back: bool) -> None:
    extent, step, width = strided.sizes[0], strided.steps[0], strided.itemsize
    row = extent * width
    if are_columns(strided) and back:
        move_transposed(position, step, memory, row, extent, rows, width)
    elif are_columns(strided):
        move_transposed(memory, row, position, step, rows, extent, width)
    else:
        for column in range(extent):
            there, here = memory + column * width, position + column * step
            if back:
                move_row(here, strided.steps[1], there, row, rows, width)
            else:
                move_row(there, row, here, strided.steps[1], rows, width)


@native
def move_part(strided: StridedOperand, memory: int, first: int, last: int, back: bool) -> None:
    """Copy a range of the elements, in the order of the tensor, to where they lie side by side, or `back`."""
    tiles, width = new(TileWalk), strided.itemsize
    extent, step = strided.sizes[0] if strided.loops else 1, strided.steps[0] if strided.loops else 0
    position, column, company = turn_to(strided, first // extent, tiles), first % extent, have_company(strided)
    while first < last:
        rows = tile_row_count(strided, tiles, last - first) if company and column == 0 else 0
        count = rows * extent if rows else smaller(extent - column, last - first)
        if rows:
            move_rows(strided, memory, position, rows, back)
        elif back:
            move_row(position + column * step, step, memory, width, count, width)
        else:
            move_row(memory, width, position + column * step, step, count, width)
        position = go_on(strided, rows if rows else 1, tiles, position)
        memory += count * width
        first += count
        column = 0


@native
def pack(strided: StridedOperand, memory: int) -> None:
    move_part(strided, memory, 0, strided.count, False)


@native
def unpack(strided: StridedOperand, memory: int) -> None:
    move_part(strided, memory, 0, strided.count, True)


@native
def end_of_block(strided: StridedOperand, first: int) -> int:
    block = BLOCK
    if are_columns(strided):
        line = LINE // strided.itemsize
        rows = SQUARES // strided.sizes[0] // line * line
        block = strided.sizes[0] * (rows if rows else line)
    return (first // block + 1) * block


@native
def are_rows(strided: StridedOperand) -> bool:
    return strided.loops > 0 and strided.steps[0] == strided.itemsize


@native
def run_strided_rows(strided: StridedOperand, frame: CallFrame, first: int, last: int) -> None:
    """Call the entry for rows for a range of the first array's elements; the second has no gaps."""
    tiles, call, extent, itemsize = new(TileWalk), new(RowCall), strided.sizes[0], frame.itemsize[1]
    position, column = turn_to(strided, first // extent, tiles), first % extent
    for i in range(MAX_NUMBERS):
        put_walk(call.numbers[i], address_of(frame.numbers) + 8 * i, 0)
    while first < last:
        call.size, call.rows = smaller(extent - column, last - first), 1
        if column == 0 and call.size == extent and strided.loops > 1:
            call.rows = smaller(strided.sizes[1] - tiles.items[1], (last - first) // extent)
        put_walk(call.arrays[0], position + column * strided.itemsize, strided.steps[1])
        put_walk(call.arrays[1], frame.memory[1] + first * itemsize, extent * itemsize)
        call_rows(strided.row_entry, call)
        position, first, column = go_on(strided, call.rows, tiles, position), first + call.size * call.rows, 0
