"""A computation that several threads share: a range is cut into parts, and each part is for who claims it first.

There is one job at a time, described at an address that all threads know. The thread that has the job claims parts from
the front, its workers claim them from the back: so the same thread has the same memory again in the next job, as long
as all keep step, and where a worker is late nobody waits for it. A worker without work looks for some for a while, and
then sleeps until the next job wakes it. So it is work stealing with one queue, that of the thread which has the job.
"""

from __future__ import annotations

import sys

from numba import types

from ..kernels.llvm.memory import Word, call_native, load, native, store
from .atomics import add, pause, read, swap, write
from .layout import ASLEEP, AWAKE, BED, RUN, J

acquire_lock = types.ExternalFunction("PyThread_acquire_lock", types.int32(Word, types.int32))  # CPython's
release_lock = types.ExternalFunction("PyThread_release_lock", types.void(Word))
new_lock = types.ExternalFunction("PyThread_allocate_lock", Word())
let_another_run = types.ExternalFunction("SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32())


SPINS = 4000  # looks for work, some 40 ns each, before a worker sleeps
MANY = 1 << 12  # looks for the end of others' work before this thread lets others run on its processor


@native
def smaller(x, y):
    """The smaller of two numbers."""
    return x if x < y else y


@native
def claim(job, forward):
    """The first part that is left, or the last; -1 where there is none."""
    while True:
        ticket = read(job, J.ticket)
        end, first = ticket >> 16 & 0xFFFF, ticket & 0xFFFF
        if first >= end:
            return -1
        if swap(job, J.ticket, ticket, ticket + 1 if forward else ticket - 0x10000):
            return first if forward else end - 1


@native
def first_of(job, part):
    """Where a part begins."""
    unit, count = load(job, J.unit), load(job, J.extent)
    units = (count + unit - 1) // unit
    return smaller(units * part // load(job, J.parts) * unit, count)


@native
def is_wanted(job, bed):
    """Whether a worker may stay."""
    return (bed - job - J.beds) // BED < read(job, J.wanted)


@native
def is_open(job, bed):
    """Whether there is something to do: a part of a job, or to end."""
    ticket = read(job, J.ticket)
    return ticket >> 16 & 0xFFFF > ticket & 0xFFFF or not is_wanted(job, bed)


@native
def sleep(job, bed):
    """Wait for `wake`; a job that comes before this thread is known to sleep is not missed."""
    write(bed, 0, ASLEEP)
    if is_open(job, bed) and swap(bed, 0, ASLEEP, AWAKE):
        return
    acquire_lock(load(bed, 8), 1)


@native
def wake(job, count):
    """Let the first so many workers look for what to do."""
    for i in range(count):
        bed = job + J.beds + BED * i
        if swap(bed, 0, ASLEEP, AWAKE):
            release_lock(load(bed, 8))


@native
def post(job):
    """Offer the parts of the job that is described."""
    write(job, J.failed, 0)
    write(job, J.finished, 0)
    number = (read(job, J.ticket) >> 32) + 1
    write(job, J.ticket, (number & 0x7FFFFFFF) << 32 | load(job, J.parts) << 16)
    wake(job, load(job, J.workers))


@native
def describe(job, kind, kernel, arrays, count, unit, words, more):
    """Say what the job is."""
    store(job, J.kind, kind)
    store(job, J.kernel, kernel)
    store(job, J.arrays, arrays)
    store(job, J.extent, count)
    store(job, J.unit, unit)
    store(job, J.words, words)
    store(job, J.more, more)
    units = (count + unit - 1) // unit
    store(job, J.parts, smaller(units, load(job, J.workers) + 1))


@native
def share(job, kind, kernel, arrays, count, unit, words, more):
    """Do work together with other threads; 0 where no kernel raised."""
    describe(job, kind, kernel, arrays, count, unit, words, more)
    return call_native(load(job, J.manager), job, RUN, 0)


@native
def finish(job):
    """One more part is finished."""
    add(job, J.finished, 1)


@native
def await_all(job):
    """Wait until all parts are finished."""
    spins = 0
    while read(job, J.finished) < load(job, J.parts):
        pause()
        spins += 1
        if spins > MANY:
            let_another_run()


@native
def leave(job):
    """Leave the job to others; 0 where no kernel raised."""
    failed = read(job, J.failed)
    write(job, J.owned, 0)
    return failed
