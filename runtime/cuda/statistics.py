"""What the allocator has given out: figures, the table of them, and the message when memory has run out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .allocator import Cache


class Figure:
    """A number that goes up and down: what it is now, its highest value, and all that was added."""

    __slots__ = ("added", "now", "peak")

    def __init__(self) -> None:
        self.added = self.now = self.peak = 0


class Statistics:
    """Of one device, in bytes and in blocks: given out, as rounded and as asked for, and reserved from the driver."""

    __slots__ = ("allocated", "blocks", "failures", "requested", "reserved", "retries", "segments")

    def __init__(self) -> None:
        self.retries = self.failures = 0
        self.allocated, self.requested, self.reserved = Figure(), Figure(), Figure()
        self.blocks, self.segments = Figure(), Figure()

    def take(self, size: int, kind: int) -> None:
        """A block was given out."""
        for figure, amount in ((self.allocated, kind), (self.requested, size), (self.blocks, 1)):
            _add(figure, amount)

    def give(self, size: int, kind: int) -> None:
        """It came back."""
        self.allocated.now -= kind
        self.requested.now -= size
        self.blocks.now -= 1

    def reserve(self, kind: int) -> None:
        """The driver gave memory."""
        _add(self.reserved, kind)
        _add(self.segments, 1)

    def release(self, kind: int) -> None:
        """The driver got it back."""
        self.reserved.now -= kind
        self.segments.now -= 1


def _add(figure: Figure, amount: int) -> None:
    figure.now += amount
    figure.added += amount
    figure.peak = max(figure.peak, figure.now)


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
