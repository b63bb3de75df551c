"""The scheduler, as machine code: Python gives it a command in one call, which no exception interrupts."""

from __future__ import annotations

from pathlib import Path

from ..kernels.cache.digest import sources_of
from ..kernels.llvm.native_code.typed import address_of, cast, native
from ..kernels.llvm.native_code.units import Unit
from .atomics import compare_and_swap, read, write
from .layout import (
    ABSENT,
    ACQUIRE_AND_RUN,
    ALONE,
    AWAKE,
    DONE,
    FAILED,
    FORKED,
    MAX_WORKERS,
    PYTHON,
    RESIZE,
    RUN,
    START_WORKERS,
    Job,
    ParkingSlot,
    Request,
)
from .python_tasks import run_python, run_worker_part
from .scheduler import LOOKS, await_all, claim, describe, is_requested, look_again, post, release, sleep
from .tasks import run_part
from .worker_threads import forget, resize, start_workers


@native
def serve(job: Job, slot: ParkingSlot) -> None:
    """Run parts as long as the worker is wanted."""
    idle = 0
    while is_requested(job, slot):
        part = claim(job, False)
        idle = 0 if part >= 0 else idle + 1
        if part >= 0 and job.kind == PYTHON:
            run_worker_part(job, part)
        elif part >= 0:
            run_part(job, part)
        elif idle < LOOKS:
            look_again(idle)
        else:
            sleep(job, slot)
            idle = 0


@native
def work(slot: ParkingSlot, unused: int, unused_too: int) -> int:
    """The main function of a worker's thread: it ends when not wanted, after it has looked once more."""
    job, stays = slot.job, 1
    while stays:
        serve(job, slot)
        write(slot.state, ABSENT)
        stays = compare_and_swap(slot.state, ABSENT, AWAKE) if is_requested(job, slot) else 0
    return 0


@native
def run(job: Job) -> int:
    """Post the job, run parts of it until none is left, and wait for the others; 0 where no kernel raised."""
    post(job)
    part = 0
    while part >= 0:
        run_part(job, part)
        part = claim(job, True)
    await_all(job)
    return release(job)


@native
def acquire_and_run(job: Job, request: Request) -> int:
    """Acquire the job, run what is requested, and release it: ALONE where nothing was done, else DONE or FAILED."""
    # Nobody waits for the job: who does not get it computes alone. So a part may itself call what would be shared.
    if read(job.workers) == 0 or compare_and_swap(job.owned, 0, 1) == 0:
        return ALONE
    kind, more = request.kind, request.more if request.kind == PYTHON else address_of(request)
    job.work = MAX_WORKERS * job.large  # so much that every thread has a part
    describe(job, kind, request.kernel, request.arrays, request.extent, request.unit, request.frame, more)
    if kind == PYTHON:
        job.parts = request.parts  # one for each tuple of arguments, whatever workers there are
        return run_python(job, request)
    job.position = request.position
    return FAILED if run(job) != 0 else DONE


@native
def schedule(job: Job, command: int, more: int) -> int:
    """Run one command of the scheduler and return its result."""
    if command == RUN:
        return run(job)
    if command == ACQUIRE_AND_RUN:
        return acquire_and_run(job, cast(Request, more))
    if command == START_WORKERS:
        return start_workers(job)
    if command == RESIZE:
        resize(job, more)
    elif command == FORKED:
        forget(job)
    return 0


def sources() -> bytes:
    """Changes with all that is compiled into these, but what all units have in common."""
    return sources_of(Path(__file__).parent)


UNIT = Unit("pool", (schedule, work), sources)
