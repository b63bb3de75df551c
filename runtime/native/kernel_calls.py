"""Calling the kernels of element-wise ops: what is prepared in a frame of words, and the call."""

from __future__ import annotations

from ..kernels.frames import call_arrays, put_number
from ..kernels.jobs.claims import share
from ..kernels.jobs.layout import FLAT, SLICE
from ..kernels.words import FIRST_OWNER, bits, load, native, store
from . import c_functions as c
from .layout import NUMBER, TYPE
from .objects import hold, the
from .sharing import job_for
from .world import W

LONG = 4096  # elements from which other threads may run meanwhile, which costs 0.1 us


@native
def put_object(words, index, number):
    """The same for a Python float or int; False for anything else, and for ints beyond all floats."""
    kind = load(number, TYPE)
    if kind == the(W.number):
        put_number(words, index, load(number, NUMBER))
        return True
    if kind != the(W.integer):
        return False
    value = c.as_double(number)
    if value == -1.0 and c.error_set() != 0:
        c.clear_error()
        return False
    put_number(words, index, bits(value))
    return True


@native
def let_others_run(words, arrays):
    """Let other threads run until `go_on`; they may drop what owns an array, so it is held."""
    for i in range(arrays):
        hold(load(words, 8 * (FIRST_OWNER + i)))
    return c.let_others_run()


@native
def go_on(state, words, arrays):
    """Be the only thread that runs again."""
    c.go_on(state)
    for i in range(arrays):
        c.drop(load(words, 8 * (FIRST_OWNER + i)))


@native
def run_kernel(kernel, arrays, size, words):
    """Run a kernel on what is in the frame."""
    if size < LONG:
        call_arrays(kernel, arrays, size, words)
        return
    job = job_for(size, words)
    state = let_others_run(words, arrays)
    if job == 0:
        call_arrays(kernel, arrays, size, words)
    else:
        share(job, FLAT, kernel, arrays, size, SLICE, words, 0)
    go_on(state, words, arrays)


@native
def found_kernel(table, number, resolver, words):
    """The address of kernel `number` of a table; asked of `resolver` where it is not there yet, 0 where that fails."""
    if load(table, 8 * number) == 0:
        wanted = c.integer(number)
        store(words, 0, wanted)
        c.drop(c.call(resolver, words, 1, 0))
        c.drop(wanted)
    return load(table, 8 * number)
