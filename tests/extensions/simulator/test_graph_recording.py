"""Captures on simulated devices: what takes part, what is refused, and in what order replays run."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from specgrad.runtime.errors import AcceleratorError
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.programs import SIZE, Bytes


class Program(Bytes):
    """Calls of a simulated driver, and graphs of them."""

    def __init__(self, seed: int = 0, **keywords: Any) -> None:
        super().__init__(SimulatedDriver(2, 1 << 20, seed, **keywords))
        for address in (self.a, self.b):
            self.fill(address, 0, 0)
        self.driver.synchronize(0)

    def recorded(self, calls: Callable[[int], Any]) -> int:
        stream = self.stream()
        self.driver.begin_capture(stream, "global")
        calls(stream)
        return self.driver.instantiate(self.driver.end_capture(stream))


@pytest.mark.parametrize("seed", range(6))
def test_replays_keep_the_order(seed: int) -> None:
    """In a graph as between replays and other work, whatever order is drawn among streams."""
    p = Program(seed)

    def calls(stream: int) -> None:
        p.move(p.b, p.a, stream)
        p.fill(p.a, 7, stream)

    graph, other = p.recorded(calls), p.stream()
    for byte in range(1, 4):
        p.fill(p.a, byte, 0)
        p.driver.wait(other, p.event(0))
        p.driver.replay(graph, other)
        p.driver.wait(0, p.event(other))
        assert (p.read(p.b, 0), p.read(p.a, 0)) == (byte, 7)


@pytest.mark.parametrize("seed", range(4))
def test_branches(seed: int) -> None:
    """A stream that waits for an event of the capture is recorded from then on, until the capture ends."""
    p = Program(seed)
    side = p.stream()

    def calls(stream: int) -> None:
        p.fill(p.a, 1, stream)
        p.driver.wait(side, p.event(stream))
        assert p.driver.is_capturing(side)
        p.fill(p.b, 2, side)
        p.fill(p.a, 3, stream)
        p.driver.wait(stream, p.event(side))
        p.move(p.b, p.a, stream)

    graph = p.recorded(calls)
    assert not p.driver.is_capturing(side) and p.read(p.b, 0) == 0
    p.driver.replay(graph, 0)
    assert p.read(p.b, 0) == 3


def test_blocking_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """With CUDA_LAUNCH_BLOCKING=1 a replay has run when the call returns, and a capture records all the same."""
    p = Program(blocking=True)
    graph = p.recorded(lambda stream: p.fill(p.a, 4, stream))
    assert p.read(p.a, 0) == 0
    p.driver.replay(graph, 0)
    assert p.driver.stream_done(0) and p.read(p.a, 0) == 4


def test_a_graph_that_waits_is_destroyed_later() -> None:
    """What was replayed is done, though the graph is gone."""
    p = Program()
    graph = p.recorded(lambda stream: p.fill(p.a, 4, stream))
    p.driver.replay(graph, 0)
    p.driver.destroy_executable(graph)
    streams = len(p.driver.queues.streams)  # type: ignore[attr-defined]
    assert p.read(p.a, 0) == 4
    assert len(p.driver.queues.streams) == streams - 1  # type: ignore[attr-defined]


def wrong_thread(p: Program, stream: int) -> None:
    caught: list[BaseException] = []

    def end() -> None:
        try:
            p.driver.end_capture(stream)
        except AcceleratorError as error:
            caught.append(error)

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    raise caught[0]


def merged(p: Program, stream: int) -> None:
    other = p.stream()
    p.driver.begin_capture(other, "global")
    try:
        p.driver.wait(other, p.event(stream))
    finally:
        with pytest.raises(AcceleratorError, match="previous error during capture"):
            p.driver.end_capture(stream)
        p.driver.end_capture(other)


REFUSED: dict[str, Callable[[Program, int], Any]] = {
    "not permitted when stream is capturing": lambda p, stream: p.driver.synchronize(0),
    "not permitted when stream is capturing .*synchron": lambda p, stream: p.driver.synchronize_stream(stream),
    "not permitted when stream is capturing .*waits": lambda p, stream: p.driver.stream_done(stream),
    "not permitted when stream is capturing .*copies to the host": lambda p, stream: p.read(p.a, stream),
    "merge of separate capture sequences": merged,
    "not ended in the same stream": lambda p, stream: p.driver.end_capture(p.stream()),
    "from another thread": wrong_thread,
    "an event last recorded in a capturing stream": lambda p, stream: p.driver.synchronize_event(p.event(stream)),
    "dependency created on uncaptured work": lambda p, stream: p.driver.wait(stream, p.event(0)),
    "default stream, or inside of another": lambda p, stream: p.driver.begin_capture(stream, "global"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message: str) -> None:
    """Each with CUDA's words, after which the device goes on."""
    p = Program()
    stream = p.stream()
    p.driver.begin_capture(stream, "global")
    with pytest.raises(AcceleratorError, match=message.replace(" .*synchron", "").replace(" .*waits", ".*waits")):
        REFUSED[message](p, stream)
    if p.driver.is_capturing(stream):
        p.driver.invalidate_capture(stream)
        with pytest.raises(AcceleratorError, match="previous error during capture"):
            p.driver.end_capture(stream)
    p.fill(p.a, 9, stream)
    assert p.read(p.a, stream) == 9


def test_the_default_stream() -> None:
    """It is not recorded, and does not wait for a blocking stream that is."""
    p = Program()
    with pytest.raises(AcceleratorError, match="begins a capture on the default stream"):
        p.driver.begin_capture(0, "global")
    stream = p.stream(blocking=True)
    p.driver.begin_capture(stream, "relaxed")
    with pytest.raises(AcceleratorError, match="would make the legacy stream depend on a capturing blocking stream"):
        p.fill(p.a, 1, 0)
    with pytest.raises(AcceleratorError, match="previous error"):
        p.driver.end_capture(stream)
    p.fill(p.a, 1, 0)
    assert p.read(p.a, 0) == 1


def test_memory_that_is_given_back() -> None:
    """A graph that uses memory which the driver has back is refused when it is replayed."""
    p = Program()
    address = p.driver.allocate(0, SIZE, 0)
    p.driver.synchronize(0)
    graph = p.recorded(lambda stream: p.fill(address, 1, stream))
    p.driver.replay(graph, 0)
    p.driver.free(0, address, 0)
    with pytest.raises(AcceleratorError, match=r"use after free .* fill of 4096 bytes"):
        p.driver.replay(graph, 0)
