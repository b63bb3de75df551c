"""Who wrote and who read each unit of a memory: reads of what nobody wrote, and data races. Threads run in stretches,
from one barrier to the next. Of two threads one is ordered before the other only by a barrier of their block, by a
`syncwarp` of both, or, in different blocks, by a fence; what runs first here says nothing. Of each unit only so many
accesses are kept as it takes to find out that there is a race.
"""

from collections import defaultdict
from typing import Any, Protocol

from .limits import WARP, Dim3

# What a thread does between two barriers: (its block, itself, its number in the block, barriers of the block before).
Stretch = tuple[Dim3, Dim3, int, int]


class Timeline:
    """The stretches of one launch in the order in which they ran, and how they were synchronised."""

    __slots__ = ("begun", "block", "epoch", "fenced", "now", "released", "stretches", "warp_syncs")

    def __init__(self) -> None:
        nowhere = Dim3(-1, -1, -1)
        self.stretches: list[Stretch] = [(nowhere, nowhere, -1, 0)]  # numbers of stretches begin with 1
        self.now = 0  # the stretch that runs
        self.block = nowhere
        self.epoch = 0  # barriers of this block so far
        self.begun = 1  # the first stretch of this epoch
        self.warp_syncs: list[tuple[int, int, int]] = []  # (stretches before, warp, mask) of this epoch
        self.released: set[int] = set()  # stretches before a fence of their own thread
        self.fenced: dict[Dim3, int] = {}  # the epoch before which all of a block is before a fence

    def begin_block(self, block: Dim3) -> None:
        self.block, self.epoch, self.begun = block, 0, len(self.stretches)
        self.warp_syncs.clear()

    def begin(self, thread: Dim3, number: int) -> int:
        self.now = len(self.stretches)
        self.stretches.append((self.block, thread, number, self.epoch))
        return self.now

    def name(self, stretch: int) -> str:
        block, thread, _, _ = self.stretches[stretch]
        return f"thread {tuple(thread)} of block {tuple(block)}"

    def barrier(self) -> None:
        self.epoch += 1
        self.begun = len(self.stretches)
        self.warp_syncs.clear()

    def warp_barrier(self, warp: int, mask: int) -> None:
        self.warp_syncs.append((len(self.stretches), warp, mask))

    def fence(self) -> None:
        """The running thread has made visible to all blocks what it did, and what is ordered before that."""
        running = self.stretches[self.now]
        self.fenced[self.block] = self.epoch
        self.released |= {n for n in range(self.begun, self.now + 1) if self.stretches[n] == running}
        self.begin(running[1], running[2])

    def ordered(self, earlier: int) -> bool:
        """Whether all that a stretch did is ordered before what the running one does."""
        block, _, number, epoch = self.stretches[earlier]
        _, _, own, _ = self.stretches[self.now]
        if block != self.block:
            return epoch < self.fenced.get(block, 0) or earlier in self.released
        if number == own or epoch < self.epoch:
            return True
        both = 1 << number % WARP | 1 << own % WARP
        met = ((count, mask) for count, warp, mask in self.warp_syncs if warp == number // WARP == own // WARP)
        return any(earlier < count and mask & both == both for count, mask in met)


class RunningKernel(Protocol):
    """What barriers and the memory of blocks ask of the `cuda` of a launch: see threads.py."""

    kernel: str
    timeline: Timeline
    threadIdx: Dim3
    blockIdx: Dim3

    def where(self) -> str: ...


KNOWN, UNWRITTEN, ATOMIC = 0, -1, -2  # in place of the stretch that wrote: before the launch, nobody, see `atomics`


class Sharers:
    """Accesses that do not race with each other, reads or atomics: for each unit the last one, and up to two before.

    `others` has one of this epoch by another thread, of another warp where there is one: whoever writes then races with
    the last or with that one. `outer` has one of another block.
    """

    __slots__ = ("last", "others", "outer", "timeline")

    def __init__(self, timeline: Timeline, last: Any) -> None:
        self.timeline = timeline
        self.last = last  # a list of stretches, or a dict of them
        self.others: dict[int, int] = {}
        self.outer: dict[int, int] = {}

    def add(self, at: int) -> None:
        before, now, timeline = self.last[at], self.timeline.now, self.timeline
        self.last[at] = now
        if before in (0, now):
            return
        block, _, number, epoch = timeline.stretches[before]
        _, _, own, _ = timeline.stretches[now]
        if block != timeline.block:
            self.outer[at] = before
        elif epoch == timeline.epoch and number != own:
            retained = self.others.get(at, 0)
            if retained < timeline.begun or timeline.stretches[retained][2] // WARP == own // WARP:
                self.others[at] = before

    def unordered(self, at: int) -> int:
        """A stretch whose access races with a write of the running one, or 0."""
        timeline, last = self.timeline, self.last[at]
        if last and last != timeline.now and not timeline.ordered(last):
            return int(last)
        for some in (self.others, self.outer):
            before = some.get(at, 0) if some else 0
            if before and not timeline.ordered(before):
                return before
        return 0


class Memory:
    """Notes on each unit of a memory; a unit has so many bytes as the smallest element of arrays over it."""

    __slots__ = ("arrays", "atomics", "readers", "reads", "timeline", "under", "unit", "writes")

    def __init__(self, timeline: Timeline, count: int, unit: int, state: int = UNWRITTEN) -> None:
        self.timeline, self.unit = timeline, unit
        self.writes = [state] * count  # the stretch that wrote last
        self.reads = [0] * count  # the stretch that read last
        self.readers = Sharers(timeline, self.reads)
        self.atomics = Sharers(timeline, defaultdict(int))
        self.arrays: list[Any] = []  # over this memory, where units may become smaller
        self.under: dict[int, int] = {}  # who wrote before the atomic operations of a unit

    @property
    def is_one_reader(self) -> bool:
        return not self.readers.others and not self.readers.outer

    def check_read(self, at: int) -> str:
        if self.writes[at] == UNWRITTEN:
            return "which nobody wrote"
        return self.racing(self.writer(at), "writes")

    def check_write(self, at: int) -> str:
        wrote = self.writes[at]
        if (wrote > 0 and wrote != self.timeline.now) or wrote == ATOMIC:
            wrong = self.racing(self.writer(at), "writes")
            if wrong:
                return wrong
        return self.racing(self.readers.unordered(at), "reads") if self.reads[at] else ""

    def check_atomic(self, at: int) -> str:
        wrote = self.writes[at]
        if wrote == UNWRITTEN:
            return "which nobody wrote"
        if wrote != ATOMIC:
            self.under[at] = wrote
        self.writes[at] = ATOMIC
        self.atomics.add(at)
        return self.racing(self.plain_writer(at), "writes") or self.racing(self.readers.unordered(at), "reads")

    def writer(self, at: int) -> int:
        atomic = self.atomics.unordered(at) if self.writes[at] == ATOMIC else 0
        return atomic or self.plain_writer(at)

    def plain_writer(self, at: int) -> int:
        wrote = self.under[at] if self.writes[at] == ATOMIC else self.writes[at]
        return 0 if wrote <= 0 or self.timeline.ordered(wrote) else wrote

    def racing(self, stretch: int, does: str) -> str:
        return f"which {self.timeline.name(stretch)} {does} with no barrier between them" if stretch else ""

    def refine(self, unit: int) -> None:
        parts = self.unit // unit
        if parts == 1:
            return
        self.unit = unit
        for notes in (self.writes, self.reads):
            notes[:] = [note for note in notes for _ in range(parts)]
        small_sources = (self.readers.others, self.readers.outer, self.atomics.others, self.atomics.outer, self.under)
        for some in (*small_sources, self.atomics.last):
            by_part = {at * parts + part: note for at, note in some.items() for part in range(parts)}
            some.clear()
            some.update(by_part)
        for array in self.arrays:
            array.parts *= parts
            array.offset *= parts
