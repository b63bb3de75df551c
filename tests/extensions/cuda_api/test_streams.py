"""Streams and events of `specgrad.cuda`."""

import threading
from collections.abc import Iterator

import pytest

import specgrad as sg
from specgrad.runtime.device.cuda import allocator
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.simulator import simulated


@pytest.fixture
def device() -> Iterator[SimulatedDriver]:
    with simulated(2) as found:
        yield found


def test_the_current_stream(device: SimulatedDriver) -> None:
    """A stream is current inside its block, at its device, in its thread; memory is allocated for it."""
    default = sg.cuda.current_stream()
    assert default == sg.cuda.default_stream(0) and default.cuda_stream == 0 and default.query()
    side, there = sg.cuda.Stream(), sg.cuda.Stream(device="cuda:1", priority=-9)
    assert side != default and side.priority == 0 and there.priority == -5 and there.device == sg.device("cuda:1")
    seen = []
    with sg.cuda.stream(side):
        assert sg.cuda.current_stream() == side and allocator.allocate(0, 100).stream == side.handle
        with sg.cuda.stream(there):
            assert sg.cuda.current_device() == 1 and sg.cuda.current_stream() == there
            assert sg.cuda.current_stream(0) == side and allocator.allocate(1, 100).stream == there.handle
            thread = threading.Thread(target=lambda: seen.append((sg.cuda.current_stream(), sg.cuda.current_device())))
            thread.start()
            thread.join()
        assert sg.cuda.current_device() == 0 and sg.cuda.current_stream(1) == sg.cuda.default_stream(1)
    assert seen == [(default, 0)] and sg.cuda.current_stream() == default
    sg.cuda.set_stream(side)
    sg.cuda.set_stream(None)
    assert sg.cuda.current_stream() == side and hash(side) == hash(sg.cuda.current_stream())


def test_streams_come_from_a_pool(device: SimulatedDriver) -> None:
    """So many streams are different ones, more are the same in turn; priorities and devices have pools of their own."""
    streams = [sg.cuda.Stream() for _ in range(64)]
    assert len(set(streams)) == 32 and streams[:32] == streams[32:]
    assert sg.cuda.Stream(priority=-1) not in streams and sg.cuda.Stream(device=1) not in streams


def test_waiting(device: SimulatedDriver) -> None:
    """One stream waits for another, or for an event; without that their work is a race."""
    block = allocator.allocate(0, 4096)
    one, other = sg.cuda.Stream(), sg.cuda.Stream()
    one.wait_stream(sg.cuda.current_stream())
    device.fill(block.address, 1, 4096, one.handle)
    event = one.record_event()
    other.wait_event(event)
    device.fill(block.address, 2, 4096, other.handle)
    sg.cuda.current_stream().wait_stream(other)
    device.fill(block.address, 3, 4096, 0)
    sg.cuda.synchronize()
    assert event.query() and one.query() and other.query()
    device.fill(block.address, 1, 4096, one.handle)
    device.fill(block.address, 2, 4096, other.handle)
    with pytest.raises(sg.AcceleratorError, match="CUDA race"):
        sg.cuda.synchronize()


def test_events(device: SimulatedDriver) -> None:
    """An event is made when it is first recorded, and keeps to its device; times are between events that are done."""
    block = allocator.allocate(0, 4096)
    start, end, plain = sg.cuda.Event(enable_timing=True), sg.cuda.Event(enable_timing=True), sg.cuda.Event()
    assert start.query() and start.device is None and start.cuda_event == 0
    start.wait()
    start.synchronize()
    with pytest.raises(RuntimeError, match="must be recorded before calculating elapsed time"):
        start.elapsed_time(end)
    start.record()
    device.fill(block.address, 1, 4096, 0)
    end.record()
    plain.record()
    assert start.device == sg.device("cuda:0") and start.cuda_event
    end.synchronize()
    assert start.elapsed_time(end) > 0
    with pytest.raises(RuntimeError, match="must be created with argument 'enable_timing=True'"):
        start.elapsed_time(plain)
    with pytest.raises(RuntimeError, match="Event device 0 does not match recording stream's device 1"):
        start.record(sg.cuda.Stream(1))
    sg.cuda.Stream(1).wait_event(plain)
    events = len(device.queues.events)
    del start, end, plain
    assert len(device.queues.events) == events - 3


def test_streams_of_others(device: SimulatedDriver) -> None:
    """A stream that another library made is used by its handle; 0 is the default stream."""
    handle = device.create_stream(1)
    found = sg.cuda.ExternalStream(handle, device="cuda:1")
    assert found.cuda_stream == handle and found.__cuda_stream__() == (0, handle) and isinstance(found, sg.cuda.Stream)
    assert sg.cuda.get_stream_from_external(0, 1) == sg.cuda.default_stream(1)
    with sg.cuda.stream(found):
        assert allocator.allocate(1, 8).stream == handle
    found.synchronize()
