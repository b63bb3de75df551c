"""The part of the driver of simulated devices that records and replays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ...locks import locked
from .memory import Memory
from .queues import Queues
from .recordings import Item
from .replays import Executable, print_items


class SimulatedGraphs:
    lock: Any
    memory: Memory
    queues: Queues
    _handles: Iterator[int]

    def __init__(self) -> None:
        self._graphs: dict[int, tuple[list[Item], int]] = {}
        self._executables: dict[int, Executable] = {}

    @locked
    def begin_capture(self, stream: int, mode: str) -> None:
        self.queues.begin_recording(stream, mode)

    @locked
    def end_capture(self, stream: int) -> int:
        self._graphs[handle := next(self._handles)] = (
            self.queues.end_recording(stream),
            self.queues.stream(stream).device,
        )
        return handle

    @locked
    def is_capturing(self, stream: int) -> bool:
        return self.queues.stream(stream).recording is not None

    @locked
    def invalidate_capture(self, stream: int) -> None:
        self.queues.stream(stream).recording.is_invalid = True

    def unrestricted(self) -> AbstractContextManager[None]:
        return nullcontext()  # other streams go on as they do without captures

    @locked
    def instantiate(self, graph: int) -> int:
        self._executables[handle := next(self._handles)] = Executable(self.queues, self.memory, *self._graphs[graph])
        return handle

    @locked
    def replay(self, executable: int, stream: int) -> None:
        self.queues.require_free(stream, "replays a graph")
        self._executables[executable].replay(stream)
        self.queues.relieve(stream)

    def graph_size(self, graph: int) -> int:
        return len(self._graphs[graph][0])

    def print_graph(self, graph: int, path: str) -> None:
        print_items(self._graphs[graph][0], path)

    @locked
    def destroy_graph(self, graph: int) -> None:
        del self._graphs[graph]

    @locked
    def destroy_executable(self, executable: int) -> None:
        self._executables.pop(executable).destroy()
