"""What a worker does: it runs parts of jobs, one after the other; Python gets only those that it must run itself."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from ..compile import building
from ..lean import compiled_function, version_of
from ..words import load, native
from .atomics import pause, read, swap, write
from .claims import SPINS, await_all, claim, finish, leave, post, sleep, wake
from .layout import AWAIT, AWAKE, CLAIM, FINISH, HAVE, LEAVE, POST, PYTHON, RUN, SERVE, WAKE, J
from .parts import run_part


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
    await_all(job)
    return leave(job)


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
        await_all(job)
    elif wish == LEAVE:
        return leave(job)
    elif wish == WAKE:
        wake(job)
    return 0


@functools.cache
def sources() -> str:
    """Changes with all that is compiled into `manage`, at which numba's cache does not look."""
    folder = Path(__file__).parent
    return version_of(folder, [folder.parent.joinpath(name).read_bytes() for name in ("frames.py", "words.py")])


@functools.cache
def manager() -> Any:
    """`manage` as machine code."""
    with building:
        return compiled_function(manage.py_func, sources())
