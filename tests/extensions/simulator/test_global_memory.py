"""Arrays that kernels find by addresses in memory: what a GPU would not notice is refused, as of arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.extensions.simulator.threads import SimulatedCuda
from specgrad.runtime.kernels.cuda import kernel as kernels
from specgrad.runtime.kernels.cuda.language import array_at, cuda, float32, int32, uint32

SLOTS = kernels.Array(np.dtype(np.int64))
UINT = np.dtype(np.uint32)
SIZE = 8  # elements of a block


def shifted(table: Any, size: Any) -> None:
    """Each element becomes one more than that of the other array."""
    x = array_at(table[0], size, float32)
    y = array_at(table[1], size, float32)
    i = uint32(cuda.threadIdx.x)
    y[i] = x[i] + float32(1)


def beyond(table: Any, size: Any) -> None:
    x = array_at(table[0], size, float32)
    x[uint32(uint32(cuda.threadIdx.x) + uint32(1))] = float32(0)


def batch(table: Any, size: Any) -> None:
    array_at(table[0], size, float32)[0] = float32(1)


def as_bits(table: Any, size: Any) -> None:
    """A thread reads the bits that another has written."""
    i = uint32(cuda.threadIdx.x)
    x = array_at(table[0], size, float32)
    bits = array_at(table[0], size, int32)
    if i == uint32(0):
        x[0] = float32(1)
    cuda.syncthreads()
    if i == uint32(1):
        bits[1] = bits[0]


class Device:
    """A simulated driver with two arrays of float32 and a table of their addresses."""

    def __init__(self) -> None:
        self.driver = SimulatedDriver(memory=1 << 20)
        self.arrays = [self.driver.allocate(0, SIZE * 4, 0) for _ in range(2)]
        self.table = self.driver.allocate(0, 16, 0)
        self.point(*self.arrays)

    def point(self, *addresses: int) -> None:
        self.upload(self.table, np.array(addresses, np.int64))

    def upload(self, address: int, values: np.ndarray) -> None:
        self.driver.copy(address, values.ctypes.data, values.nbytes, "h2d", 0)

    def run(self, function: Any, size: int = SIZE, threads: int = SIZE, stream: int = 0) -> None:
        kernel = kernels.Kernel(function.__name__, lambda target, signature: target.kernel(function))
        handle = self.driver.load(kernel, (SLOTS, UINT), 0)
        slot_values = [0, 0, 2, 8, self.table, 2, 8, size]
        self.driver.launch(handle, (1, 1, 1), (threads, 1, 1), slot_values, 0, stream)

    def read(self, number: int) -> list[float]:
        found = np.empty(SIZE, np.float32)
        self.driver.copy(found.ctypes.data, self.arrays[number], found.nbytes, "d2h", 0)
        return found.tolist()


@pytest.fixture
def device() -> Iterator[Device]:
    made = Device()
    made.upload(made.arrays[0], np.arange(SIZE, dtype=np.float32))
    yield made


def test_elements_are_found(device: Device) -> None:
    device.run(shifted)
    assert device.read(1) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_memory_may_be_freed_once_the_launch_is_given(device: Device) -> None:
    """As that of arguments: it is only given to work that comes after."""
    device.run(shifted)
    device.driver.free(0, device.arrays[0], 0)
    assert device.read(1)[0] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda device: device.point(device.arrays[0], device.arrays[1] + 4), "end 4 bytes behind a block of 32"),
        (lambda device: device.point(device.arrays[0] + 2, device.arrays[1]), "a misaligned address of float32"),
        (lambda device: device.point(0, device.arrays[1]), "0x0 is no address of a device"),
        (lambda device: device.driver.free(0, device.arrays[1], 0), "use after free"),
    ],
)
def test_wrong_addresses(device: Device, change: Any, message: str) -> None:
    change(device)
    with pytest.raises(RuntimeError, match=message):
        device.run(shifted)


def test_what_threads_do(device: Device) -> None:
    """Accesses out of bounds, reads of what nobody wrote, races."""
    for function, message in (
        (beyond, r"writes \(array at .*\)\[8\], outside of its 8 elements"),
        (batch, r"thread \(1, 0, 0\) .* writes \(array at .*\)\[0\], which thread \(0, 0, 0\) .* writes"),
    ):
        with pytest.raises(RuntimeError, match=message):
            device.run(function)
    device.point(device.arrays[1], device.arrays[0])
    with pytest.raises(RuntimeError, match=r"reads \(array at .*\)\[0\], which nobody wrote"):
        device.run(shifted)


def test_two_dtypes_of_one_memory(device: Device) -> None:
    """What one thread writes as a number another reads as bits, after a barrier."""
    device.run(as_bits)
    assert device.read(0)[:3] == [1, 1, 2]


def test_work_of_two_streams(device: Device) -> None:
    """Nothing orders a launch and a copy of another stream: the memory is known to be the same."""
    stream = device.driver.create_stream(0)
    device.driver.synchronize(0)
    device.run(shifted)
    with pytest.raises(RuntimeError, match="CUDA race: nothing orders"):
        device.driver.fill(device.arrays[1], 0, 4, stream)
        device.driver.synchronize(0)


def test_a_launch_needs_a_device() -> None:
    table = np.zeros(2, np.int64)
    kernel = kernels.Kernel("shifted", lambda target, signature: target.kernel(shifted))
    with pytest.raises(RuntimeError, match="was launched without a device's memory"):
        SimulatedCuda().launch(kernel.simulated((SLOTS, UINT)), 1, 1, [table, 1])
