"""Pinned host memory. Pinning is slow, so blocks are kept, by powers of two; one is free again when no array lies over
it and the copies noted for it (`used_on`) are done."""

import os
from collections import deque
from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...errors import OutOfMemoryError
from ...locks import new_lock
from . import graph_capture
from .driver import chosen, in_use
from .driver_protocol import Driver
from .memory_stats import human

SMALLEST = 512


class HostBlock:
    """Pinned memory, which is free again when no array over it is left."""

    __slots__ = ("__weakref__", "address", "kind", "pool", "size", "streams")
    pool: "HostPool"

    def __init__(self, address: int, size: int, kind: int, pool: "HostPool") -> None:
        self.address, self.size, self.kind = address, size, kind
        self.streams: set[tuple[int, int]] = set()  # that copy from it or to it, each with its device
        self.pool = pool

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"data": (self.address, False), "shape": (self.size,), "typestr": "|u1", "version": 3}

    def __del__(self) -> None:
        if in_use(self.pool.driver):
            self.pool.give(self)


class HostPool:
    def __init__(self) -> None:
        self.driver: Driver = chosen()
        self.lock = new_lock()
        self.free: dict[int, list[int]] = {}
        self.waiting: deque[tuple[list[int], int, int]] = deque()  # events that come before a block is free
        self.reserved = 0

    def take(self, size: int) -> HostBlock:
        kind = max(SMALLEST, 1 << max(size - 1, 0).bit_length())
        with self.lock:
            if not graph_capture.underway:
                self._look_at_events()
            cached = self.free.get(kind)
            return HostBlock(cached.pop() if cached else self._pin(kind), size, kind, self)

    def _pin(self, kind: int) -> int:
        address = self.driver.pin(kind)
        if not address:
            self.release()
            address = self.driver.pin(kind)
        if not address:
            raise OutOfMemoryError(f"pin_memory(): no {human(kind)} of host memory can be pinned")
        self.reserved += kind
        return address

    def give(self, block: HostBlock) -> None:
        graph_capture.after_all(partial(self._let_wait, block.streams, block.kind, block.address))

    def _let_wait(self, streams: set[tuple[int, int]], kind: int, address: int) -> None:
        with self.lock:
            events = []
            for device, stream in streams:
                events.append(self.driver.create_event(device))
                self.driver.record(events[-1], stream)
            self.waiting.append((events, kind, address))

    def _look_at_events(self) -> None:
        for _ in range(len(self.waiting)):
            events, kind, address = self.waiting.popleft()
            if all(map(self.driver.event_done, events)):
                for event in events:
                    self.driver.destroy_event(event)
                self.free.setdefault(kind, []).append(address)
            else:
                self.waiting.append((events, kind, address))

    def release(self) -> None:
        with self.lock:
            if graph_capture.underway:
                return
            self._look_at_events()
            for kind, addresses in self.free.items():
                while addresses:
                    self.driver.unpin(addresses.pop())
                    self.reserved -= kind


_pools: list[HostPool] = []
_making = new_lock()


def pool() -> HostPool:
    with _making:
        if not (_pools and in_use(_pools[0].driver)):
            _pools[:] = [HostPool()]
        return _pools[0]


def empty(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """An array in pinned memory; a RuntimeError where there is no driver, or no memory left."""
    kind = np.dtype(dtype)
    memory = np.asarray(pool().take(prod(shape) * kind.itemsize))
    return memory.view(kind).reshape(shape)


def copied(array: np.ndarray) -> np.ndarray:
    result = empty(array.shape, array.dtype)
    result[...] = array
    return result


def block_of(array: np.ndarray) -> HostBlock | None:
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, HostBlock) else None


def is_pinned(array: np.ndarray) -> bool:
    return block_of(array) is not None


def used_on(array: np.ndarray, device: int, stream: int) -> None:
    """A copy that was given to a stream reads or writes an array: its memory is not free before that is done."""
    block = block_of(array)
    if block is not None:
        block.streams.add((device, stream))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # pinned memory is the parent's
