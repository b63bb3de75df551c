"""Jobs whose parts are functions of Python, run from machine code.

What a part raises is kept with the job, and raised by the thread that has it when all have finished what they began.
"""

from __future__ import annotations

from ..kernels.llvm.native_code.structs import Atomic, Struct
from ..kernels.llvm.native_code.typed import Half, address_of, cast, external, native, new
from .atomics import compare_and_swap, read, write
from .layout import DONE, FAILED, Job, Request
from .scheduler import await_all, claim, finish, post, release

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
    """Call the function for a part, unless another part failed."""
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
    """Run a part in a thread that does not hold the GIL."""
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
    """The next part; none where the last one forked, and this is the new process, in which nobody else runs parts."""
    if read(job.forks) != forks:
        return -1
    finish(job)
    return claim(job, True)
