"""What the allocator has given out: figures under PyTorch's names, and the message when memory has run out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .allocator import Cache


class Figure:
    """A number that goes up and down: what it is now, its highest value, and all that was ever taken away."""

    __slots__ = ("forgotten", "now", "peak", "taken")

    def __init__(self) -> None:
        self.now = self.peak = self.taken = self.forgotten = 0

    @property
    def added(self) -> int:
        """All that was ever added, without what was there before `reset_accumulated`."""
        return self.now + self.taken - self.forgotten

    def add(self, amount: int) -> None:
        now = self.now = self.now + amount
        if now > self.peak:
            self.peak = now

    def take(self, amount: int) -> None:
        self.now -= amount
        self.taken += amount


class Statistics:
    """Of one device: bytes and blocks that are given out, bytes as they were asked for, and what the driver gave."""

    __slots__ = ("allocated", "blocks", "failures", "requested", "reserved", "retries", "segments")

    def __init__(self) -> None:
        self.retries = self.failures = 0
        self.allocated, self.requested, self.reserved = Figure(), Figure(), Figure()
        self.blocks, self.segments = Figure(), Figure()

    def given(self, size: int, kind: int) -> None:
        """A block was given out: each allocation comes through here."""
        allocated, requested, blocks = self.allocated, self.requested, self.blocks
        now = allocated.now = allocated.now + kind
        if now > allocated.peak:
            allocated.peak = now
        now = requested.now = requested.now + size
        if now > requested.peak:
            requested.peak = now
        now = blocks.now = blocks.now + 1
        if now > blocks.peak:
            blocks.peak = now

    def returned(self, size: int, kind: int) -> None:
        """It came back: likewise."""
        allocated, requested, blocks = self.allocated, self.requested, self.blocks
        allocated.now -= kind
        allocated.taken += kind
        requested.now -= size
        requested.taken += size
        blocks.now -= 1
        blocks.taken += 1

    def figures(self) -> dict[str, Figure]:
        """By PyTorch's names; a block that is given out is active, and blocks are never split."""
        nothing = Figure()
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
        """Let peaks begin at what is there now."""
        for figure in self.figures().values():
            figure.peak = figure.now

    def reset_accumulated(self) -> None:
        """Forget what was added and taken away."""
        self.retries = self.failures = 0
        for figure in self.figures().values():
            figure.taken, figure.forgotten = 0, figure.now

    def nested(self) -> dict[str, dict[str, dict[str, int]] | int]:
        """All figures, as PyTorch's `memory_stats_as_nested_dict` has them."""
        found: dict[str, dict[str, dict[str, int]] | int] = {
            name: {"all": {"current": f.now, "peak": f.peak, "allocated": f.added, "freed": f.taken}}
            for name, f in self.figures().items()
        }
        found["num_alloc_retries"], found["num_ooms"] = self.retries, self.failures
        found["num_device_alloc"], found["num_device_free"] = self.segments.added, self.segments.taken
        return found


def human(size: int) -> str:
    """Bytes as PyTorch's messages have them."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size} bytes"


def out_of_memory(cache: Cache, size: int) -> str:
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
