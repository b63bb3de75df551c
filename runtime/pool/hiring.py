"""Workers come and go: threads of the system that never need the interpreter, but for parts that are Python's.

A worker is known by its bed. Who occupies it, from ABSENT to AWAKE, starts the thread; the thread leaves it when it is
no longer wanted, and looks once more, for it may be wanted again by then: either it takes the bed back, or who hires
has found it empty. So nobody has to wait for a worker, neither to come nor to go. Who calls these holds the
interpreter, hence there is one at a time.
"""

from __future__ import annotations

from numba import types

from ..kernels.llvm.memory import Word, load, native, store
from .atomics import read, swap, write
from .claims import acquire_lock, new_lock, wake
from .layout import ABSENT, AWAKE, BED, MOST_WORKERS, J

start_thread = types.ExternalFunction("PyThread_start_new_thread", Word(Word, Word))  # waits for nothing


@native
def hire(job):
    """Start the workers that are wanted and not there; gives how many there are."""
    count = 0
    while count < read(job, J.wanted) and occupy(job, job + J.beds + BED * count):
        count += 1
    write(job, J.workers, count)
    return count


@native
def occupy(job, bed):
    """See to it that a bed has a worker; False where the system has no more threads."""
    if swap(bed, 0, ABSENT, AWAKE) == 0:
        return True
    if load(bed, 8) == 0:
        store(bed, 8, closed_lock())
    store(bed, 16, job)
    if load(bed, 8) != 0 and start_thread(load(job, J.life), bed) != -1:
        return True
    write(bed, 0, ABSENT)
    return False


@native
def closed_lock():
    """A lock that a worker waits for when it sleeps; 0 where there is no memory."""
    lock = new_lock()
    if lock != 0:
        acquire_lock(lock, 1)
    return lock


@native
def resize(job, wanted):
    """Want so many workers from now on; -1 is none, for good."""
    if read(job, J.wanted) < 0:
        return
    write(job, J.wanted, wanted)
    write(job, J.workers, 0)  # so the next job hires
    wake(job, MOST_WORKERS)


@native
def forget(job):
    """After a fork: there are no workers, and whoever had the job is not in this process, or begins anew."""
    write(job, J.forks, read(job, J.forks) + 1)
    write(job, J.workers, 0)
    write(job, J.ticket, 0)
    write(job, J.owned, 0)
    for i in range(BED * MOST_WORKERS // 8):
        write(job, J.beds + 8 * i, 0)
