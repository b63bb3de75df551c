"""Streams of simulated devices: what is ordered, what is refused, and what a call does at once."""

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.errors import AcceleratorError
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.programs import SIZE, Bytes


class Program(Bytes):
    """Calls of a simulated driver."""

    def __init__(self, seed: int = 0, **keywords: Any) -> None:
        self.simulated = SimulatedDriver(2, 1 << 20, seed, **keywords)
        super().__init__(self.simulated)


@pytest.mark.parametrize("seed", range(8))
def test_an_event_orders_two_streams(seed: int) -> None:
    """What a stream does after it waited for an event comes after what the event stands for, in any order drawn."""
    p = Program(seed)
    one, other = p.stream(), p.stream()
    for byte in range(1, 6):
        p.fill(p.a, byte, one)
        p.driver.wait(other, p.event(one))
        p.move(p.b, p.a, other)
        p.driver.wait(one, p.event(other))
    assert p.read(p.b, other) == 5


@pytest.mark.parametrize(("first", "second"), [("write", "read"), ("read", "write")])
@pytest.mark.parametrize("seed", range(4))
def test_a_race_names_both(first: str, second: str, seed: int) -> None:
    """A write that nothing orders with another stream's read is refused, whichever comes first; both lines are told."""
    p = Program(seed)
    p.fill(p.a, 1, 0)
    p.driver.synchronize(0)
    streams = {first: p.stream(), second: p.stream()}
    for what in (first, second):
        p.fill(p.a, 2, streams[what]) if what == "write" else p.move(p.b, p.a, streams[what])
    with pytest.raises(AcceleratorError, match=r"CUDA race: nothing orders .*programs.py") as caught:
        p.driver.synchronize(0)
    assert "fill of 4096 bytes" in str(caught.value) and "copy d2d of 4096 bytes" in str(caught.value)


