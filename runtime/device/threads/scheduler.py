"""A computation that several threads share: each part of a range is for who claims it first. There is one job at a
time, at an address that all threads know. The thread that has acquired it claims parts from the front, its workers from
the back, so the same thread has the same memory again in the next job. A worker without work looks for some, and then
sleeps."""

from __future__ import annotations

import platform
import sys
from typing import Any

from ...compiler.language.call_abi import call_native
from ...compiler.language.functions import (
    HALF,
    WORD,
    Address,
    Half,
    Nothing,
    Word,
    address_of,
    c_function,
    external,
    instruction,
    native,
    word_at,
)
from ...compiler.language.structs import Atomic, length
from ...compiler.language.types import VOID
from .job import ASLEEP, AWAKE, RUN, STEP, Job, ParkingSlot

CELL = Address(Atomic)
# A worker writes that it sleeps and then reads the cursor; who posts a job writes the cursor and then reads who sleeps.
# With a weaker order a processor may read before its write is seen by others, and both would miss each other.
ORDER = "seq_cst"
Call = tuple[str, tuple[int, ...]]  # a function of LLVM's, and its arguments
X86: list[Call] = [("llvm.x86.sse2.pause", ())]
ARM: list[Call] = [("llvm.aarch64.hint", (1,))]
PAUSES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}


def _cell_pointer(builder: Any, cell: Any) -> Any:
    return word_at(builder, cell, WORD(0))


@instruction(Word, CELL)
def read(builder: Any, cell: Any) -> Any:
    return builder.load_atomic(_cell_pointer(builder, cell), ORDER, 8)


@instruction(Nothing, CELL, Word)
def write(builder: Any, cell: Any, word: Any) -> Any:
    return builder.store_atomic(word, _cell_pointer(builder, cell), ORDER, 8)


@instruction(Word, CELL, Word)
def add(builder: Any, cell: Any, number: Any) -> Any:
    """add(cell, number): add to the word and return its value from before."""
    return builder.atomic_rmw("add", _cell_pointer(builder, cell), number, ORDER)


@instruction(Word, CELL, Word, Word)
def compare_and_swap(builder: Any, cell: Any, before: Any, after: Any) -> Any:
    """compare_and_swap(cell, before, after): write `after` if `before` stands there; 0 where it does not."""
    done = builder.extract_value(builder.cmpxchg(_cell_pointer(builder, cell), before, after, ORDER, ORDER), 1)
    return builder.zext(done, WORD)


@instruction(Nothing)
def pause(builder: Any) -> None:
    """pause(): tell the processor that this is a loop that waits."""
    for name, numbers in PAUSES.get(platform.machine(), ()):
        builder.call(c_function(builder, name, VOID, [HALF] * len(numbers)), [HALF(number) for number in numbers])


acquire_lock = external("PyThread_acquire_lock", Half, int, Half)  # CPython's
release_lock = external("PyThread_release_lock", None, int)
new_lock = external("PyThread_allocate_lock", int)
let_another_run = external("SwitchToThread" if sys.platform == "win32" else "sched_yield", Half)


# How often a worker looks for work before it sleeps: to wake one takes some 50 us, in which a middle-sized job is done.
# It looks as fast as it can for some 0.1 ms, which is what Python may need between two ops; then, for a millisecond,
# it lets others run between two looks, so that it costs next to nothing where more threads want to run than can.
SPINS = 4000
LOOKS = SPINS + 3000
WAKING = 16  # times the work that is shared with workers who are awake: what it costs to wake them
PARTS = 4  # for each thread: who is late takes less
PART = 16  # units, slices or rows; fewer are not worth claiming


@native
def smaller(x: int, y: int) -> int:
    return x if x < y else y


@native
def claim(job: Job, forward: bool) -> int:
    # Both ends lie in one word, so that one compare-and-swap decides who has a part. The job's number in its upper half
    # makes it fail for a thread that read the cursor of an earlier job.
    while True:
        cursor = read(job.cursor)
        end, first = cursor >> 16 & 0xFFFF, cursor & 0xFFFF
        if first >= end:
            return -1
        if compare_and_swap(job.cursor, cursor, cursor + 1 if forward else cursor - 0x10000):
            return first if forward else end - 1


