"""Workers start and stop: threads of the system that never need the GIL, but for tasks that are Python's.

A worker is known by its parking slot. Who occupies it, from ABSENT to AWAKE, starts the thread; the thread leaves it
when it is no longer wanted, and looks once more, for it may be wanted again by then: either it takes the slot back, or
who starts workers has found it empty. So nobody has to wait for a worker, neither to start nor to stop. Who calls these
holds the GIL, hence there is one at a time.
"""

from __future__ import annotations

from ..kernels.llvm.native_code.typed import external, native
from .atomics import compare_and_swap, read, write
from .layout import ABSENT, AWAKE, MAX_WORKERS, Job, ParkingSlot
from .scheduler import acquire_lock, new_lock, wake

start_thread = external("PyThread_start_new_thread", int, int, ParkingSlot)  # waits for nothing


@native
def start_workers(job: Job) -> int:
    """Start the workers that are wanted and not there; gives how many there are."""
    count = 0
    while count < read(job.requested) and occupy(job, job.slots[count]):
        count += 1
    write(job.workers, count)
    return count


@native
def occupy(job: Job, slot: ParkingSlot) -> bool:
    """Start a worker for a slot that has none; False where the system has no more threads."""
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
