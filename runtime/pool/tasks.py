"""Running one part of a job, by its kind."""

from __future__ import annotations

from ..kernels.llvm.native_code.kernel_calls import (
    MAX_INTS,
    MAX_NUMBERS,
    CallFrame,
    CallSlots,
    Constants,
    FlatArray,
    call_any,
    write_array_slots,
)
from ..kernels.llvm.native_code.structs import length
from ..kernels.llvm.native_code.typed import address_of, cast, native, new
from .atomics import write
from .layout import FLAT, RANGE, ROWS, STEP, Job, Request
from .packing import StridedOperand
from .rows import RowOperands, run_rows
from .scheduler import finish, first_of, in_turn
from .turning import run_flat


@native
def run_part(job: Job, claimed: int) -> None:
    """Run a part of a job, by its kind."""
    kind, part = job.kind, in_turn(job, claimed)
    if kind == FLAT:
        run_flat_part(job, part)
    elif kind == ROWS:
        run_rows_part(job, part)
    elif kind == STEP:
        run_step_part(job, part)
    else:
        run_call_part(job, part, kind)


@native
def run_flat_part(job: Job, part: int) -> None:
    """Run the kernel on a part of each array."""
    frame, separate = cast(CallFrame, job.frame), cast(StridedOperand, job.more)
    run_flat(job.kernel, job.arrays, first_of(job, part), first_of(job, part + 1), frame, separate)
    finish(job)


@native
def run_rows_part(job: Job, part: int) -> None:
    """Run a part of the rows."""
    # A frame for each part: `run_rows` writes every row's addresses into it, and threads run parts at the same time.
    value, frame = cast(CallFrame, job.frame), new(CallFrame)
    for i in range(MAX_NUMBERS):
        frame.numbers[i] = value.numbers[i]
    run_rows(job.kernel, cast(RowOperands, job.more), frame, first_of(job, part), first_of(job, part + 1))
    finish(job)


@native
def run_step_part(job: Job, part: int) -> None:
    """The call for a part of the rows."""
    frame, constants, call = cast(CallFrame, job.frame), cast(Constants, job.more), new(CallSlots)
    for i in range(job.arrays):
        write_array_slots(call.arrays[i], frame.memory[i], frame.itemsize[i], frame.size[i])
    behind = job.arrays * ARRAY_SLOTS
    for i in range(MAX_INTS):
        call.integers[behind + i] = constants.ints[i]
    call.integers[behind + job.position] = first_of(job, part)
    call.integers[behind + job.position + 1] = first_of(job, part + 1)
    if call_any(job.kernel, call, constants.numbers) != 0:
        write(job.failed, 1)
    finish(job)


@native
def run_call_part(job: Job, part: int, kind: int) -> None:
    """Call a kernel for a part of the range that its last two integers are, or for slices of its flat arrays."""
    request, call, position = cast(Request, job.more), new(CallSlots), job.position
    first, last = first_of(job, part), first_of(job, part + 1)
    for i in range(position):
        call.integers[i] = request.integers[i]
    if kind == RANGE:
        call.integers[position] = first
        call.integers[position + 1] = last
    for i in range(job.arrays):
        # The words were copied above: each thread moves its own copy to its slice.
        array = cast(FlatArray, address_of(call.integers) + 8 * request.sliced[i])
        array.size = last - first
        array.memory = array.memory + first * array.itemsize
        array.shape = last - first
    if call_any(job.kernel, call, request.numbers) != 0:
        write(job.failed, 1)
    finish(job)


ARRAY_SLOTS = length(FlatArray)
