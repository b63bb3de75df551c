"""Workers start and stop: threads that need the GIL for Python's tasks alone. A worker is known by its parking slot.
Who occupies it, from ABSENT to AWAKE, starts the thread; the thread leaves it when it is no longer wanted, and looks
once more. So nobody has to wait for a worker. Who calls these holds the GIL, hence there is one at a time."""

from __future__ import annotations

from pathlib import Path

from ...compiler.cache.digest import sources_of
from ...compiler.language.functions import address_of, cast, external, native
from ...compiler.native_unit import Unit
from .job import (
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
from .scheduler import (
    LOOKS,
    acquire_lock,
    await_all,
    claim,
    compare_and_swap,
    describe,
    is_requested,
    look_again,
    new_lock,
    post,
    read,
    release,
    sleep,
    wake,
    write,
)
from .tasks import run_part, run_python, run_worker_part

start_thread = external("PyThread_start_new_thread", int, int, ParkingSlot)  # waits for nothing


@native
def start_workers(job: Job) -> int:
    count = 0
    while count < read(job.requested) and occupy(job, job.slots[count]):
        count += 1
    write(job.workers, count)
    return count


@native
def occupy(job: Job, slot: ParkingSlot) -> bool:
    if compare_and_swap(slot.state, ABSENT, AWAKE) == 0:
        return True
    if slot.lock == 0:
        slot.lock = closed_lock()
    slot.job = job
    if slot.lock != 0 and start_thread(job.worker, slot) != -1:
        return True
    write(slot.state, ABSENT)
    return False


@native
def closed_lock() -> int:
    """A lock that a worker waits for when it sleeps; 0 where there is no memory."""
    lock = new_lock()
    if lock != 0:
        acquire_lock(lock, 1)
    return lock


@native
def resize(job: Job, requested: int) -> None:
    """Want so many workers from now on; -1 is none, for good."""
    if read(job.requested) < 0:
        return
    write(job.requested, requested)
    write(job.workers, 0)  # so the next job starts them
    wake(job, MAX_WORKERS)  # all: those that are not wanted must be awake to end


@native
def forget(job: Job) -> None:
    """After a fork: there are no workers, and whoever had the job is not in this process, or begins anew."""
    write(job.forks, read(job.forks) + 1)
    write(job.workers, 0)
    write(job.cursor, 0)
    write(job.owned, 0)
    for i in range(MAX_WORKERS):
        slot = job.slots[i]
        write(slot.state, ABSENT)
        slot.lock = 0  # a new one is made: whether this one was open at the fork nobody knows


@native
def serve(job: Job, slot: ParkingSlot) -> None:
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
    return sources_of(Path(__file__).parent)


UNIT = Unit("pool", (schedule, work), sources)
