"""Jobs whose parts are functions of Python, run from machine code.

What a part raises is kept with the job, and raised by the thread that has it when all have finished what they began.
"""

from __future__ import annotations

from numba import types

from ..kernels.llvm.memory import Word, frame, load, native
from .atomics import read, swap, write
from .claims import await_all, claim, finish, leave, post
from .layout import DONE, FAILED, J, R

call_object = types.ExternalFunction("PyObject_Call", Word(Word, Word, Word))
tuple_item = types.ExternalFunction("PyTuple_GetItem", Word(Word, Word))
drop = types.ExternalFunction("Py_DecRef", types.void(Word))
fetch_error = types.ExternalFunction("PyErr_Fetch", types.void(Word, Word, Word))
restore_error = types.ExternalFunction("PyErr_Restore", types.void(Word, Word, Word))
clear_error = types.ExternalFunction("PyErr_Clear", types.void())
have_interpreter = types.ExternalFunction("PyGILState_Ensure", types.int32())
leave_interpreter = types.ExternalFunction("PyGILState_Release", types.void(types.int32))
let_others_run = types.ExternalFunction("PyEval_SaveThread", Word())
go_on = types.ExternalFunction("PyEval_RestoreThread", types.void(Word))

FAILURE = 4  # words: whether there is one, and then what PyErr_Fetch gives


@native
def call_part(function, calls, part, failure):
    """Call the function for a part, unless another part failed."""
    if read(failure, 0) != 0:
        return
    result = call_object(function, tuple_item(calls, part), 0)
    if result != 0:
        drop(result)
    elif swap(failure, 0, 0, 1):
        fetch_error(failure + 8, failure + 16, failure + 24)
    else:
        clear_error()


@native
def run_worker_part(job, part):
    """Run a part in a thread that has not got the interpreter."""
    state = have_interpreter()
    call_part(load(job, J.kernel), load(job, J.words), part, load(job, J.more))
    finish(job)
    leave_interpreter(state)


@native
def run_python(job, request):
    """Run the job, in the thread that has it and the interpreter; DONE, or FAILED with an error set."""
    failure, forks = frame(FAILURE), read(job, J.forks)
    function, calls = load(request, R.kernel), load(request, R.words)
    write(failure, 0, 0)
    write(job, J.more, failure)
    post(job)
    part = claim(job, True)
    while part >= 0:
        call_part(function, calls, part, failure)
        part = go_on_with(job, forks)
    if read(job, J.forks) == forks:
        state = let_others_run()
        await_all(job)
        go_on(state)
        leave(job)
    else:
        for i in range(load(request, R.parts)):
            call_part(function, calls, i, failure)
    if read(failure, 0) == 0:
        return DONE
    restore_error(load(failure, 8), load(failure, 16), load(failure, 24))
    return FAILED


@native
def go_on_with(job, forks):
    """The next part; none where the last one forked, and this is the new process, in which nobody else runs parts."""
    if read(job, J.forks) != forks:
        return -1
    finish(job)
    return claim(job, True)