def test_reads_may_overlap() -> None:
    """Two streams may read the same bytes, and write to different parts of one block."""
    p = Program()
    p.fill(p.a, 3, 0)
    p.driver.synchronize(0)
    halves = [(p.stream(), p.b, p.a), (p.stream(), p.b + SIZE // 2, p.a)]
    for stream, to, source in halves:
        p.driver.copy(to, source, SIZE // 2, "d2d", stream)
    p.driver.synchronize(0)
    assert p.read(p.b, 0) == 3


@pytest.mark.parametrize(
    "wait", ["synchronize", "synchronize_stream", "synchronize_event", "stream_done", "event_done"]
)
def test_what_the_program_waits_for_is_done(wait: str) -> None:
    """After any kind of waiting the other stream may go on with the same bytes; polling comes to an end."""
    p = Program()
    one, other = p.stream(), p.stream()
    p.fill(p.a, 7, one)
    argument = {"synchronize": 0}.get(wait, p.event(one) if wait.endswith(("event", "event_done")) else one)
    method = getattr(p.driver, wait)
    if wait.endswith("_done"):
        assert any(method(argument) for _ in range(100))
    else:
        method(argument)
    p.move(p.b, p.a, other)
    assert p.read(p.b, other) == 7


def test_a_poll_may_say_no() -> None:
    """Work that was given is not done before somebody waits: three items are not done at the first or second look."""
    p = Program()
    one = p.stream()
    p.fill(p.a, 1, one)
    p.fill(p.a, 2, one)
    event = p.event(one)
    assert not p.driver.event_done(event) and not p.driver.stream_done(one)
    assert p.driver.event_done(event) and p.driver.stream_done(one)
    assert p.driver.event_done(p.driver.create_event(0))


@pytest.mark.parametrize("seed", range(8))
def test_the_default_stream_keeps_order_with_blocking_streams(seed: int) -> None:
    """Work of the default stream comes after that of blocking streams and before what they are given later."""
    p = Program(seed)
    one, other = p.stream(blocking=True), p.stream(blocking=True)
    p.fill(p.a, 1, one)
    p.move(p.b, p.a, 0)
    p.fill(p.a, 2, other)
    assert p.read(p.b, one) == 1
    assert p.read(p.a, 0) == 2


def test_the_default_stream_races_with_other_streams() -> None:
    """A stream that does not block has no order with the default stream."""
    p = Program()
    p.fill(p.a, 1, p.stream())
    p.fill(p.a, 2, 0)
    with pytest.raises(AcceleratorError, match="CUDA race"):
        p.driver.synchronize(0)


def test_default_streams_of_two_devices_are_two() -> None:
    """The default stream of the second device has the handle 1, and no order with that of the first."""
    p = Program()
    there = p.driver.allocate(1, SIZE, 1)
    p.fill(there, 4, 1)
    p.driver.copy(p.a, there, SIZE, "d2d", 0)
    with pytest.raises(AcceleratorError, match="the default stream of cuda:1"):
        for device in (0, 1):
            p.driver.synchronize(device)


def test_pageable_and_pinned_memory() -> None:
    """A copy from pageable memory has its bytes at once; from pinned memory, and to it, when the stream gets there."""
    p = Program()
    one = p.stream()
    host = np.full(SIZE, 1, np.uint8)
    p.driver.copy(p.a, host.ctypes.data, SIZE, "h2d", 0)
    host[:] = 2
    assert p.read(p.a, 0) == 1
    p.driver.synchronize(0)
    pinned = p.driver.pin(SIZE)
    memory = p.simulated._pinned[pinned]
    memory[:] = 3
    p.driver.copy(p.a, pinned, SIZE, "h2d", one)
    memory[:] = 4
    p.driver.copy(pinned + SIZE // 2, p.a, SIZE // 2, "d2h", one)
    memory[SIZE // 2 :] = 4
    assert memory[-1] == 4
    p.driver.fill(p.a, 5, SIZE, one)
    p.driver.copy(pinned, p.a, 1, "d2h", one)
    assert memory[0] == 4
    p.driver.synchronize(0)
    assert memory.tolist() == [5] + [4] * (SIZE - 1)
    p.driver.unpin(pinned)
    with pytest.raises(AcceleratorError, match="no pinned memory"):
        p.driver.unpin(pinned)


def test_blocking_launches() -> None:
    """Under CUDA_LAUNCH_BLOCKING work is done before the call returns."""
    p = Program(blocking=True)
    p.fill(p.a, 1, 0)
    assert p.simulated.memory.region(p.a, SIZE).bytes[0] == 1
    assert not p.simulated.queues.streams[0].queue


def test_events_have_times() -> None:
    """Time passes between two events; an event without a time, or one that is not passed, has none."""
    p = Program()
    start = p.event(0, timing=True)
    p.fill(p.a, 1, 0)
    end = p.event(0, timing=True)
    with pytest.raises(AcceleratorError, match="device not ready"):
        p.driver.elapsed(start, end)
    p.driver.synchronize(0)
    assert p.driver.elapsed(start, end) > 0 > p.driver.elapsed(end, start)
    plain = p.event(0)
    p.driver.synchronize(0)
    with pytest.raises(AcceleratorError, match="without a time"):
        p.driver.elapsed(start, plain)


def test_what_is_gone_is_refused() -> None:
    """Streams and events that were destroyed cannot be used; work that waited is done before what follows."""
    p = Program()
    one = p.stream(blocking=True)
    p.fill(p.a, 6, one)
    p.driver.destroy_stream(one)
    for call in (lambda: p.fill(p.a, 1, one), lambda: p.driver.synchronize_stream(one)):
        with pytest.raises(AcceleratorError, match="there is no stream"):
            call()
    assert p.read(p.a, 0) == 6
    event = p.event(0)
    p.driver.destroy_event(event)
    with pytest.raises(AcceleratorError, match="there is no event"):
        p.driver.wait(0, event)


def test_memory_that_another_stream_uses_is_not_freed_under_it() -> None:
    """A free that nothing orders with another stream's read is a race, also when the free comes first."""
    for seed in range(4):
        p = Program(seed)
        p.fill(p.a, 1, 0)
        p.driver.synchronize(0)
        p.move(p.b, p.a, p.stream())
        p.driver.free(0, p.a, 0)
        with pytest.raises(AcceleratorError, match="free of 4096 bytes"):
            p.driver.synchronize(0)


def test_a_block_from_the_cache_races_as_a_new_one() -> None:
    """Memory that the allocator gives out again while another stream reads it is a race."""
    p = Program()
    p.fill(p.a, 1, 0)
    p.driver.synchronize(0)
    p.move(p.b, p.a, p.stream())
    p.driver.on_free(p.a, 0)
    with pytest.raises(AcceleratorError, match="use after free"):
        p.fill(p.a, 1, 0)
    p.driver.on_allocate(p.a, SIZE // 2, 0)
    with pytest.raises(AcceleratorError, match="allocation of 2048 bytes"):
        p.driver.synchronize(0)


def test_a_long_queue_is_done_on_the_way() -> None:
    """A program that never waits does not collect work without end."""
    p = Program()
    for byte in range(3000):
        p.fill(p.a, byte % 256, 0)
    assert len(p.simulated.queues.streams[0].queue) <= 1024
    assert p.read(p.a, 0) == 2999 % 256
