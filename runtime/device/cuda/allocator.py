"""Memory of CUDA devices, kept for reuse when it is freed. A block is given out again only for work on the same stream,
so nothing waits. Sizes are rounded to multiples of 512 bytes up to 1 MiB, above to eighths of a power of two. Where no
memory is left, all cached blocks are given back, and the driver is asked again. Captures have lists of their graph."""

import atexit
import contextlib
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any
from weakref import WeakSet

from ...errors import OutOfMemoryError
from ...locks import new_lock
from . import graph_capture
from .current import here
from .driver import chosen
from .dry_run import block_noted
from .graph_capture import PrivatePool, new_handle, underway
from .memory_stats import Counting, Statistics, out_of_memory

SMALL = 1 << 20  # bytes up to which classes are multiples of UNIT
UNIT = 512


class SizeClass:
    """The free addresses of one class on one stream; `quick`: native code may take and put back blocks by itself."""

    __slots__ = ("cache", "free", "pool", "quick", "size", "stream", "counters")

    def __init__(self, cache: "Cache", stream: int, size: int, pool: PrivatePool | None = None) -> None:
        self.cache, self.stream, self.size, self.pool = cache, stream, size, pool
        self.free: list[int] = []
        self.quick = cache.on_allocate is None and pool is None
        self.counters = cache.statistics.counters.buffer_info()[0]  # the address of the figures

    def emptied(self) -> Iterator[int]:
        with contextlib.suppress(IndexError):
            while True:
                yield self.free.pop()


class Block:
    """Memory that is free when nothing refers to this. `size`: as asked for; `streams`: others that use it."""

    __slots__ = ("__weakref__", "address", "size_class", "size", "streams")
    address: int
    size: int
    size_class: SizeClass
    streams: set[int] | None

    @property
    def stream(self) -> int:
        return self.size_class.stream

    @property
    def device(self) -> int:
        return self.size_class.cache.device

    def record_stream(self, stream: int) -> None:
        """Work of another stream uses it: it is free only when what that stream was given by then is done."""
        if stream != self.size_class.stream:
            self.streams = {*(self.streams or ()), stream}

    def __del__(self) -> None:
        try:
            size_class = self.size_class
        except AttributeError:  # there was no memory for it
            return
        size_class.cache.give(self)

    def __repr__(self) -> str:
        return f"Block({self.size} bytes at {self.address:#x} of cuda:{self.device})"


def rounded(size: int) -> int:
    if size <= SMALL:
        return (size + UNIT - 1) & -UNIT or UNIT
    shift = (size - 1).bit_length() - 4
    return (((size - 1) >> shift) + 1) << shift


