"""The driver of real devices, over functions of CUDA that a simulated device carries out."""

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.device.cuda import driver
from specgrad.runtime.device.cuda.real_driver import RealDriver
from specgrad.runtime.errors import AcceleratorError, DeviceError
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.fake_bindings import CAPABILITY, CUresult, FakeBindings
from tests.device.cuda.programs import ELEMENTS, SIZE, Array, Bytes, Kernel, Launches, array_slots, number_slots, scale


class Compiled(Kernel):
    """A kernel whose machine code is its number."""

    def __init__(self, function: Any, bindings: FakeBindings) -> None:
        super().__init__(function)
        self.bindings, self.compiled = bindings, 0

    def cubin(self, signature: Any, cc: tuple[int, int]) -> bytes:
        assert cc == CAPABILITY
        self.compiled += 1
        image = b"%d" % len(self.bindings.images)
        self.bindings.images[image] = self, signature
        return image


@pytest.fixture
def cuda() -> FakeBindings:
    return FakeBindings(SimulatedDriver(2, 1 << 20, seed=1))


def test_devices(cuda: FakeBindings) -> None:
    """Number, names, sizes and limits of devices."""
    found = RealDriver(cuda)
    assert found.device_count() == 2
    properties = found.properties(1)
    assert (properties.name, properties.major, properties.minor) == ("Fake device 1", 9, 0)
    assert properties.total_memory == 1 << 20 and properties.uuid == bytes(range(16)).hex()
    assert properties.max_threads_per_block == len("CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK")
    assert found.can_access_peer(0, 1) and not found.can_access_peer(1, 1)
    assert found.stream_priorities(0) == (0, -5)
    assert found.memory_info(1) == (1 << 20, 1 << 20)


def test_bytes_go_from_place_to_place(cuda: FakeBindings) -> None:
    """Copies, fills, streams, events and waiting, in the order that they are given."""
    p = Bytes(RealDriver(cuda))
    one, other = p.stream(), p.stream(blocking=True)
    for byte in range(1, 4):
        p.fill(p.a, byte, one)
        p.driver.wait(other, p.event(one))
        p.move(p.b, p.a, other)
        p.driver.wait(one, p.event(other))
    assert p.read(p.b, other) == 3
    p.driver.synchronize_stream(one)
    host = np.arange(SIZE).astype(np.uint8)
    p.driver.copy(p.a, host.ctypes.data, SIZE, "h2d", 0)
    back = np.empty_like(host)
    p.driver.copy(back.ctypes.data, p.a, SIZE, "d2h", 0)
    np.testing.assert_array_equal(back, host)


def test_waiting(cuda: FakeBindings) -> None:
    """Streams and events say when they are done, and events what time has passed."""
    p = Bytes(RealDriver(cuda))
    start = p.event(0, timing=True)
    p.fill(p.a, 1, 0)
    end, plain = p.event(0, timing=True), p.event(0)
    assert not p.driver.event_done(end) and not p.driver.stream_done(0)
    p.driver.synchronize_event(plain)
    assert p.driver.event_done(end) and p.driver.stream_done(0) and p.driver.elapsed(start, end) > 0
    p.driver.destroy_event(plain)
    with pytest.raises(AcceleratorError, match="there is no event"):
        cuda.device.event_done(plain)
    stream = p.stream()
    p.driver.destroy_stream(stream)
    with pytest.raises(AcceleratorError, match="there is no stream"):
        cuda.device.stream_done(stream)


def test_memory(cuda: FakeBindings) -> None:
    """Memory comes from its device's pool, which keeps all and is reached from others; 0: none is left."""
    found = RealDriver(cuda)
    there = found.allocate(1, SIZE, 1)
    found.fill(there, 1, SIZE, 1)
    found.free(1, there, 1)
    found.trim(1)
    names = [call[0] for call in cuda.calls]
    assert names.count("cuMemPoolSetAttribute") == names.count("cuMemPoolSetAccess") == 1
    assert cuda.device.memory.used == [0, 0]
    cuda.failing["cuMemAllocFromPoolAsync"] = cuda.failing["cuMemHostAlloc"] = CUresult.CUDA_ERROR_OUT_OF_MEMORY
    assert found.allocate(0, SIZE, 0) == found.pin(SIZE) == 0