@native
def first_of(job: Job, part: int) -> int:
    # Multiplied before it is divided: no part has more than one unit more than another.
    units = (job.extent + job.unit - 1) // job.unit
    return smaller(units * part // job.parts * job.unit, job.extent)


@native
def in_turn(job: Job, claimed: int) -> int:
    """The part that was claimed: in a job that goes backward each thread begins with what it would do last."""
    if job.own == 0:
        return claimed
    return job.own - 1 - claimed if claimed < job.own else job.parts - 1 + job.own - claimed


@native
def is_requested(job: Job, slot: ParkingSlot) -> bool:
    number = (address_of(slot) - address_of(job.slots)) // SLOT_BYTES
    return number < read(job.requested)


@native
def is_open(job: Job, slot: ParkingSlot) -> bool:
    """Whether there is something to do: a part of a job, or to end."""
    cursor = read(job.cursor)
    return cursor >> 16 & 0xFFFF > cursor & 0xFFFF or not is_requested(job, slot)


@native
def sleep(job: Job, slot: ParkingSlot) -> None:
    """Wait for `wake`; a job that comes before this thread is known to sleep is not missed."""
    write(slot.state, ASLEEP)
    # A job may have been posted before it could see this sleeper. If `wake` has, the swap fails and the lock is open.
    if is_open(job, slot) and compare_and_swap(slot.state, ASLEEP, AWAKE):
        return
    acquire_lock(slot.lock, 1)


@native
def wake(job: Job, count: int) -> None:
    for i in range(count):
        slot = job.slots[i]
        if compare_and_swap(slot.state, ASLEEP, AWAKE):
            release_lock(slot.lock)


@native
def post(job: Job) -> None:
    write(job.failed, 0)
    write(job.finished, 0)
    number = (read(job.cursor) >> 32) + 1
    # Last, and with the job's parts: from here on workers claim them, and read what the words before this describe.
    write(job.cursor, (number & 0x7FFFFFFF) << 32 | job.parts << 16 | 1)
    wake(job, smaller(read(job.workers), job.parts - 1))


@native
def is_worth_sharing(job: Job, work: int) -> bool:
    """Whether the workers are awake, or have missed so much work by now that it pays to wake them."""
    # The first one stands for all. Who works much wakes them soon; who does little, and seldom, never pays for that.
    job.missed = 0 if read(job.slots[0].state) == AWAKE else job.missed + work
    return job.missed == 0 or job.missed >= WAKING * job.large


@native
def describe(job: Job, kind: int, kernel: int, arrays: int, extent: int, unit: int, frame: int, more: int) -> None:
    job.kind = kind
    job.kernel = kernel
    job.arrays = arrays
    job.extent = extent
    job.unit = unit
    job.frame = frame
    job.more = more
    # Two share what is just large enough; of more threads each has at least half as much as one of these two.
    max_parts = max(2, 4 * job.work // job.large)
    threads, units = smaller(read(job.workers) + 1, max_parts), (extent + unit - 1) // unit
    work_units = 1 if kind >= STEP else smaller(PARTS, units // PART // threads)
    job.parts = smaller(units, max(threads, threads * work_units))
    job.sweep_direction = 1 - job.sweep_direction
    job.own = job.parts // threads if job.sweep_direction else 0


@native
def share(job: Job, kind: int, kernel: int, arrays: int, extent: int, unit: int, frame: int, more: int) -> int:
    describe(job, kind, kernel, arrays, extent, unit, frame, more)
    return call_native(job.scheduler, job, RUN, 0)


@native
def look_again(looks: int) -> None:
    if looks < SPINS:
        pause()
    else:
        let_another_run()


@native
def finish(job: Job) -> None:
    # The last step of a part: with the last one the thread that has the job returns, and frame and arrays may be gone.
    add(job.finished, 1)


@native
def await_all(job: Job) -> None:
    spins = 0
    while read(job.finished) < job.parts:
        look_again(spins)
        spins += 1


@native
def release(job: Job) -> int:
    # Read before others may acquire the job: `post` of the next one sets it to 0.
    """Let other threads acquire the job; 0 where no kernel raised."""
    failed = read(job.failed)
    write(job.owned, 0)
    return failed


SLOT_BYTES = 8 * length(ParkingSlot)
