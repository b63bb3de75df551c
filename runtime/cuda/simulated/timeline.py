"""What is ordered before what: threads run in stretches, from one barrier to the next, and each stretch has a number.

Of two threads one is ordered before the other only by a barrier of their block, by a `syncwarp` of both, or, in
different blocks, by a fence. What runs first here says nothing, so a race is found in every order of threads.
"""

from __future__ import annotations

from typing import Protocol

from .dims import WARP, Dim3

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
        """A new stretch of a thread, which runs from now on."""
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

    def where(self) -> str:
        """Kernel and thread of what happens now, for messages."""
