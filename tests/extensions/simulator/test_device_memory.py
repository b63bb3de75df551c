"""Simulated memory: what lies in it, and which addresses are refused."""

import numpy as np
import pytest

from specgrad.runtime.errors import AcceleratorError
from specgrad.runtime.extensions.simulator.device_memory import Memory
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver


def test_new_memory_is_full_of_nans() -> None:
    """Nobody has written to it, and its bytes are NaN in each floating-point format."""
    memory = Memory([1 << 20])
    region = memory.region(memory.allocate(0, 4096), 4096)
    assert not region.written.any()
    for dtype in (np.float16, np.float32, np.float64):
        assert np.isnan(region.bytes.view(dtype)).all()


def test_a_region_is_a_view() -> None:
    """What is written through one region is read through another that overlaps it."""
    memory = Memory([1 << 20])
    address = memory.allocate(0, 1024)
    memory.region(address + 8, 16).bytes[:] = 5
    assert memory.region(address, 1024).bytes[[7, 8, 23, 24]].tolist() == [255, 5, 5, 255]


def test_addresses_are_aligned_and_apart() -> None:
    """Blocks begin at multiples of 512 bytes, with gaps between them, each device in a range of its own."""
    memory = Memory([1 << 20, 1 << 20])
    blocks = sorted((memory.allocate(device, size), size) for device in (0, 1) for size in (1, 511, 513, 0, 4096))
    assert all(address % 512 == 0 for address, _ in blocks)
    assert all(a + size + 512 < b for (a, size), (b, _) in zip(blocks, blocks[1:], strict=False))


@pytest.mark.parametrize(
    ("offset", "size", "message"),
    [
        (0, 1025, "1025 bytes at .* end 1 bytes behind a block of 1024"),
        (1000, 100, "end 76 bytes behind"),
        (-1, 4, "lies between the blocks of cuda:0"),
        (1024, 4, "lies between the blocks of cuda:0"),
        (-(1 << 60), 4, "is no address of a device"),
        (1 << 50, 4, "is no address of a device"),
    ],
)
def test_out_of_bounds(offset: int, size: int, message: str) -> None:
    """Bytes that are not all in one block are refused, with where they lie instead."""
    memory = Memory([1 << 20])
    address = memory.allocate(0, 1024)
    with pytest.raises(AcceleratorError, match=f"an illegal memory access was encountered: read: .*{message}"):
        memory.region(address + offset, size, "read")


def test_freed_memory_is_refused() -> None:
    """A block that was given back is neither read nor freed again, and its bytes count as free."""
    driver = SimulatedDriver(1, 8192)
    address = driver.allocate(0, 6000, 0)
    assert driver.memory_info(0) == (2192, 8192)
    assert driver.allocate(0, 6000, 0) == 0
    with pytest.raises(AcceleratorError, match="100 bytes inside a block of 6000"):
        driver.free(0, address + 100, 0)
    driver.free(0, address, 0)
    assert driver.memory_info(0) == (8192, 8192)
    for call in (lambda: driver.fill(address + 8, 0, 8, 0), lambda: driver.free(0, address, 0)):
        with pytest.raises(AcceleratorError, match="use after free of .* in a block of 6000 bytes"):
            call()


def test_sides_are_not_mixed_up() -> None:
    """An address of the host where one of a device is due is refused, and the reverse."""
    driver = SimulatedDriver(1)
    host = np.zeros(64, np.uint8)
    here, there = host.ctypes.data, driver.allocate(0, 64, 0)
    for to, source, kind in ((here, there, "h2d"), (there, here, "d2h"), (there, here, "d2d"), (here, there, "d2d")):
        with pytest.raises(AcceleratorError, match=f"copy {kind}: expected a"):
            driver.copy(to, source, 64, kind, 0)
    with pytest.raises(AcceleratorError, match="is no address of a device"):
        driver.fill(here, 0, 64, 0)
    with pytest.raises(ValueError, match="expected one of h2d, d2h, d2d, got 'h2h'"):
        driver.copy(here, here, 64, "h2h", 0)


def test_copies_carry_what_was_written() -> None:
    """A copy of memory that nobody wrote is memory that nobody wrote."""
    driver = SimulatedDriver(1)
    one, other = driver.allocate(0, 64, 0), driver.allocate(0, 64, 0)
    driver.fill(one, 1, 32, 0)
    driver.copy(other, one, 64, "d2d", 0)
    driver.synchronize(0)
    assert driver.memory.region(other, 64).written.tolist() == [True] * 32 + [False] * 32