def test_pinned_memory(cuda: FakeBindings) -> None:
    """A copy to pinned memory does not wait, a copy to other memory does."""
    p = Bytes(RealDriver(cuda))
    p.fill(p.a, 5, 0)
    pinned = p.driver.pin(SIZE)
    cuda.calls.clear()
    p.driver.copy(pinned, p.a, SIZE, "d2h", 0)
    assert [call[0] for call in cuda.calls] == ["cuMemcpyDtoHAsync"]
    p.driver.synchronize(0)
    assert (cuda.device._pinned[pinned] == 5).all()
    cuda.calls.clear()
    assert p.read(p.a, 0) == 5
    assert [call[0] for call in cuda.calls] == ["cuMemcpyDtoHAsync", "cuStreamSynchronize"]
    p.driver.unpin(pinned)
    assert cuda.device._pinned == {}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int8", "complex64", "complex128"])
def test_launches(cuda: FakeBindings, dtype: str) -> None:
    """Each word is read with the size of its argument; a kernel is compiled once for a signature and a device."""
    p = Launches(RealDriver(cuda))
    values = np.arange(ELEMENTS).astype(dtype)
    kernel = Compiled(scale, cuda)
    factor = values.dtype.type(-1 + 2j if values.dtype.kind == "c" else -1)
    signature = Array(dtype), np.dtype(dtype), Array(dtype)
    for device in (0, 1, 0):
        x, result = (p.driver.allocate(device, values.nbytes, device) for _ in range(2))
        p.driver.copy(x, values.ctypes.data, values.nbytes, "h2d", device)
        slot_values = [*array_slots(x, ELEMENTS, values.itemsize), *number_slots(factor)]
        slot_values += array_slots(result, ELEMENTS, values.itemsize)
        function = p.driver.load(kernel, signature, device)
        p.driver.launch(function, (2, 1, 1), (64, 1, 1), slot_values, 0, device)
        back = np.empty_like(values)
        p.driver.copy(back.ctypes.data, result, values.nbytes, "d2h", device)
        np.testing.assert_array_equal(back, values * factor)
    assert kernel.compiled == 2


def test_shared_memory_is_asked_for(cuda: FakeBindings) -> None:
    """Above 48 KiB a function must be given the right to use shared memory, once."""
    found = RealDriver(cuda)
    function = found.load(Compiled(lambda: None, cuda), (), 0)
    for size in (1024, 65536, 65536, 49152, 131072):
        found.launch(function, (1, 1, 1), (1, 1, 1), [], size, 0)
    queried = [call[3] for call in cuda.calls if call[0] == "cuFuncSetAttribute"]
    assert queried == [65536, 131072]


def test_contexts(cuda: FakeBindings) -> None:
    """A thread's context is changed only when it goes to another device; pinned memory needs some context."""
    found = RealDriver(cuda)
    found.pin(64)
    for device in (0, 0, 1, 1, 0):
        found.synchronize(device)
        stream = found.create_stream(device)
        found.synchronize_stream(stream)
    assert [call[1].value for call in cuda.calls if call[0] == "cuCtxSetCurrent"] == [0, 1, 0]


@pytest.mark.parametrize("name", ["cuInit", "cuDeviceGetCount", "cuMemcpyDtoDAsync", "cuStreamQuery", "cuMemGetInfo"])
def test_every_status_is_looked_at(cuda: FakeBindings, name: str) -> None:
    """A failure has CUDA's name and words for it, and the function that reported it."""
    cuda.failing[name] = CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
    with pytest.raises(AcceleratorError, match=rf"illegal address \(CUDA_ERROR_ILLEGAL_ADDRESS, reported by {name}\)"):
        p = Bytes(RealDriver(cuda))
        p.move(p.a, p.b, 0)
        p.driver.stream_done(0)
        p.driver.memory_info(0)


def test_a_driver_without_devices(cuda: FakeBindings) -> None:
    """A machine with a driver and no GPU has no devices, and that is no error."""
    cuda.failing["cuInit"] = CUresult.CUDA_ERROR_NO_DEVICE
    assert RealDriver(cuda).device_count() == 0


def test_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the library is not there, no device is found, the bindings are not loaded, and the error says so."""
    monkeypatch.setattr(driver, "_chosen", [])
    monkeypatch.setattr(driver, "_missing", [])
    monkeypatch.setattr("specgrad.runtime.device.cuda.real_driver.LIBRARY", "libthatisnotthere.so.1")
    monkeypatch.setattr("specgrad.runtime.device.cuda.real_driver.bindings", lambda: pytest.fail("loaded"))
    monkeypatch.delenv("SPECGRAD_CUDA", raising=False)
    assert (driver.device_count(), driver.available()) == (0, False)
    with pytest.raises(DeviceError, match="Found no NVIDIA driver on your system"):
        driver.driver()


def test_without_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the library is there and the package is not, the error names the package."""
    monkeypatch.setattr(driver, "_chosen", [])
    monkeypatch.setattr(driver, "_missing", [])
    monkeypatch.setattr("specgrad.runtime.device.cuda.real_driver.is_installed", lambda: True)
    monkeypatch.setitem(__import__("sys").modules, "cuda.bindings.driver", None)
    monkeypatch.delenv("SPECGRAD_CUDA", raising=False)
    assert driver.device_count() == 0
    with pytest.raises(DeviceError, match="not the package cuda-bindings"):
        driver.driver()


