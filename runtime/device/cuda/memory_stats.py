"""What the allocator has given out: figures under PyTorch's names, and the message when memory has run out."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from typing import Protocol

from .driver_protocol import Driver

NOW, PEAK, ALLOCATED, FORGOTTEN = range(4)
COUNTER_SLOTS = 4  # of a figure


class Figure:
    """A number that goes up and down: what it is now, its highest value, and all that was ever taken away."""

    __slots__ = ("first", "counters")

    def __init__(self, counters: array[int], first: int = 0) -> None:
        self.counters, self.first = counters, first

    @property
    def now(self) -> int:
        return self.counters[self.first + NOW]

    @property
    def peak(self) -> int:
        return self.counters[self.first + PEAK]

    @property
    def total_allocated(self) -> int:
        return self.counters[self.first + ALLOCATED]

    @property
    def added(self) -> int:
        return self.now + self.total_allocated - self.counters[self.first + FORGOTTEN]

    def add(self, amount: int) -> None:
        add(self.counters, self.first, amount)

    def take(self, amount: int) -> None:
        take(self.counters, self.first, amount)

    def reset_peak(self) -> None:
        self.counters[self.first + PEAK] = self.now

    def reset_accumulated(self) -> None:
        self.counters[self.first + ALLOCATED], self.counters[self.first + FORGOTTEN] = 0, self.now


def add(counters: array[int], first: int, amount: int) -> None:
    now = counters[first] = counters[first] + amount
    if now > counters[first + PEAK]:
        counters[first + PEAK] = now


def take(counters: array[int], first: int, amount: int) -> None:
    counters[first] -= amount
    counters[first + ALLOCATED] += amount


class CountedCache(Protocol):
    device: int
    driver: Driver
    statistics: Statistics

    def allowed(self) -> int | None: ...  # The bytes that the program may have; None where there is no limit.


class CountedSizeClass(Protocol):
    size: int

    @property
    def cache(self) -> CountedCache: ...  # The cache that they belong to.


def allocated(size_class: CountedSizeClass, size: int) -> None:
    """Count a block that is given out, of which the program asked for `size` bytes: each allocation comes here."""
    counters = size_class.cache.statistics.counters
    add(counters, 0, size_class.size)
    add(counters, COUNTER_SLOTS, size)
    add(counters, 2 * COUNTER_SLOTS, 1)


def returned(size_class: CountedSizeClass, size: int) -> None:
    counters = size_class.cache.statistics.counters
    take(counters, 0, size_class.size)
    take(counters, COUNTER_SLOTS, size)
    take(counters, 2 * COUNTER_SLOTS, 1)


class Counting:
    """What counts blocks. Native code puts its own here: then nothing comes between reading a figure and writing it."""

    allocated: Callable[[CountedSizeClass, int], None] = staticmethod(allocated)
    returned: Callable[[CountedSizeClass, int], None] = staticmethod(returned)


class Statistics:
    """Of one device: what is given out, asked for, and reserved. Native code changes the first three `words`."""

    __slots__ = ("allocated", "blocks", "failures", "requested", "reserved", "retries", "segments", "counters")

    def __init__(self) -> None:
        self.retries = self.failures = 0
        self.counters = array("q", bytes(8 * COUNTER_SLOTS * 5))
        self.allocated, self.requested, self.blocks, self.reserved, self.segments = (
            Figure(self.counters, COUNTER_SLOTS * i) for i in range(5)
        )

    def figures(self) -> dict[str, Figure]:
        """By PyTorch's names; a block that is given out is active, and blocks are never split."""
        nothing = Figure(array("q", bytes(8 * COUNTER_SLOTS)))
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
        results: dict[str, dict[str, dict[str, int]] | int] = {
            name: {"all": {"current": f.now, "peak": f.peak, "allocated": f.added, "freed": f.total_allocated}}
            for name, f in self.figures().items()
        }
        results["num_alloc_retries"], results["num_ooms"] = self.retries, self.failures
        results["num_device_alloc"], results["num_device_free"] = self.segments.added, self.segments.total_allocated
        return results


def human(size: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size} bytes"


def out_of_memory(cache: CountedCache, size: int) -> str:
    free, total = cache.driver.memory_info(cache.device)
    result = cache.statistics
    allowed = cache.allowed()
    limit = "" if allowed is None else f" {human(allowed)} allowed;"
    return (
        f"CUDA out of memory. Tried to allocate {human(size)}. GPU {cache.device} has a total capacity of "
        f"{human(total)} of which {human(free)} is free.{limit} "
        f"Process {os.getpid()} has {human(total - free)} memory in use. "
        f"Of the allocated memory {human(result.allocated.now)} is allocated by specgrad, and "
        f"{human(result.reserved.now - result.allocated.now)} is reserved by specgrad but unallocated."
    )
