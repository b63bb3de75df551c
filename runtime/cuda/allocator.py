"""Memory of CUDA devices, kept for reuse when it is freed: blocks by stream and size class.

A block that was freed is given out again only for work on the same stream, which comes after all that used it before,
so nothing waits. Sizes are rounded to classes: multiples of 512 bytes up to 1 MiB, above eighths of a power of two.
Where a class has no free block the driver is asked; where that has no memory left, all cached blocks are given back to
it, and it is asked again.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import OutOfMemoryError
from ..locks import new_lock
from .current import here
from .driver import driver
from .statistics import Statistics, out_of_memory

SMALL = 1 << 20  # bytes up to which classes are multiples of UNIT
UNIT = 512


class Shelf:
    """The free blocks of one class on one stream, as addresses."""

    __slots__ = ("cache", "free", "size", "stream")

    def __init__(self, cache: Cache, stream: int, size: int) -> None:
        self.cache, self.stream, self.size = cache, stream, size
        self.free: list[int] = []


class Block:
    """Memory of a device, which is free again when nothing refers to this object any more.

    `size` is what was asked for; `streams` are those besides its own that `record_stream` says use it.
    """

    __slots__ = ("__weakref__", "address", "shelf", "size", "streams")
    address: int
    size: int
    shelf: Shelf
    streams: set[int] | None

    @property
    def stream(self) -> int:
        """The stream that it was allocated for."""
        return self.shelf.stream

    @property
    def device(self) -> int:
        """The number of its device."""
        return self.shelf.cache.device

    def record_stream(self, stream: int) -> None:
        """Work of another stream uses it: it is free only when what that stream was given by then is done."""
        if stream != self.shelf.stream:
            self.streams = {*(self.streams or ()), stream}

    def __del__(self) -> None:
        try:
            shelf = self.shelf
        except AttributeError:  # there was no memory for it
            return
        shelf.cache.give(self)

    def __repr__(self) -> str:
        return f"Block({self.size} bytes at {self.address:#x} of cuda:{self.device})"


def rounded(size: int) -> int:
    """The class of a size."""
    if size <= SMALL:
        return (size + UNIT - 1) & -UNIT or UNIT
    shift = (size - 1).bit_length() - 4
    return (((size - 1) >> shift) + 1) << shift


class Cache:
    """The blocks of one device.

    The collector may free a block anywhere, also where its thread has this lock or one that others want who have this
    one: so the lock lets its thread in again, and a block that finds it closed waits in `late` for who comes next.
    """

    def __init__(self, device: int) -> None:
        self.device = device
        self.driver = driver()
        self.lock = new_lock()
        self.shelves: dict[tuple[int, int], Shelf] = {}
        self.statistics = Statistics()
        self.fraction = 1.0
        self.waiting: deque[tuple[list[int], Shelf, int]] = deque()  # events that come before a block is free
        self.late: deque[Block] = deque()
        self.give: Callable[[Block], None] = self._give_or_leave
        watcher: Any = self.driver  # the simulated one tells blocks that are in use from those in the cache
        self.given_out = getattr(watcher, "given_out", None)
        self.taken_back = getattr(watcher, "taken_back", None)

    def take(self, size: int, stream: int) -> Block:
        """A block of at least `size` bytes, for work on a stream."""
        if self.late:
            self._give_late()
        kind = (size + 511) & -512 or 512 if size <= SMALL else rounded(size)
        block = Block()
        block.size, block.streams = size, None
        with self.lock:
            if self.waiting:
                self._look_at_events()
            shelf = self.shelves.get((stream, kind)) or self._shelf(stream, kind)
            block.address = shelf.free.pop() if shelf.free else self._reserve(kind, stream, size)
            block.shelf = shelf
            self.statistics.given(size, kind)
            if self.given_out is not None:
                self.given_out(block.address, size, stream)
        return block

    def _shelf(self, stream: int, kind: int) -> Shelf:
        return self.shelves.setdefault((stream, kind), Shelf(self, stream, kind))

    def _give_or_leave(self, block: Block) -> None:
        if not self.lock.acquire(blocking=False):
            self.late.append(block)
            return
        try:
            self._give(block)
        finally:
            self.lock.release()

    def _give_late(self) -> None:
        with self.lock:
            while self.late:
                self._give(self.late.popleft())

    def _give(self, block: Block) -> None:
        """A block is no longer used."""
        shelf = block.shelf
        with self.lock:
            self.statistics.returned(block.size, shelf.size)
            if self.taken_back is not None:
                self.taken_back(block.address, shelf.stream)
            if block.streams is None:
                shelf.free.append(block.address)
            elif not sys.is_finalizing():
                self.waiting.append((self._events(block.streams), shelf, block.address))

    def _events(self, streams: Iterable[int]) -> list[int]:
        """Events that stand for what was given to these streams so far."""
        found = []
        for stream in streams:
            event = self.driver.create_event(self.device)
            self.driver.record(event, stream)
            found.append(event)
        return found

    def _look_at_events(self, wait: bool = False) -> None:
        """Put back what other streams have done with, or what they will have when they are waited for."""
        for _ in range(len(self.waiting)):
            events, shelf, address = self.waiting.popleft()
            for event in events if wait else ():
                self.driver.synchronize_event(event)
            if all(map(self.driver.event_done, events)):
                for event in events:
                    self.driver.destroy_event(event)
                shelf.free.append(address)
            else:
                self.waiting.append((events, shelf, address))

    def _reserve(self, kind: int, stream: int, size: int) -> int:
        """New memory from the driver, where need be after all that is cached was given back."""
        address = self._ask(kind, stream)
        if not address:
            self.statistics.retries += 1
            self.release()
            address = self._ask(kind, stream)
        if not address:
            self.statistics.failures += 1
            raise OutOfMemoryError(out_of_memory(self, size))
        self.statistics.reserved.add(kind)
        self.statistics.segments.add(1)
        return address

    def _ask(self, kind: int, stream: int) -> int:
        allowed = self.allowed()
        if allowed is not None and self.statistics.reserved.now + kind > allowed:
            return 0
        return self.driver.allocate(self.device, kind, stream)

    def allowed(self) -> int | None:
        """The bytes that may be reserved, if there is a limit besides the device's."""
        return None if self.fraction == 1.0 else int(self.fraction * self.driver.memory_info(self.device)[1])

    def release(self) -> None:
        """Give all cached blocks back to the driver."""
        self._give_late()
        with self.lock:
            self._look_at_events(wait=True)
            for shelf in list(self.shelves.values()):
                while shelf.free:
                    self.driver.free(self.device, shelf.free.pop(), shelf.stream)
                    self.statistics.reserved.take(shelf.size)
                    self.statistics.segments.take(1)
            self.driver.synchronize(self.device)
            self.driver.trim(self.device)


_caches: dict[int, Cache] = {}
_making = new_lock()


def cache(device: int) -> Cache:
    """The blocks of a device."""
    if device not in _caches:
        with _making:
            if device not in _caches:
                _caches[device] = Cache(device)
    return _caches[device]


def in_use() -> bool:
    """Whether any device has been asked for memory."""
    return bool(_caches)


def existing_cache(device: int) -> Cache | None:
    """The blocks of a device, if it ever had one."""
    return _caches.get(device)


def allocate(device: int, size: int, stream: int | None = None) -> Block:
    """Memory of `size` bytes, for work on a stream of the device: the current one where none is given.

    Raises:
        OutOfMemoryError: the device has too little left.
    """
    if stream is None:
        streams = here.streams
        stream = streams[device][0] if device in streams else device
    return (_caches.get(device) or cache(device)).take(size, stream)


def release() -> None:
    """Give the cached memory of all devices back to the driver."""
    for found in list(_caches.values()):
        found.release()


def _ignore(block: Block) -> None:
    """In a forked process memory of devices belongs to the parent, and one that ends gives back all of it."""


def _forked() -> None:
    _ended()
    _caches.clear()


@atexit.register
def _ended() -> None:
    for found in _caches.values():
        found.give = _ignore


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
