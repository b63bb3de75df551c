"""Calling the kernels of element-wise ops: what is prepared in a frame of words, and the call."""

from __future__ import annotations

from ..kernels.job import CALL_INTEGERS, FLAT, J
from . import c_functions as c
from .jobs import finish, first_of, job_for, share
from .layout import NUMBER, TYPE
from .objects import hold, the
from .words import FIRST_OWNER, MOST_ARRAYS, bits, call_any, call_kernel, frame, load, native, store
from .world import W

ARRAY_WORDS = 7
FIRST_NUMBER = 8 * 2 * MOST_ARRAYS
UNIT = 1024  # parts begin at multiples of it: so each has whole vectors and, but for the last, nothing else
LONG = 4096  # elements from which other threads may run meanwhile, which costs 0.1 us


@native
def put_array(words, index, memory, itemsize, owner):
    """Make an array the kernel's argument number `index`; `owner` is the object that its memory lives as long as."""
    store(words, 8 * index, memory)
    store(words, 8 * (MOST_ARRAYS + index), itemsize)
    store(words, 8 * (FIRST_OWNER + index), owner)


@native
def put_number(words, index, word):
    """Make a number the kernel's number `index`."""
    store(words, 8 * (2 * MOST_ARRAYS + index), word)


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
        share(job, FLAT, kernel, arrays, size, UNIT, words, 0)
    go_on(state, words, arrays)


@native
def run_flat_part(job, part):
    """Run the kernel on a part of each array."""
    arrays, words, integers = load(job, J.arrays), load(job, J.words), frame(CALL_INTEGERS)
    first, last = first_of(job, part), first_of(job, part + 1)
    for i in range(arrays):
        size = load(words, 8 * (MOST_ARRAYS + i))
        lay_array(integers, i, load(words, 8 * i) + first * size, size, last - first)
    call_any(load(job, J.kernel), integers, words + FIRST_NUMBER)
    finish(job)


@native
def lay_array(integers, index, memory, itemsize, size):
    """Write a flat array as numba passes it."""
    place = integers + 8 * ARRAY_WORDS * index
    store(place, 0, 0)
    store(place, 8, 0)
    store(place, 16, size)
    store(place, 24, itemsize)
    store(place, 32, memory)
    store(place, 40, size)
    store(place, 48, itemsize)


@native
def call_arrays(kernel, arrays, size, words):
    """The call, by the number of arrays."""
    if arrays == 2:
        call_kernel(kernel, 2, size, words)
    elif arrays == 3:
        call_kernel(kernel, 3, size, words)
    elif arrays == 4:
        call_kernel(kernel, 4, size, words)
    elif arrays == 5:
        call_kernel(kernel, 5, size, words)
    else:
        call_kernel(kernel, 6, size, words)


@native
def found_kernel(table, number, resolver, words):
    """The address of kernel `number` of a table; asked of `resolver` where it is not there yet, 0 where that fails."""
    if load(table, 8 * number) == 0:
        wanted = c.integer(number)
        store(words, 0, wanted)
        c.drop(c.call(resolver, words, 1, 0))
        c.drop(wanted)
    return load(table, 8 * number)
