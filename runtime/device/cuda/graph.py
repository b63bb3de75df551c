"""A captured graph: what it holds and what a replay does besides the driver's. Draws read from memory where they begin:
a replay takes as many words as the capture did, and writes its seed and the first of them there, so replays go on in
the stream of numbers as calls would."""

from typing import Any

import numpy as np

from . import allocator, graph_capture
from .allocator import Cache
from .array import DeviceArray
from .current import current_stream
from .driver import driver, in_use
from .graph_capture import Capture
from .index_errors import replayed
from .pinned_memory import used_on


class Recorded:
    """A graph, and all that must live as long; `cache`: the allocator of its device, which keeps its pool."""

    def __init__(self, capture: Capture, graph: int, cache: Cache) -> None:
        self.driver, self.device, self.pool = capture.driver, capture.device, capture.pool
        self.graph: int | None = graph
        self.size = self.driver.graph_size(graph)
        self.executable: int | None = None
        self.cache = cache
        self.retained, self.pinned, self.word = capture.retained, capture.pinned, capture.word
        self.generator_states = [
            generator_states for generator_states in capture.generator_states.values() if generator_states.count
        ]
        self.last: tuple[int, int] | None = None  # the stream of the last replay, and an event behind it

    def instantiate(self) -> None:
        assert self.graph is not None
        if self.executable is not None:
            self.driver.destroy_executable(self.executable)
        self.executable = self.driver.instantiate(self.graph)

    def forget_graph(self) -> None:
        if self.graph is not None:
            self.driver.destroy_graph(self.graph)
            self.graph = None

    def replay(self, stream: int) -> None:
        if self.executable is None:
            self.instantiate()
        assert self.executable is not None
        self._wait_for_last(stream)
        for generator_states in self.generator_states:
            generator_states.replay()
        self.driver.replay(self.executable, stream)
        if self.word is not None:
            replayed(self.word, stream)
        for array in self.pinned:
            used_on(array, self.device, stream)
        self._note_last(stream)

    def _wait_for_last(self, stream: int) -> None:
        """What replays are given is written for one after the other, as the driver replays them."""
        if self.generator_states and self.last is not None and self.last[0] != stream:
            self.driver.wait(stream, self.last[1])

    def _note_last(self, stream: int) -> None:
        if self.generator_states:
            event = self.driver.create_event(self.device) if self.last is None else self.last[1]
            self.driver.record(event, stream)
            self.last = stream, event

    def release(self) -> None:
        if not in_use(self.driver):
            return
        if self.executable is not None:
            self.driver.destroy_executable(self.executable)
        self.forget_graph()
        if self.last is not None:
            self.driver.destroy_event(self.last[1])
        self.cache.leave_pool(self.pool)
        self.executable = self.last = self.word = None
        self.retained, self.pinned, self.generator_states = [], [], []


SLOT_DTYPE = np.dtype(np.uint64)


class GeneratorState:
    """What a graph draws from one generator."""

    def __init__(self, generator: Any, capture: Capture, device: Any) -> None:
        self.generator, self.count = generator, 0
        self.before = generator._state_slots()
        self.seed, self.first = generator.take(0)
        with capture.aside():
            block = allocator.allocate(device.index, 2 * SLOT_DTYPE.itemsize)
            self.state = DeviceArray(block.address, (2,), SLOT_DTYPE, block, device)

    def take(self, count: int) -> tuple[DeviceArray, int]:
        seed, offset = self.generator.take(count)
        added = offset - self.first
        if seed != self.seed or added < 0:
            graph_capture.refuse(
                self.state.device.index or 0, "draws from a generator that was seeded or set back during the capture"
            )
        self.count = max(self.count, added + count)
        return self.state, added

    def end(self) -> None:
        self.generator._restore(self.before)

    def replay(self) -> None:
        seed, offset = self.generator.take(self.count)
        seed_and_offset = np.array([seed % 2**64, offset], SLOT_DTYPE)
        stream = current_stream(self.state.device.index or 0)
        driver().copy(self.state.address, seed_and_offset.ctypes.data, seed_and_offset.nbytes, "h2d", stream)


def position(generator: Any, count: int, device: Any) -> tuple[Any, int]:
    """Where a draw of `count` words begins: the seed and a word; in captures memory of both, and words behind these."""
    capture = graph_capture.here_on(device.index)
    if capture is None:
        return generator.take(count)
    key = id(generator)
    if key not in capture.generator_states:
        capture.generator_states[key] = GeneratorState(generator, capture, device)
    return capture.generator_states[key].take(count)
