"""Elements of strided tensors are packed side by side, or unpacked: row by row, or by squares where rows are columns.

Where much is packed the kernel takes it block by block from the memory of its result: see `run_flat` of turning.py.
"""

from __future__ import annotations

from ..kernels.llvm.native_code.kernel_calls import MOST_NUMBERS, CallFrame, RowCall, Walk, call_rows
from ..kernels.llvm.native_code.memory import (
    load,
    load_eighth,
    load_half,
    load_quarter,
    store,
    store_eighth,
    store_half,
    store_quarter,
)
from ..kernels.llvm.native_code.squares import BYTES, turn_halves, turn_words
from ..kernels.llvm.native_code.structs import Items, Struct, room
from ..kernels.llvm.native_code.typed import address_of, external, native, new
from .scheduler import smaller

MOST_DIMS = 8
LINE = 64  # bytes of a row that are read at a time, as wide as memory is
SHORT = 8  # elements: rows of fewer are moved column by column
BLOCK = 1 << 12  # elements that are packed before a kernel goes on with them
SQUARES = 1 << 15  # of whole rows of squares, about

copy_memory = external("memcpy", int, int, int, int)


class Apart(Struct):
    """Where the elements of a tensor lie: loops from the last dimension to the first, which step through bytes."""

    memory: int  # of the first element
    count: int
    itemsize: int
    loops: int
    written: int  # whether results are put back there, block by block
    row_entry: int  # the address of a kernel's entry for rows, which goes through them as they lie; else 0
    sizes: Items[int] = room(MOST_DIMS)
    steps: Items[int] = room(MOST_DIMS)


class Turns(Struct):
    """How often each loop has gone round."""

    items: Items[int] = room(MOST_DIMS)


@native
def put_walk(places: Walk, start: int, step: int) -> None:
    """Let something begin at an address, and step from row to row."""
    places.start = start
    places.step = step


@native
def begin_apart(places: Apart, written: int) -> None:
    """Begin with a tensor that is packed."""
    places.written = written
    places.row_entry = 0


@native
def add_loop(places: Apart, extent: int, step: int) -> None:
    """Add a loop around the others, by steps in bytes: one with the last where that goes on with it."""
    last = places.loops - 1
    if places.loops and step == places.sizes[last] * places.steps[last]:
        places.sizes[last] *= extent
    else:
        places.sizes[places.loops] = extent
        places.steps[places.loops] = step
        places.loops += 1


@native
def move_row(to: int, to_step: int, source: int, step: int, count: int, width: int) -> None:
    """Copy elements of a width in bytes, from one place after another to one after another."""
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
def move_turned(to: int, to_row: int, source: int, row: int, rows: int, count: int, width: int) -> None:
    """Copy rows of elements that are columns where they come from, square by square; the last ones overlap. There are
    at least as many of both as a square has."""
    side, together, start = BYTES // width, LINE // width, 0
    while start < rows:
        stop, column = smaller(start + together, rows), 0
        while column < count:
            j, each = smaller(column, count - side), start
            while each < stop:
                i = smaller(each, rows - side)
                there, here = to + i * to_row + j * width, source + j * row + i * width
                if width == 4:
                    turn_halves(there, to_row, here, row)
                else:
                    turn_words(there, to_row, here, row)
                each += side
            column += side
        start += together


@native
def are_columns(places: Apart) -> bool:
    """Whether the last two loops of tensors are those of a transposed matrix, which is gone through by squares."""
    width = places.itemsize
    if places.loops < 2 or (width != 4 and width != 8):
        return False
    few = smaller(places.sizes[0], places.sizes[1]) < BYTES // width
    return not few and places.steps[1] == width and places.steps[0] > width


@native
def turn_to(places: Apart, row: int, turns: Turns) -> int:
    """Set the loops around rows to the one with a number; gives where its elements begin."""
    place = places.memory
    for i in range(1, places.loops):
        turns.items[i] = row % places.sizes[i]
        row = row // places.sizes[i]
        place += turns.items[i] * places.steps[i]
    return place


@native
def go_on(places: Apart, rows: int, turns: Turns, place: int) -> int:
    """Go on by some rows, no more than are left of the loop around them; gives where the next one begins."""
    if places.loops < 2:
        return place
    turns.items[1] += rows
    place += rows * places.steps[1]
    loop = 1
    while turns.items[loop] == places.sizes[loop]:
        turns.items[loop] = 0
        place -= places.steps[loop] * places.sizes[loop]
        loop += 1
        if loop == places.loops:
            break
        turns.items[loop] += 1
        place += places.steps[loop]
    return place


