"""Calling the kernels of element-wise ops: what is prepared in a frame of words, and the call."""

from __future__ import annotations

from ..kernels.compile.argument_buffer import call_arrays, put_number
from ..kernels.llvm.memory import bits, load, native, store
from ..pool.claims import share
from ..pool.layout import FLAT, SLICE
from . import c_functions as c
from .layout import NUMBER, TYPE
from .objects import the
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
def run_kernel(kernel, arrays, size, words):
    """Run a kernel on what is in the frame, of which the caller owns the arrays: other threads may run meanwhile."""
    if size < LONG:
        call_arrays(kernel, arrays, size, words)
        return
    job = job_for(size, words)
    state = c.let_others_run()
    if job == 0:
        call_arrays(kernel, arrays, size, words)
    else:
        share(job, FLAT, kernel, arrays, size, SLICE, words, 0)
    c.go_on(state)


@native
def found_kernel(table, number, resolver, words):
    """The address of kernel `number` of a table; asked of `resolver` where it is not there yet, 0 where that fails."""
    if load(table, 8 * number) == 0:
        wanted = c.integer(number)
        if wanted == 0:
            return 0
        store(words, 0, wanted)
        c.drop(c.call(resolver, words, 1, 0))
        c.drop(wanted)
    return load(table, 8 * number)
