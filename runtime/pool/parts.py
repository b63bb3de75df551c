"""Running one part of a job, by its kind."""

from __future__ import annotations

from ..kernels.compile.argument_buffer import (
    ARRAY_ITEMSIZE,
    ARRAY_SHAPE,
    ARRAY_SIZE,
    ARRAY_START,
    ARRAY_WORDS,
    lay_array,
    put_number,
)
from ..kernels.llvm.memory import (
    CALL_WORDS,
    FIRST_SIZE,
    MOST_ARRAYS,
    MOST_INTS,
    MOST_NUMBERS,
    call_any,
    frame,
    load,
    native,
    store,
)
from .atomics import write
from .claims import finish, first_of
from .layout import CALL_INTEGERS, FLAT, RANGE, ROWS, SLICED, STEP, J
from .rows import run_rows

FIRST_NUMBER = 8 * 2 * MOST_ARRAYS  # of a frame


@native
def run_part(job, part):
    """Run a part of a job, by its kind."""
    kind = load(job, J.kind)
    if kind == FLAT:
        run_flat_part(job, part)
    elif kind == ROWS:
        run_rows_part(job, part)
    elif kind == STEP:
        run_step_part(job, part)
    else:
        run_call_part(job, part, kind)


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
def run_rows_part(job, part):
    """Run a part of the rows."""
    memories, given, words = load(job, J.more), load(job, J.words), frame(CALL_WORDS)
    for i in range(MOST_NUMBERS):
        put_number(words, i, load(given, 8 * (2 * MOST_ARRAYS + i)))
    first, last = first_of(job, part), first_of(job, part + 1)
    run_rows(load(job, J.kernel), load(memories, 8 * 6), memories, words, first, last)
    finish(job)


@native
def run_step_part(job, part):
    """The call for a part of the rows."""
    arrays, words, constants, integers = (
        load(job, J.arrays),
        load(job, J.words),
        load(job, J.more),
        frame(CALL_INTEGERS),
    )
    for i in range(arrays):
        size = load(words, 8 * (FIRST_SIZE + i))
        lay_array(integers, i, load(words, 8 * i), load(words, 8 * (MOST_ARRAYS + i)), size)
    behind = integers + 8 * ARRAY_WORDS * arrays
    for i in range(MOST_INTS):
        store(behind, 8 * i, load(constants, 8 * i))
    place = behind + 8 * load(job, J.place)
    store(place, 0, first_of(job, part))
    store(place, 8, first_of(job, part + 1))
    if call_any(load(job, J.kernel), integers, constants + 8 * MOST_INTS) != 0:
        write(job, J.failed, 1)
    finish(job)


@native
def run_call_part(job, part, kind):
    """Call a kernel for a part of the range that its last two integers are, or for slices of its flat arrays."""
    given, integers, place = load(job, J.words), frame(CALL_INTEGERS), load(job, J.place)
    first, last = first_of(job, part), first_of(job, part + 1)
    for i in range(place):
        store(integers, 8 * i, load(given, 8 * i))
    if kind == RANGE:
        store(integers, 8 * place, first)
        store(integers, 8 * (place + 1), last)
    for i in range(load(job, J.arrays)):
        array = integers + 8 * load(given, 8 * (SLICED + i))
        store(array, ARRAY_SIZE, last - first)
        store(array, ARRAY_START, load(array, ARRAY_START) + first * load(array, ARRAY_ITEMSIZE))
        store(array, ARRAY_SHAPE, last - first)
    if call_any(load(job, J.kernel), integers, load(job, J.more)) != 0:
        write(job, J.failed, 1)
    finish(job)