@native
def have_company(places: Apart) -> bool:
    """Whether rows are moved together: those of squares, and short ones."""
    return are_columns(places) or (places.loops > 1 and places.sizes[0] < SHORT)


@native
def rows_together(places: Apart, turns: Turns, elements: int) -> int:
    """How many rows are moved together that are left of the loop around them, no more than have so many elements; 0
    where they are too few for a square."""
    rows = smaller(places.sizes[1] - turns.items[1], elements // places.sizes[0])
    return 0 if rows < BYTES // places.itemsize and are_columns(places) else rows


@native
def move_rows(places: Apart, memory: int, place: int, rows: int, back: bool) -> None:
    """Copy some rows together, by squares, or column by column where they are short."""
    extent, step, width = places.sizes[0], places.steps[0], places.itemsize
    row = extent * width
    if are_columns(places) and back:
        move_turned(place, step, memory, row, extent, rows, width)
    elif are_columns(places):
        move_turned(memory, row, place, step, rows, extent, width)
    else:
        for column in range(extent):
            there, here = memory + column * width, place + column * step
            if back:
                move_row(here, places.steps[1], there, row, rows, width)
            else:
                move_row(there, row, here, places.steps[1], rows, width)


@native
def move_part(places: Apart, memory: int, first: int, last: int, back: bool) -> None:
    """Copy a range of the elements, in the order of the tensor, to memory where they lie side by side; or `back` from
    there."""
    turns, width = new(Turns), places.itemsize
    extent, step = places.sizes[0] if places.loops else 1, places.steps[0] if places.loops else 0
    place, column, company = turn_to(places, first // extent, turns), first % extent, have_company(places)
    while first < last:
        rows = rows_together(places, turns, last - first) if company and column == 0 else 0
        count = rows * extent if rows else smaller(extent - column, last - first)
        if rows:
            move_rows(places, memory, place, rows, back)
        elif back:
            move_row(place + column * step, step, memory, width, count, width)
        else:
            move_row(memory, width, place + column * step, step, count, width)
        place = go_on(places, rows if rows else 1, turns, place)
        memory += count * width
        first += count
        column = 0


@native
def pack(places: Apart, memory: int) -> None:
    """Copy all elements to memory where they lie side by side."""
    move_part(places, memory, 0, places.count, False)


@native
def unpack(places: Apart, memory: int) -> None:
    """Copy all elements from there to where those of the tensor lie."""
    move_part(places, memory, 0, places.count, True)


@native
def end_of_block(places: Apart, first: int) -> int:
    """Where the elements end that are packed with the first one, before a kernel goes on with them."""
    block = BLOCK
    if are_columns(places):
        line = LINE // places.itemsize
        rows = SQUARES // places.sizes[0] // line * line
        block = places.sizes[0] * (rows if rows else line)
    return (first // block + 1) * block


@native
def are_rows(places: Apart) -> bool:
    """Whether elements of the innermost loop lie side by side."""
    return places.loops > 0 and places.steps[0] == places.itemsize


@native
def run_rows_apart(places: Apart, frame: CallFrame, first: int, last: int) -> None:
    """Call the kernel's entry for rows for a range of the elements of its first array, which lies so; the second one
    has all elements side by side."""
    turns, call, extent, itemsize = new(Turns), new(RowCall), places.sizes[0], frame.itemsize[1]
    place, column = turn_to(places, first // extent, turns), first % extent
    for i in range(MOST_NUMBERS):
        put_walk(call.numbers[i], address_of(frame.numbers) + 8 * i, 0)
    while first < last:
        call.size, call.rows = smaller(extent - column, last - first), 1
        if column == 0 and call.size == extent and places.loops > 1:
            call.rows = smaller(places.sizes[1] - turns.items[1], (last - first) // extent)
        put_walk(call.arrays[0], place + column * places.itemsize, places.steps[1])
        put_walk(call.arrays[1], frame.memory[1] + first * itemsize, extent * itemsize)
        call_rows(places.row_entry, call)
        place, first, column = go_on(places, call.rows, turns, place), first + call.size * call.rows, 0