def test_graphs(cuda: FakeBindings, tmp_path: Any) -> None:
    """What a stream is given is recorded, and replayed on any stream until it is destroyed."""
    p = Bytes(RealDriver(cuda))
    p.fill(p.a, 1, 0)
    p.fill(p.b, 0, 0)
    p.driver.synchronize(0)
    stream = p.stream()
    assert not p.driver.is_capturing(stream)
    p.driver.begin_capture(stream, "thread_local")
    assert p.driver.is_capturing(stream) and not p.driver.is_capturing(0)
    p.move(p.b, p.a, stream)
    p.fill(p.a, 5, stream)
    graph = p.driver.end_capture(stream)
    executable = p.driver.instantiate(graph)
    assert p.driver.graph_size(graph) == 2 and p.read(p.b, 0) == 0
    p.driver.print_graph(graph, str(tmp_path / "g.dot"))
    assert "copy d2d" in (tmp_path / "g.dot").read_text()
    p.driver.destroy_graph(graph)
    for requested in (1, 5):
        p.driver.replay(executable, 0)
        assert p.read(p.b, 0) == requested
    p.driver.destroy_executable(executable)
    assert ("cuStreamBeginCapture", stream, "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL") in cuda.calls


@pytest.mark.parametrize("kind", ["h2d", "d2h"])
def test_pageable_memory_is_no_part_of_a_graph(cuda: FakeBindings, kind: str) -> None:
    """A graph would read it after it is freed, so the capture ends with an error; pinned memory is recorded."""
    p = Bytes(RealDriver(cuda))
    stream, host, pinned = p.stream(), np.zeros(SIZE, np.uint8), p.driver.pin(SIZE)
    sides = {"h2d": (p.a, host.ctypes.data), "d2h": (host.ctypes.data, p.a)}[kind]
    p.driver.begin_capture(stream, "global")
    p.driver.copy(*[side if side == p.a else pinned for side in sides], SIZE, kind, stream)
    with pytest.raises(AcceleratorError, match=r"not permitted when stream is capturing .*pageable memory"):
        p.driver.copy(*sides, SIZE, kind, stream)
    with pytest.raises(AcceleratorError, match="operation failed due to a previous error during capture"):
        p.fill(p.a, 1, stream)
    with pytest.raises(AcceleratorError, match="operation failed due to a previous error during capture"):
        p.driver.end_capture(stream)
    p.driver.copy(*sides, SIZE, kind, stream)


def test_what_captures_forbid_is_done_aside(cuda: FakeBindings) -> None:
    """Kernels are loaded, and memory allocated, in a mode in which that is no part of the capture."""
    p, kernel = Launches(RealDriver(cuda)), Compiled(scale, cuda)
    x, y = (p.array(np.ones(ELEMENTS)) for _ in range(2))
    stream, kind = p.driver.create_stream(0), np.dtype(float)
    p.driver.synchronize(0)
    with p.driver.unrestricted():
        assert cuda.mode == "CU_STREAM_CAPTURE_MODE_GLOBAL", "nothing is captured"
    p.driver.begin_capture(stream, "global")
    function = p.driver.load(kernel, (Array(kind), kind, Array(kind)), 0)
    names = [call[0] for call in cuda.calls]
    last = len(names) - 1 - names[::-1].index("cuModuleLoadData")
    assert names[last - 1] == names[last + 1] == "cuThreadExchangeStreamCaptureMode"
    assert cuda.mode == "CU_STREAM_CAPTURE_MODE_GLOBAL"
    slot_values = [*array_slots(x, ELEMENTS, 8), *number_slots(np.float64(3)), *array_slots(y, ELEMENTS, 8)]
    p.driver.launch(function, (4, 1, 1), (32, 1, 1), slot_values, 0, stream)
    executable = p.driver.instantiate(p.driver.end_capture(stream))
    p.driver.replay(executable, stream)
    p.driver.synchronize_stream(stream)
    assert (p.read(y, np.ones(ELEMENTS)) == 3).all()
