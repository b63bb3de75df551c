"""What the allocator has given out: figures under PyTorch's names, and the message when memory has run out."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from typing import Protocol

from .protocol import Driver

NOW, PEAK, TAKEN, FORGOTTEN = range(4)
WORDS = 4  # of a figure


class Figure:
    """A number that goes up and down: what it is now, its highest value, and all that was ever taken away."""

    __slots__ = ("first", "words")

    def __init__(self, words: array[int], first: int = 0) -> None:
        self.words, self.first = words, first

    @property
    def now(self) -> int:
        return self.words[self.first + NOW]

    @property
    def peak(self) -> int:
        return self.words[self.first + PEAK]

    @property
    def taken(self) -> int:
        return self.words[self.first + TAKEN]

    @property
    def added(self) -> int:
        """All that was ever added, without what was there before `reset_accumulated`."""
        return self.now + self.taken - self.words[self.first + FORGOTTEN]

    def add(self, amount: int) -> None:
        add(self.words, self.first, amount)

    def take(self, amount: int) -> None:
        take(self.words, self.first, amount)

    def reset_peak(self) -> None:
        self.words[self.first + PEAK] = self.now

    def reset_accumulated(self) -> None:
        self.words[self.first + TAKEN], self.words[self.first + FORGOTTEN] = 0, self.now


def add(words: array[int], first: int, amount: int) -> None:
    now = words[first] = words[first] + amount
    if now > words[first + PEAK]:
        words[first + PEAK] = now


def take(words: array[int], first: int, amount: int) -> None:
    words[first] -= amount
    words[first + TAKEN] += amount


class CountedCache(Protocol):
    """What is asked of the cache of a device's blocks: see allocator.py."""

    device: int
    driver: Driver
    statistics: Statistics

    def allowed(self) -> int | None:
        """The bytes that the program may have; None where there is no limit."""


class CountedShelf(Protocol):
    """What is asked of the blocks of one size."""

    size: int

    @property
    def cache(self) -> CountedCache:
        """The cache that they belong to."""


def given(shelf: CountedShelf, size: int) -> None:
    """Count a block that is given out, of which the program asked for `size` bytes: each allocation comes here."""
    words = shelf.cache.statistics.words
    add(words, 0, shelf.size)
    add(words, WORDS, size)
    add(words, 2 * WORDS, 1)


def returned(shelf: CountedShelf, size: int) -> None:
    """Count a block that came back."""
    words = shelf.cache.statistics.words
    take(words, 0, shelf.size)
    take(words, WORDS, size)
    take(words, 2 * WORDS, 1)


class Counting:
    """What counts blocks. Native code puts its own here: then nothing comes between reading a figure and writing it."""

    given: Callable[[CountedShelf, int], None] = staticmethod(given)
    returned: Callable[[CountedShelf, int], None] = staticmethod(returned)


class Statistics:
    """Of one device: bytes and blocks that are given out, bytes as they were asked for, and what the driver gave.

    The figures are `words`, which native code changes too: first allocated, requested and blocks.
    """

    __slots__ = ("allocated", "blocks", "failures", "requested", "reserved", "retries", "segments", "words")

    def __init__(self) -> None:
        self.retries = self.failures = 0
        self.words = array("q", bytes(8 * WORDS * 5))
        self.allocated, self.requested, self.blocks, self.reserved, self.segments = (
            Figure(self.words, WORDS * i) for i in range(5)
        )

    def figures(self) -> dict[str, Figure]:
        """By PyTorch's names; a block that is given out is active, and blocks are never split."""
        nothing = Figure(array("q", bytes(8 * WORDS)))
        return {
            "allocation": self.blocks,
            "segment": self.segments,
            "active": self.blocks,
            "inactive_split": nothing,
            "allocated_bytes": self.allocated,
            "reserved_bytes": self.reserved,
            "active_bytes": self.allocated,
            "inactive_split_bytes": nothing,
            "requested_bytes": self.requested,
        }

    def reset_peaks(self) -> None:
        for figure in self.figures().values():
            figure.reset_peak()

    def reset_accumulated(self) -> None:
        self.retries = self.failures = 0
        for figure in self.figures().values():
            figure.reset_accumulated()

    def nested(self) -> dict[str, dict[str, dict[str, int]] | int]:
        found: dict[str, dict[str, dict[str, int]] | int] = {
            name: {"all": {"current": f.now, "peak": f.peak, "allocated": f.added, "freed": f.taken}}
            for name, f in self.figures().items()
        }
        found["num_alloc_retries"], found["num_ooms"] = self.retries, self.failures
        found["num_device_alloc"], found["num_device_free"] = self.segments.added, self.segments.taken
        return found


def human(size: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size} bytes"


def out_of_memory(cache: CountedCache, size: int) -> str:
    """The message of an OutOfMemoryError."""
    free, total = cache.driver.memory_info(cache.device)
    found = cache.statistics
    allowed = cache.allowed()
    limit = "" if allowed is None else f" {human(allowed)} allowed;"
    return (
        f"CUDA out of memory. Tried to allocate {human(size)}. GPU {cache.device} has a total capacity of "
        f"{human(total)} of which {human(free)} is free.{limit} "
        f"Process {os.getpid()} has {human(total - free)} memory in use. "
        f"Of the allocated memory {human(found.allocated.now)} is allocated by specgrad, and "
        f"{human(found.reserved.now - found.allocated.now)} is reserved by specgrad but unallocated."
    )
