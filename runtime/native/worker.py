"""What a worker does: it runs parts of jobs, one after the other, and gives back to Python only what Python must run."""

from __future__ import annotations

from ..kernels.job import AWAIT, AWAKE, CLAIM, FINISH, FLAT, HAVE, POST, PYTHON, ROWS, WAKE, J
from .atomics import pause, read, swap, write
from .broadcast import run_rows_part
from .jobs import SPINS, claim, end, finish, post, sleep, wake
from .kernel_calls import run_flat_part
from .structured import run_step_part
from .words import load, native


@native
def run_part(job, part):
    """Run a part of a job, by its kind."""
    kind = load(job, J.kind)
    if kind == FLAT:
        run_flat_part(job, part)
    elif kind == ROWS:
        run_rows_part(job, part)
    else:
        run_step_part(job, part)


@native
def serve(job, bed, _):
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
def manage(job, wish, _):
    """What Python wishes of the job; the answer, if there is one."""
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
