"""What a worker does: it runs parts of jobs, one after the other; Python gets only those that it must run itself."""

from __future__ import annotations

from ..kernels.job import (
    AWAIT,
    AWAKE,
    CALL_INTEGERS,
    CLAIM,
    FINISH,
    FLAT,
    HAVE,
    INTEGERS,
    POST,
    PYTHON,
    RANGE,
    ROWS,
    RUN,
    SERVE,
    SLICED,
    STEP,
    WAKE,
    J,
)
from .atomics import pause, read, swap, write
from .broadcast import run_rows_part
from .jobs import SPINS, claim, end, finish, first_of, post, sleep, wake
from .kernel_calls import run_flat_part
from .structured import run_step_part
from .words import call_any, frame, load, native, store

ARRAY_SIZE, ARRAY_ITEMSIZE, ARRAY_START, ARRAY_SHAPE = 16, 24, 32, 40  # of an array among the integers
SLICED_BEHIND = 8 * (SLICED - INTEGERS)  # of the integers


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
        array = integers + 8 * load(given, SLICED_BEHIND + 8 * i)
        store(array, ARRAY_SIZE, last - first)
        store(array, ARRAY_START, load(array, ARRAY_START) + first * load(array, ARRAY_ITEMSIZE))
        store(array, ARRAY_SHAPE, last - first)
    if call_any(load(job, J.kernel), integers, load(job, J.more)) != 0:
        write(job, J.failed, 1)
    finish(job)


@native
def serve(job, bed):
    """Run parts until the worker is to end, which is -1, or a part is for Python, which is its number."""
    idle = 0
    write(bed, 0, AWAKE)
    while read(job, J.stop) == 0:
        part = claim(job, False)
        if part >= 0 and load(job, J.kind) == PYTHON:
            return part
        idle = 0 if part >= 0 else idle + 1
        if part >= 0:
            run_part(job, part)
        elif idle < SPINS:
            pause()
        else:
            sleep(job, bed)
            idle = 0
    return -1


@native
def run(job):
    """Post the job, run parts of it until none is left, and wait for the others; 0 where no kernel raised."""
    post(job)
    part = claim(job, True)
    while part >= 0:
        run_part(job, part)
        part = claim(job, True)
    return end(job)


@native
def manage(job, wish, bed):
    """Do what somebody wishes of the job; the answer, if there is one."""
    if wish == RUN:
        return run(job)
    if wish == SERVE:
        return serve(job, bed)
    if wish == HAVE:
        return swap(job, J.owned, 0, 1)
    if wish == POST:
        post(job)
    elif wish == CLAIM:
        return claim(job, True)
    elif wish == FINISH:
        finish(job)
    elif wish == AWAIT:
        return end(job)
    elif wish == WAKE:
        wake(job)
    return 0
