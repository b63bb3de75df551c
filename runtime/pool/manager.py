"""What is done with the job, as machine code: Python says its wish in one call, which no exception interrupts."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from ..kernels.compile.compiler_pipelines import compiled_function, version_of
from ..kernels.compile.scalar_library import building
from ..kernels.llvm.memory import load, native, store
from .atomics import pause, swap, write
from .claims import SPINS, await_all, claim, describe, is_wanted, leave, post, sleep
from .hiring import forget, hire, resize
from .layout import ABSENT, ALONE, AWAKE, DONE, FAILED, FORKED, HIRE, PYTHON, RESIZE, RUN, TOGETHER, J, R
from .parts import run_part
from .python_parts import run_python, run_worker_part


@native
def serve(job, bed):
    """Run parts as long as the worker is wanted."""
    idle = 0
    while is_wanted(job, bed):
        part = claim(job, False)
        idle = 0 if part >= 0 else idle + 1
        if part >= 0 and load(job, J.kind) == PYTHON:
            run_worker_part(job, part)
        elif part >= 0:
            run_part(job, part)
        elif idle < SPINS:
            pause()
        else:
            sleep(job, bed)
            idle = 0


@native
def live(bed, _, more):
    """The life of a worker: it ends when it is not wanted, unless it is wanted again before it has left its bed."""
    job, stays = load(bed, 16), 1
    while stays:
        serve(job, bed)
        write(bed, 0, ABSENT)
        stays = swap(bed, 0, ABSENT, AWAKE) if is_wanted(job, bed) else 0
    return 0


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
def together(job, request):
    """Have the job, do what is requested, and leave it: ALONE where nothing was done, else DONE or FAILED."""
    if load(job, J.workers) == 0 or swap(job, J.owned, 0, 1) == 0:
        return ALONE
    kind, kernel, arrays = load(request, R.kind), load(request, R.kernel), load(request, R.arrays)
    extent, unit = load(request, R.extent), load(request, R.unit)
    describe(job, kind, kernel, arrays, extent, unit, load(request, R.words), load(request, R.more))
    if kind == PYTHON:
        store(job, J.parts, load(request, R.parts))
        return run_python(job, request)
    store(job, J.place, load(request, R.place))
    return FAILED if run(job) != 0 else DONE


@native
def manage(job, wish, more):
    """Do what somebody wishes of the job; the answer, if there is one."""
    if wish == RUN:
        return run(job)
    if wish == TOGETHER:
        return together(job, more)
    if wish == HIRE:
        return hire(job)
    if wish == RESIZE:
        resize(job, more)
    elif wish == FORKED:
        forget(job)
    return 0


@functools.cache
def sources() -> str:
    """Changes with all that is compiled into these, at which numba's cache does not look."""
    folder = Path(__file__).parent
    called = ("compile/argument_buffer.py", "llvm/memory.py")
    return version_of(folder, [(folder.parent / "kernels" / name).read_bytes() for name in called])


@functools.cache
def compiled() -> tuple[Any, Any]:
    """`manage` and `live` as machine code."""
    with building:
        return compiled_function(manage.py_func, sources()), compiled_function(live.py_func, sources())
