"""The part of the driver of simulated devices that records and replays: recorded items are given to streams of the
graph again as often as it is replayed.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from ...locks import locked
from .device_memory import Block, Memory, fault
from .stream_order import Clock, Item, Stream, Work, join
from .streams import Queues


class Executable:
    """A graph that can be replayed: every stream of its capture has one of its own, where the items run.

    Args:
        queues: where these streams are.
        memory: in which kernels find what they have addresses of.
        items: what was recorded.
        device: the number of the device.
    """

    def __init__(self, queues: Queues, memory: Memory, items: Sequence[Item], device: int) -> None:
        self.queues, self.memory, self.items = queues, memory, items
        self.streams = {item.work.stream: -1 for item in items}
        for captured in self.streams:
            self.streams[captured] = queues.create_stream(device, 0, blocking=False)
        self.end: Clock = {}  # of the last replay

    def replay(self, stream: int) -> None:
        """Queue all items behind what the stream was given, and behind the last replay; the stream waits for them.
        RuntimeError: memory that the graph uses was freed since it was recorded.
        """
        for item in self.items:
            for block, owner in item.uses:
                require_retained(block, owner, item.work)
        begin = self.queues.give(stream, "replay of a graph", None)
        own = [self.queues.stream(handle) for handle in self.streams.values()]
        for each in own:
            each.clock = join(each.clock, begin.clock, self.end)
        before = {captured: self.queues.stream(handle).enqueued for captured, handle in self.streams.items()}
        for item in self.items:
            self._give(item.work, before, begin)
        there = self.queues.stream(stream)
        there.clock = join(there.clock, *[each.clock for each in own])
        self.end = self.queues.give(stream, "end of a graph", None).clock

    def _give(self, work: Work, before: dict[int, int], begin: Work) -> None:
        stream: Stream = self.queues.stream(self.streams[work.stream])
        moved = {self.streams[captured]: before[captured] + number for captured, number in work.clock.items()}
        clock = join(stream.clock, self.queues.host, moved)
        what = f"{work.what}, recorded at {work.where} and replayed"
        stream.enqueued, stream.clock = moved[stream.handle], clock
        run = partial(self._run, work.run)
        stream.queue.append(Work(stream.handle, stream.enqueued, clock, what, begin.where, run))

    def _run(self, run: Callable[[Work], Any] | None, work: Work) -> None:
        assert run is not None
        self.memory.is_replaying = True
        try:
            run(work)
        finally:
            self.memory.is_replaying = False

    def destroy(self) -> None:
        for handle in self.streams.values():
            self.queues.destroy_stream(handle)


def print_items(items: Sequence[Item], path: str) -> None:
    names = {(item.work.stream, item.work.number): f"n{index}" for index, item in enumerate(items)}
    lines = [f'  {names[item.work.stream, item.work.number]} [label="{item.work.what}"];' for item in items]
    for item in items:
        own = item.work.stream, item.work.number
        for stream, number in item.work.clock.items():
            before = stream, number - (stream == item.work.stream)
            lines += [f"  {names[before]} -> {names[own]};"] if before in names else []
    Path(path).write_text("\n".join(["digraph graph_0 {", *lines, "}", ""]), encoding="utf-8")


def require_retained(block: Block, owner: int, work: Work) -> None:
    """Memory that was allocated during captures is the graphs' for as long as the driver has it; other memory must
    belong to whom it belonged to. RuntimeError: it does not.
    """
    if not block.is_of_graph and not (block.live and block.owner == owner):
        raise fault(
            "replay of a graph",
            f"use after free of the block of {block.size} bytes at {block.address:#x}, which {work} uses: "
            "what a graph reads and writes must live as long as it is replayed",
        )


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
