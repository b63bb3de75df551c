"""Large computations go through memory to and fro: every second one begins with the last part of its arrays, which lies
in the caches still. A part is small beside a cache, and within it addresses grow."""

from __future__ import annotations

from ...compiler.language.call_abi import (
    MAX_INTS,
    MAX_NUMBERS,
    CallFrame,
    Constants,
    call_elementwise,
    call_with_constants,
)
from ...compiler.language.functions import NULL, native, new
from .job import ALTERNATING_ELEMENTS, SECTION, STANDING, Job
from .pack import StridedOperand, end_of_block, move_part, run_strided_rows
from .scheduler import smaller
from .strided_loop import RowOperands, run_rows


@native
def sweep_direction(job: Job) -> int:
    # Threads that compute alone at one time may take the word from each other: both orders are right.
    job.sweep_direction = 1 - job.sweep_direction
    return job.sweep_direction


@native
def run_flat_alone(
    job: Job, kernel: int, arrays: int, elements: int, frame: CallFrame, separate: StridedOperand
) -> None:
    if elements < ALTERNATING_ELEMENTS:
        run_flat(kernel, arrays, 0, elements, frame, separate)
        return
    parts, back = (elements + SECTION - 1) // SECTION, sweep_direction(job)
    for k in range(parts):
        first = (parts - 1 - k if back else k) * SECTION
        run_flat(kernel, arrays, first, smaller(first + SECTION, elements), frame, separate)


@native
def run_flat(kernel: int, arrays: int, first: int, last: int, frame: CallFrame, separate: StridedOperand) -> None:
    """Call a kernel on a range of the elements of what is in the frame. Where the first array stands for as many as
    there are (`itemsize` 0), for as many at a time as it has. An operand that lies apart, NULL for none, has the memory
    of the result: it is brought there block by block, or its rows are read where they lie."""
    if separate is not NULL and separate.row_entry:
        run_strided_rows(separate, frame, first, last)
        return
    moved, tile_rows = new(CallFrame), last - first if frame.itemsize[0] else STANDING
    for i in range(MAX_NUMBERS):
        moved.numbers[i] = frame.numbers[i]
    for i in range(arrays):
        moved.itemsize[i] = frame.itemsize[i]
    while first < last:
        for i in range(arrays):
            moved.memory[i] = frame.memory[i] + first * frame.itemsize[i]
        count = smaller(tile_rows, last - first)
        if separate is not NULL:
            count = smaller(end_of_block(separate, first), last) - first
            move_part(separate, moved.memory[arrays - 1], first, first + count, False)
        call_elementwise(kernel, arrays, count, moved)
        if separate is not NULL and separate.written:
            move_part(separate, moved.memory[arrays - 1], first, first + count, True)
        first += count


@native
def run_rows_alone(job: Job, kernel: int, operands: RowOperands, frame: CallFrame) -> None:
    rows = operands.rows
    count = rows.outer * rows.inner
    if rows.elements < ALTERNATING_ELEMENTS:
        run_rows(kernel, operands, frame, 0, count)
        return
    tile_rows = max(1, SECTION // rows.size)
    parts, back = (count + tile_rows - 1) // tile_rows, sweep_direction(job)
    for k in range(parts):
        first = (parts - 1 - k if back else k) * tile_rows
        run_rows(kernel, operands, frame, first, smaller(first + tile_rows, count))


@native
def run_step_alone(
    job: Job, kernel: int, arrays: int, frame: CallFrame, constants: Constants, position: int, extent: int,
    tile_rows: int,
) -> int:  # fmt: skip
    """The call of a kernel for all of its rows, so many of them at a time; 0 where none raised."""
    moved, parts, failed = new(Constants), (extent + tile_rows - 1) // tile_rows, 0
    back = sweep_direction(job)
    for i in range(MAX_INTS):
        moved.ints[i] = constants.ints[i]
    for i in range(MAX_NUMBERS):
        moved.numbers[i] = constants.numbers[i]
    for k in range(parts):
        first = (parts - 1 - k if back else k) * tile_rows
        moved.ints[position] = first
        moved.ints[position + 1] = smaller(first + tile_rows, extent)
        if call_with_constants(kernel, arrays, frame, moved) != 0:
            failed = 1
    return failed
