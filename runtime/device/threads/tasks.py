"""Running one part of a job, by its kind; what a part raises is raised by the thread that has the job, at the end."""

from __future__ import annotations

from ...compiler.language.call_abi import (
    MAX_INTS,
    MAX_NUMBERS,
    CallFrame,
    CallSlots,
    Constants,
    FlatArray,
    call_any,
    write_array_slots,
)
from ...compiler.language.functions import Half, address_of, cast, external, native, new
from ...compiler.language.structs import Atomic, Struct, length
from .job import DONE, FAILED, FLAT, RANGE, ROWS, STEP, Job, Request
from .pack import StridedOperand
from .scheduler import await_all, claim, compare_and_swap, finish, first_of, in_turn, post, read, release, write
from .strided_loop import RowOperands, run_rows
from .sweep import run_flat


@native
def run_part(job: Job, claimed: int) -> None:
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
    frame, separate = cast(CallFrame, job.frame), cast(StridedOperand, job.more)
    run_flat(job.kernel, job.arrays, first_of(job, part), first_of(job, part + 1), frame, separate)
    finish(job)


@native
def run_rows_part(job: Job, part: int) -> None:
    # A frame for each part: `run_rows` writes every row's addresses into it, and threads run parts at the same time.
    value, frame = cast(CallFrame, job.frame), new(CallFrame)
    for i in range(MAX_NUMBERS):
        frame.numbers[i] = value.numbers[i]
    run_rows(job.kernel, cast(RowOperands, job.more), frame, first_of(job, part), first_of(job, part + 1))
    finish(job)


@native
def run_step_part(job: Job, part: int) -> None:
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


call_object = external("PyObject_Call", int, int, int, int)
tuple_item = external("PyTuple_GetItem", int, int, int)  # a borrowed reference
release_reference = external("Py_DecRef", None, int)
fetch_error = external("PyErr_Fetch", None, int, int, int)
restore_error = external("PyErr_Restore", None, int, int, int)
clear_error = external("PyErr_Clear", None)
acquire_gil_of_worker = external("PyGILState_Ensure", Half)
release_gil_of_worker = external("PyGILState_Release", None, Half)
release_gil = external("PyEval_SaveThread", int)
acquire_gil = external("PyEval_RestoreThread", None, int)


class Failure(Struct):
    """Whether a part raised, and then the three references that PyErr_Fetch gives, which are owned."""

    set: Atomic
    type: int
    value: int
    traceback: int


@native
def call_part(function: int, calls: int, part: int, failure: Failure) -> None:
    if read(failure.set) != 0:
        return
    result = call_object(function, tuple_item(calls, part), 0)
    if result != 0:
        release_reference(result)
    elif compare_and_swap(failure.set, 0, 1):
        error = address_of(failure)
        fetch_error(error + 8, error + 16, error + 24)
    else:
        clear_error()  # the first error is the one that is raised


@native
def run_worker_part(job: Job, part: int) -> None:
    state = acquire_gil_of_worker()
    call_part(job.kernel, job.frame, part, cast(Failure, job.more))
    finish(job)
    release_gil_of_worker(state)


@native
def run_python(job: Job, request: Request) -> int:
    """Run the job, in the thread that has it and holds the GIL; DONE, or FAILED with an error set."""
    failure, forks = new(Failure), read(job.forks)
    function, calls = request.kernel, request.frame
    write(failure.set, 0)
    job.more = address_of(failure)
    post(job)
    part = 0
    while part >= 0:
        call_part(function, calls, part, failure)
        part = go_on_with(job, forks)
    if read(job.forks) == forks:
        # Workers need the GIL to end their parts: who waited with it would wait for ever.
        state = release_gil()
        await_all(job)
        acquire_gil(state)
        release(job)
    else:
        # A part forked, and this is the child, which has no workers: parts that they had begun end in the parent alone,
        # so all parts run here. There is nothing to release: `forget` did.
        for i in range(request.parts):
            call_part(function, calls, i, failure)
    if read(failure.set) == 0:
        return DONE
    restore_error(failure.type, failure.value, failure.traceback)
    return FAILED


@native
def go_on_with(job: Job, forks: int) -> int:
    if read(job.forks) != forks:
        return -1
    finish(job)
    return claim(job, True)
