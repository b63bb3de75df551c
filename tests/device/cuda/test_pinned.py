"""Pinned host memory: which arrays lie in it, and when it is used again."""

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from specgrad.runtime.device.cuda import pinned_memory
from specgrad.runtime.errors import OutOfMemoryError
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.simulator import simulated


@pytest.fixture
def device() -> Iterator[SimulatedDriver]:
    with simulated() as found:
        yield found
        gc.collect()


@pytest.mark.parametrize("shape", [(), (0,), (3, 4), (1000,)])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "bool", "int8"])
def test_arrays(device: SimulatedDriver, shape: tuple[int, ...], dtype: str) -> None:
    """An array in pinned memory is as any other; its views are pinned, copies are not."""
    values = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
    found = pinned_memory.copied(values)
    np.testing.assert_array_equal(found, values)
    assert (found.dtype, found.shape, found.flags.writeable) == (values.dtype, shape, True)
    assert pinned_memory.is_pinned(found) and pinned_memory.is_pinned(found.reshape(-1)[1:].view())
    assert not pinned_memory.is_pinned(values) and not pinned_memory.is_pinned(found.copy())


def test_memory_is_used_again(device: SimulatedDriver) -> None:
    """A block is given out again when no array lies over it, not while a view does."""
    first = pinned_memory.empty((100,), np.dtype("float32"))
    view, address = first[10:], first.ctypes.data
    del first
    second = pinned_memory.empty((100,), np.dtype("float32"))
    assert second.ctypes.data != address
    del view
    assert pinned_memory.empty((90,), np.dtype("float32")).ctypes.data == address


def test_memory_waits_for_copies(device: SimulatedDriver) -> None:
    """A block that a stream still reads is not given out before the stream has read it."""
    stream = device.create_stream(0)
    there = device.allocate(0, 400, stream)
    array = pinned_memory.copied(np.full(100, 3, np.float32))
    address = array.ctypes.data
    device.copy(there, address, 400, "h2d", stream)
    pinned_memory.used_on(array, 0, stream)
    del array
    other = pinned_memory.empty((100,), np.dtype("float32"))
    other[:] = 5
    device.synchronize_stream(stream)
    assert other.ctypes.data != address
    assert pinned_memory.empty((100,), np.dtype("float32")).ctypes.data == address
    assert (device.memory.region(there, 400).bytes.view(np.float32) == 3).all()


def test_memory_goes_back(device: SimulatedDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is free is given back when asked for, and before there is no memory left."""
    retained = pinned_memory.empty((100,), np.dtype("float32"))
    pinned_memory.empty((1000,), np.dtype("float32"))
    assert pinned_memory.pool().reserved == 512 + 4096
    pinned_memory.pool().release()
    assert pinned_memory.pool().reserved == 512 and list(device._pinned) == [retained.ctypes.data]
    monkeypatch.setattr(device, "pin", lambda size: 0)
    with pytest.raises(OutOfMemoryError, match=r"no 1.00 MiB of host memory can be pinned"):
        pinned_memory.empty((1 << 20,), np.dtype("int8"))
