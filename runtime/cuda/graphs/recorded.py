"""A graph that was captured: what it holds besides the driver's graph, and what a replay does besides replaying it."""

from __future__ import annotations

from ..allocator import Cache
from ..bad_indices import replayed
from ..driver import in_use
from ..pinned import used_on
from .captures import Capture


class Recorded:
    """A graph, and all that must live as long as it does.

    Args:
        capture: the capture that has ended.
        graph: its handle.
        cache: the allocator of its device, which keeps its pool.
    """

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
        """Make it ready to be replayed, again if it was."""
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
        """Give all back; memory that was allocated in the capture is free when no tensor holds it."""
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