class Cache:
    """The blocks of one device. The collector may free a block anywhere, also where its thread has this lock: so that
    lets its thread in again, and a block that finds it closed waits in `late`."""

    def __init__(self, device: int) -> None:
        _every.add(self)
        self.device = device
        self.driver = chosen()
        self.lock = new_lock()
        self.size_classes: dict[tuple[int, int], SizeClass] = {}
        self.pools: dict[tuple[int, int], PrivatePool] = {}  # of graphs, by their handles
        self.left: list[PrivatePool] = []  # whose graphs are gone
        self.statistics = Statistics()
        self.fraction = 1.0
        self.waiting: deque[tuple[list[int], SizeClass, int]] = deque()  # events that come before a block is free
        self.late: deque[Block] = deque()
        self.give: Callable[[Block], None] = self._give_or_leave
        watcher: Any = self.driver  # the simulated one tells blocks that are in use from those in the cache
        self.on_allocate = getattr(watcher, "on_allocate", None)
        self.on_free = getattr(watcher, "on_free", None)

    def take(self, size: int, stream: int) -> Block:
        if self.late:
            self._give_late()
        kind = (size + 511) & -512 or 512 if size <= SMALL else rounded(size)
        block = Block()
        block.size, block.streams = size, None
        with self.lock:
            if underway:
                size_class = self._capture_size_class(stream, kind)
            else:
                if self.waiting:
                    self._look_at_events()
                size_class = self.size_classes.get((stream, kind)) or self._size_class(stream, kind)
            try:
                block.address = size_class.free.pop()
            except IndexError:
                block.address = self._reserve(size_class, size)
            block.size_class = size_class
            Counting.allocated(size_class, size)
            if self.on_allocate is not None:
                self.on_allocate(block.address, size, stream)
        block_noted(block)
        return block

    def _size_class(self, stream: int, kind: int) -> SizeClass:
        return self.size_classes.setdefault((stream, kind), SizeClass(self, stream, kind))

    def _capture_size_class(self, stream: int, kind: int) -> SizeClass:
        capture = graph_capture.of_stream(stream)
        if capture is None:
            return self._size_class(stream, kind)
        return capture.pool.size_classes.setdefault((stream, kind), SizeClass(self, stream, kind, capture.pool))

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
        size_class = block.size_class
        with self.lock:
            Counting.returned(size_class, block.size)
            if self.on_free is not None:
                self.on_free(block.address, size_class.stream)
            if block.streams is None:
                size_class.free.append(block.address)
            elif not sys.is_finalizing():
                graph_capture.after_all(partial(self._let_wait, block.streams, size_class, block.address))

    def _let_wait(self, streams: Iterable[int], size_class: SizeClass, address: int) -> None:
        self.waiting.append((self._events(streams), size_class, address))

    def _events(self, streams: Iterable[int]) -> list[int]:
        matches = []
        for stream in streams:
            event = self.driver.create_event(self.device)
            self.driver.record(event, stream)
            matches.append(event)
        return matches

    def _look_at_events(self, wait: bool = False) -> None:
        for _ in range(len(self.waiting)):
            events, size_class, address = self.waiting.popleft()
            for event in events if wait else ():
                self.driver.synchronize_event(event)
            if all(map(self.driver.event_done, events)):
                for event in events:
                    self.driver.destroy_event(event)
                size_class.free.append(address)
            else:
                self.waiting.append((events, size_class, address))

    def _reserve(self, size_class: SizeClass, size: int) -> int:
        address = self._ask(size_class)
        if not address and not underway:
            self.statistics.retries += 1
            self.release()
            address = self._ask(size_class)
        if not address:
            self.statistics.failures += 1
            raise OutOfMemoryError(out_of_memory(self, size))
        self.statistics.reserved.add(size_class.size)
        self.statistics.segments.add(1)
        if size_class.pool is not None:
            size_class.pool.blocks += 1
        return address

    def _ask(self, size_class: SizeClass) -> int:
        allowed = self.allowed()
        if allowed is not None and self.statistics.reserved.now + size_class.size > allowed:
            return 0
        if size_class.pool is None:
            return self.driver.allocate(self.device, size_class.size, size_class.stream)
        return graph_capture.allocate(self.driver, self.device, size_class.size)

    def allowed(self) -> int | None:
        return None if self.fraction == 1.0 else int(self.fraction * self.driver.memory_info(self.device)[1])

    def release(self) -> None:
        """Give cached blocks back, but for those of graphs; a RuntimeError where the stream is recorded."""
        graph_capture.refuse(self.device, "gives memory back")
        self._give_late()
        with self.lock:
            self._look_at_events(wait=True)
            for size_class in list(self.size_classes.values()):
                self._empty(size_class, size_class.stream)
            self.driver.synchronize(self.device)
            for pool in self.left:
                for size_class in pool.size_classes.values():
                    pool.blocks -= self._empty(size_class, self.device)
            self.left = [pool for pool in self.left if pool.blocks]
            self.driver.trim(self.device)

    def _empty(self, size_class: SizeClass, stream: int) -> int:
        count = 0
        for count, address in enumerate(size_class.emptied(), 1):  # noqa: B007  (how many they were)
            self.driver.free(self.device, address, stream)
            self.statistics.reserved.take(size_class.size)
            self.statistics.segments.take(1)
        return count

    def enter_pool(self, handle: tuple[int, int] | None) -> PrivatePool:
        """The memory that a graph shares with others by a handle, or that it has alone, for one more graph."""
        with self.lock:
            name = new_handle() if handle is None else handle
            pool = self.pools.setdefault(name, PrivatePool(name))
            pool.graphs += 1
            return pool

    def leave_pool(self, pool: PrivatePool) -> None:
        with self.lock:
            pool.graphs -= 1
            if not pool.graphs:
                del self.pools[pool.handle]
                self.left.append(pool)


_caches: dict[int, Cache] = {}
_every: WeakSet[Cache] = WeakSet()  # also those that are no device's any more, while blocks of theirs live
_making = new_lock()


def cache(device: int) -> Cache:
    if device not in _caches:
        with _making:
            if device not in _caches:
                _caches[device] = Cache(device)
    return _caches[device]


def in_use() -> bool:
    return bool(_caches)


def existing_cache(device: int) -> Cache | None:
    return _caches.get(device)


def allocate(device: int, size: int, stream: int | None = None) -> Block:
    """Memory for work on a stream, the current one by default; an OutOfMemoryError where too little is left."""
    if stream is None:
        streams = here.streams
        stream = streams[device][0] if device in streams else device
    return (_caches.get(device) or cache(device)).take(size, stream)


def release() -> None:
    for result in list(_caches.values()):
        result.release()


def _ignore(block: Block) -> None:
    """In a forked process memory of devices belongs to the parent, and one that ends gives back all of it."""


def _forked() -> None:
    _ended()
    _caches.clear()


@atexit.register
def _ended() -> None:
    for result in list(_every):
        result.give = _ignore
        for size_class in result.size_classes.values():
            size_class.quick = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
