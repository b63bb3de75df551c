"""The driver of simulated devices: a call checks what it may touch, and its stream does it when it gets there."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...device.cuda.driver_protocol import Properties
from ...errors import AcceleratorError
from ...extension_points import fill
from ...locks import locked, new_lock
from .device_memory import FREED, Block, Memory, Region, device_of, fault, is_of_device
from .graphs import SimulatedGraphs
from .launches import Launch, LaunchEntry, check_limits, follows_addresses
from .limits import decoded, word_count
from .stream_order import Work
from .streams import Queues

MAX_ELEMENTS = 4096  # a thread takes microseconds here

Triple = tuple[int, int, int]


def _of_queues(name: str) -> Any:
    """The method of the queues of this name, as one of the driver."""

    @locked
    def method(self: SimulatedDriver, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.queues, name)(*args, **kwargs)

    return method


class SimulatedDriver(SimulatedGraphs):
    """A `Driver` of devices that are memory of this process.

    Args:
        devices: how many there are.
        memory: the bytes of each.
        seed: of the order in which streams do their work.
        blocking: whether each call waits for its work.
    """

    is_simulated = True

    def __init__(self, devices: int = 1, memory: int = 1 << 30, seed: int = 0, blocking: bool = False) -> None:
        super().__init__()
        self.lock = new_lock()
        self._max_elements = int(os.environ.get("SPECGRAD_CUDA_SIMULATED_ELEMENTS", MAX_ELEMENTS))
        self.memory = Memory([memory] * devices)
        self.queues = Queues(devices, seed, blocking)
        self._handles = itertools.count(1 << 32)
        self._functions: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        self._following: set[int] = set()  # functions that find arrays by addresses in memory
        self._pinned: dict[int, np.ndarray] = {}
        self._entry = LaunchEntry(self)

    @property
    def max_elements(self) -> int | None:
        """While anything is recorded there is no limit: the host could not compute it."""
        return None if self.queues.recordings else self._max_elements

    def device_count(self) -> int:
        return len(self.memory.totals)

    def properties(self, device: int) -> Properties:
        total = self.memory.totals[device]
        return Properties("Simulated CUDA device", 9, 0, total, 132, uuid=f"simulated-{device}")

    def memory_info(self, device: int) -> tuple[int, int]:
        total = self.memory.totals[device]
        return max(total - self.memory.used[device], 0), total

    def can_access_peer(self, device: int, peer: int) -> bool:
        return device != peer

    @locked
    def allocate(self, device: int, size: int, stream: int) -> int:
        self.queues.stream(stream)
        address = self.memory.allocate(device, size)
        if address:
            self._renew(self.memory.start(address, "allocate"), stream)
        return address

    @locked
    def on_allocate(self, address: int, size: int, stream: int) -> None:
        """The allocator gives a block out again, of which `size` bytes may be used."""
        block = self.memory.start(address, "allocate")
        block.live, block.usable = True, size
        block.owner += 1
        recording = self.queues.stream(stream).recording
        if recording is not None and not block.is_of_graph:
            block.is_of_graph = True
            recording.from_flat.add(block)  # what the program writes to it before a replay stays
            return
        if recording is not None:
            recording.from_flat.discard(block)
        self._renew(block, stream)

    def _renew(self, block: Block, stream: int) -> None:
        def run(work: Work) -> None:
            self.queues.races.note(block, 0, block.size, True, work)
            block.refresh()

        self.queues.give(stream, f"allocation of {block.usable} bytes", run, (block,))

    @locked
    def on_free(self, address: int, stream: int) -> None:
        self.memory.start(address, "free").live = False

    @locked
    def free(self, device: int, address: int, stream: int) -> None:
        self.queues.stream(stream)
        block = self.memory.free(address)

        def run(work: Work) -> None:
            self.queues.races.note(block, 0, block.size, True, work)
            block.bytes.fill(FREED)

        self.queues.give(stream, f"free of {block.size} bytes", run, (block,))

    def trim(self, device: int) -> None:
        pass  # what is freed is free at once

    @locked
    def copy(self, to: int, source: int, size: int, kind: str, stream: int) -> None:
        _check_sides(to, source, kind)
        if size == 0:
            return
        what = f"copy {kind} of {size} bytes"
        {"h2d": self._upload, "d2h": self._download, "d2d": self._move}[kind](to, source, size, stream, what)
        self.queues.relieve(stream)

    def _upload(self, to: int, source: int, size: int, stream: int, what: str) -> None:
        block = self.memory.block(to, size, what)
        if not self._is_pinned(source, size):
            self.queues.require_free(stream, "copies from pageable memory of the host")
        retained = None if self._is_pinned(source, size) else ctypes.string_at(source, size)

        def run(work: Work) -> None:
            there = self._touched(block, to, size, True, work)
            block.bytes[there] = np.frombuffer(
                ctypes.string_at(source, size) if retained is None else retained, np.uint8
            )
            block.written[there] = True

        self.queues.give(stream, what, run, (block,))

    def _download(self, to: int, source: int, size: int, stream: int, what: str) -> None:
        block = self.memory.block(source, size, what)
        if not self._is_pinned(to, size):
            self.queues.require_free(stream, "copies to the host")

        def run(work: Work) -> None:
            here = self._touched(block, source, size, False, work)
            ctypes.memmove(to, block.bytes[here].ctypes.data, size)

        value = self.queues.give(stream, what, run, (block,))
        if self._is_pinned(to, size):
            return
        try:
            self.queues.finish_stream(stream)
        finally:
            value.run = None  # after a fault: the caller's memory may be gone when the stream gets there

    def _move(self, to: int, source: int, size: int, stream: int, what: str) -> None:
        target, origin = self.memory.block(to, size, what), self.memory.block(source, size, what)

        def run(work: Work) -> None:
            here = self._touched(origin, source, size, False, work)
            there = self._touched(target, to, size, True, work)
            target.bytes[there], target.written[there] = origin.bytes[here].copy(), origin.written[here].copy()

        self.queues.give(stream, what, run, (target, origin))

    def _touched(self, block: Block, address: int, size: int, writes: bool, work: Work) -> slice:
        start = address - block.address
        self.queues.races.note(block, start, start + size, writes, work)
        return slice(start, start + size)

    def _is_pinned(self, address: int, size: int) -> bool:
        return any(start <= address and address + size <= start + memory.size for start, memory in self._pinned.items())

    @locked
    def fill(self, address: int, byte: int, size: int, stream: int) -> None:
        if size == 0:
            return
        what = f"fill of {size} bytes"
        block = self.memory.block(address, size, what)

        def run(work: Work) -> None:
            there = self._touched(block, address, size, True, work)
            block.bytes[there], block.written[there] = byte, True

        self.queues.give(stream, what, run, (block,))
        self.queues.relieve(stream)

    @locked
    def expose(self, address: int, size: int, stream: int) -> None:
        recording = self.queues.stream(stream).recording
        if (
            size
            and recording is not None
            and (block := self.memory.block(address, size, "expose")) in recording.from_flat
        ):
            block.written[:size] = True  # in replays nothing writes there, so what the program has written stays
        else:
            self.fill(address, 0xFF, size, stream)  # nan, or -1

    @locked
    def is_on_device(self, address: int, size: int, device: int) -> bool:
        try:
            self.memory.block(address, size, "search")
        except AcceleratorError:
            return False
        return device_of(address) == device

    @locked
    def load(self, kernel: Any, signature: tuple[Any, ...], device: int) -> int:
        handle = next(self._handles)
        self._functions[handle] = kernel, signature
        if follows_addresses(kernel, signature):
            self._following.add(handle)
        return handle

    @locked
    def launch(
        self, function: int, grid: Triple, block: Triple, slots: Sequence[int], shared: int, stream: int
    ) -> None:
        self._entry.raise_if_failed()
        if function not in self._functions:
            raise AcceleratorError(f"CUDA error: invalid resource handle: there is no function {function:#x}")
        kernel, signature = self._functions[function]
        check_limits(grid, block, shared, self.properties(0).shared_memory_per_block_optin)
        result = Launch(self.memory, self.queues.races, decoded(slots, signature), kernel.name)
        run = functools.partial(result.run, kernel, signature, grid, block, shared)
        self.queues.give(stream, f"launch of {kernel.name}", run, tuple(result.blocks.values()))
        if function in self._following:  # what it touches must be in use now, not only when the stream is there
            self.queues.catch_up(stream)
        self.queues.relieve(stream)

    def slots_of(self, function: int) -> int:
        return word_count(self._functions[function][1])

    def launch_entry(self) -> int:
        return self._entry.address

    def launch_handle(self, stream: int) -> int:
        return stream

    @locked
    def call(
        self, what: str, uses: Sequence[tuple[int, int, bool]], run: Callable[[list[Region]], None], stream: int
    ) -> None:
        """Let a library compute when the stream gets there.

        Args:
            what: its name.
            uses: the memory that it touches: address, bytes, whether it writes to it.
            run: what it does, to these parts of memory.
        """
        blocks = [self.memory.block(address, size, what) if size else None for address, size, _ in uses]

        def work(work: Work) -> None:
            regions = []
            for block, (address, size, writes) in zip(blocks, uses, strict=True):
                if block is None:
                    regions.append(Region(np.empty(0, np.uint8), np.empty(0, np.bool_)))
                else:
                    there = self._touched(block, address, size, writes, work)
                    regions.append(Region(block.bytes[there], block.written[there]))
            run(regions)

        self.queues.give(stream, what, work, [block for block in blocks if block is not None])
        self.queues.relieve(stream)

    def stream_priorities(self, device: int) -> tuple[int, int]:
        return 0, -5

    @locked
    def stream_done(self, stream: int) -> bool:
        self.queues.require_free(stream)
        self.queues.step()
        if self.queues.stream(stream).queue:
            return False
        self.queues.finish_stream(stream)
        return True

    @locked
    def destroy_event(self, event: int) -> None:
        self.queues.event(event)
        del self.queues.events[event]

    @locked
    def synchronize_event(self, event: int) -> None:
        work = self.queues.passed(event).work
        if work is not None:
            self.queues.finish(work)

    @locked
    def event_done(self, event: int) -> bool:
        work = self.queues.passed(event).work
        if work is None:
            return True
        self.queues.step()
        return self.queues.is_done(work)

    @locked
    def elapsed(self, start: int, end: int) -> float:
        events = self.queues.passed(start), self.queues.passed(end)
        for event in events:
            if event.work is None or not event.timing:
                raise AcceleratorError("CUDA error: invalid resource handle: an event without a time")
            if not self.queues.is_done(event.work):
                raise AcceleratorError("CUDA error: device not ready: an event that is not passed yet")
        return (events[1].time - events[0].time) * 1e3

    @locked
    def pin(self, size: int) -> int:
        memory = np.empty(max(size, 1), np.uint8)
        self._pinned[memory.ctypes.data] = memory
        return memory.ctypes.data

    @locked
    def unpin(self, address: int) -> None:
        if address not in self._pinned:
            raise AcceleratorError(f"CUDA error: invalid argument: {address:#x} is no pinned memory")
        for device in range(self.device_count()):
            self.queues.finish_device(device)
        del self._pinned[address]

    create_stream, destroy_stream = _of_queues("create_stream"), _of_queues("destroy_stream")
    create_event, record, wait = _of_queues("create_event"), _of_queues("record"), _of_queues("wait")
    synchronize, synchronize_stream = _of_queues("finish_device"), _of_queues("finish_stream")


def _check_sides(to: int, source: int, kind: str) -> None:
    if kind not in ("h2d", "d2h", "d2d"):
        raise ValueError(f"copy(): expected one of h2d, d2h, d2d, got {kind!r}")
    for address, on_device, side in ((to, kind[-1] == "d", "target"), (source, kind[0] == "d", "source")):
        if is_of_device(address) != on_device:
            requested, came = ("a device", "the host") if on_device else ("the host", "a device")
            raise fault(f"copy {kind}", f"expected a {side} on {requested}, but {address:#x} is an address of {came}")


fill("cuda_driver", SimulatedDriver)
