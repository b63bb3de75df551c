"""The caching allocator: classes, reuse by stream, figures, and what happens when memory runs out."""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from specgrad.runtime.device.cuda import allocator, driver
from specgrad.runtime.device.cuda.allocator import allocate, cache, rounded
from specgrad.runtime.errors import AcceleratorError, OutOfMemoryError
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.simulator import simulated
from tests.patience import PATIENCE

MIB = 1 << 20


@pytest.fixture
def device() -> Iterator[SimulatedDriver]:
    with simulated(2, 64 * MIB) as found:
        yield found


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, 512),
        (1, 512),
        (512, 512),
        (513, 1024),
        (MIB, MIB),
        (MIB + 1, MIB + MIB // 8),
        (2 * MIB, 2 * MIB),
        (2 * MIB + 1, 2 * MIB + MIB // 4),
        (15 * MIB, 15 * MIB),
        (15 * MIB + 1, 16 * MIB),
    ],
)
def test_classes(size: int, expected: int) -> None:
    """A class is a multiple of 512 bytes, above 1 MiB of an eighth of the power of two below."""
    assert rounded(size) == expected


def test_classes_waste_little() -> None:
    """No class is smaller than the size, nor an eighth larger above 1 MiB; a class is its own class."""
    for size in (MIB + 3**k for k in range(1, 22)):
        assert size <= rounded(size) <= size * 9 / 8 + 1
        assert rounded(rounded(size)) == rounded(size)


def test_memory_is_used_again_on_its_stream(device: SimulatedDriver) -> None:
    """A freed block of the class is given out again on the same stream, not on another, nor on another device."""
    stream = device.create_stream(0)
    first = allocate(0, 1000)
    address = first.address
    assert (first.size, first.stream, first.device) == (1000, 0, 0)
    del first
    other, there, again = allocate(0, 1000, stream), allocate(1, 1000), allocate(0, 600)
    assert again.address == address != other.address and there.address != address
    assert (other.stream, there.device, there.stream) == (stream, 1, 1)


def test_no_two_blocks_share_memory(device: SimulatedDriver) -> None:
    """Blocks that are in use at once lie apart."""
    blocks = [allocate(0, 100 * k) for k in range(1, 40)]
    del blocks[::2]
    blocks += [allocate(0, 150 * k) for k in range(1, 40)]
    spans = sorted((block.address, block.address + block.size) for block in blocks)
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))


def test_a_block_in_the_cache_is_refused(device: SimulatedDriver) -> None:
    """Memory that was freed is refused though the driver does not have it back, and so are bytes behind what was asked
    for though the class has them."""
    block = allocate(0, 1000)
    device.fill(block.address, 0, 1000, 0)
    with pytest.raises(AcceleratorError, match="end 1 bytes behind a block of 1000"):
        device.fill(block.address, 0, 1001, 0)
    address = block.address
    del block
    with pytest.raises(AcceleratorError, match="use after free"):
        device.fill(address, 0, 8, 0)


def test_figures(device: SimulatedDriver) -> None:
    """What is given out, what was at most, and what the driver gave: bytes of classes, bytes asked for, and counts."""
    blocks = [allocate(0, 1000) for _ in range(3)]
    blocks.append(allocate(0, 600))
    del blocks[:2]
    found = cache(0).statistics
    assert (found.allocated.now, found.allocated.peak, found.allocated.added, found.allocated.total_allocated) == (
        2048,
        4096,
        4096,
        2048,
    )
    assert (found.requested.now, found.requested.peak, found.blocks.now, found.blocks.peak) == (1600, 3600, 2, 4)
    assert (found.reserved.now, found.segments.now) == (4096, 4)
    found.reset_peaks()
    found.reset_accumulated()
    assert (found.allocated.peak, found.allocated.added, found.allocated.total_allocated) == (2048, 0, 0)
    allocator.release()
    assert (found.reserved.now, found.reserved.total_allocated, device.memory.used) == (2048, 2048, [2048, 0])


def test_cached_memory_is_given_back_before_there_is_none(device: SimulatedDriver) -> None:
    """Where the driver has too little left, what is cached goes back, whatever its class and stream; then it fits."""
    stream = device.create_stream(0)
    for size, where in ((20, 0), (24, stream)):
        allocate(0, size * MIB, where)
    block = allocate(0, 60 * MIB)
    assert cache(0).statistics.retries == 1 and cache(0).statistics.failures == 0
    assert cache(0).statistics.reserved.now == block.size == 60 * MIB


def test_out_of_memory(device: SimulatedDriver) -> None:
    """Too large a block is PyTorch's error, with its numbers; afterwards smaller ones are there as before."""
    block = allocate(0, 40 * MIB)
    with pytest.raises(OutOfMemoryError) as caught:
        allocate(0, 30 * MIB)
    assert str(caught.value) == (
        "CUDA out of memory. Tried to allocate 30.00 MiB. GPU 0 has a total capacity of 64.00 MiB of which "
        f"24.00 MiB is free. Process {os.getpid()} has 40.00 MiB memory in use. "
        "Of the allocated memory 40.00 MiB is allocated by "
        "specgrad, and 0 bytes is reserved by specgrad but unallocated."
    )
    assert issubclass(OutOfMemoryError, RuntimeError) and cache(0).statistics.failures == 1
    del block, caught
    assert allocate(0, 60 * MIB).size == 60 * MIB


def test_a_fraction_of_the_memory(device: SimulatedDriver) -> None:
    """No more is reserved than the fraction that a process may have."""
    cache(0).fraction = 0.5
    block = allocate(0, 30 * MIB)
    with pytest.raises(OutOfMemoryError, match=r"34.00 MiB is free. 32.00 MiB allowed;"):
        allocate(0, 4 * MIB)
    del block
    assert allocate(0, 32 * MIB).size == 32 * MIB


def test_recorded_streams(device: SimulatedDriver) -> None:
    """A block that another stream uses is given out again when that stream has done with it, without a race."""
    stream = device.create_stream(0)
    block, copy = allocate(0, 4096), allocate(0, 4096, stream)
    address = block.address
    device.fill(address, 1, 4096, 0)
    device.synchronize(0)
    device.copy(copy.address, address, 4096, "d2d", stream)
    block.record_stream(stream)
    block.record_stream(0)
    del block
    total_allocated = [allocate(0, 4096)]
    assert total_allocated[0].address != address, "the stream has had no time to read it"
    device.synchronize_stream(stream)
    total_allocated += [allocate(0, 4096) for _ in range(2)]
    assert address in [found.address for found in total_allocated]
    for found in total_allocated:
        device.fill(found.address, 2, 4096, 0)
    device.synchronize(0)


def test_a_stream_that_was_not_recorded_is_a_race(device: SimulatedDriver) -> None:
    """Without record_stream the simulated device finds that memory was reused under a reader."""
    stream = device.create_stream(0)
    block, copy = allocate(0, 4096), allocate(0, 4096, stream)
    device.fill(block.address, 1, 4096, 0)
    device.synchronize(0)
    device.copy(copy.address, block.address, 4096, "d2d", stream)
    del block
    allocate(0, 4096)
    with pytest.raises(AcceleratorError, match=r"allocation of 4096 bytes.*call record_stream"):
        device.synchronize(0)


def test_threads(device: SimulatedDriver) -> None:
    """Threads that allocate and free at once leave figures and blocks as one thread would."""
    found: list[list[tuple[int, int]]] = []

    def work() -> None:
        for _ in range(200):
            blocks = [allocate(0, 3000) for _ in range(4)]
        found.append([(block.address, block.size) for block in blocks])
        retained.append(blocks)

    retained: list[object] = []
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    addresses = [address for blocks in found for address, _ in blocks]
    assert len(set(addresses)) == 16
    figures = cache(0).statistics
    assert (figures.allocated.now, figures.blocks.now, figures.requested.now) == (16 * 3072, 16, 16 * 3000)
    retained.clear()
    gc.collect()
    assert figures.blocks.now == 0 and figures.reserved.now == figures.segments.now * 3072


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


BEGIN = """
import os
from specgrad.runtime.device.cuda import driver, allocator
driver.simulate()
block = allocator.allocate(0, 1000)
"""


def test_the_end_of_the_interpreter() -> None:
    """Blocks that live when the interpreter ends, in cycles too, are no error."""
    assert (
        run(BEGIN + "block.record_stream(driver.driver().create_stream(0))\ncycle = [block]\ncycle.append(cycle)") == ""
    )


def test_a_forked_process() -> None:
    """It cannot use the devices of its parent: PyTorch's error; blocks that it frees are still the parent's."""
    code = """
child = os.fork()
if child == 0:
    print(driver.device_count(), driver.available(), flush=True)
    for call in (lambda: allocator.allocate(0, 1000), driver.driver):
        try:
            call()
        except RuntimeError as error:
            print(error, flush=True)
    del block
    os._exit(0)
os.waitpid(child, 0)
address = block.address
del block
print(allocator.allocate(0, 1000).address == address)
"""
    lines = run(BEGIN + code).splitlines()
    assert lines == ["1 True", driver.IN_FORK, driver.IN_FORK, "True"]


def test_a_finaliser_waits_for_nobody(device: SimulatedDriver) -> None:
    """A block that dies in a thread which has a lock that others want is taken back by who asks for memory next.

    The collector may free it inside a call of the driver, while another thread calls the driver for the cache.
    """
    block, held, done = [allocate(0, 1000)], threading.Event(), threading.Event()
    address = block[0].address

    def hold() -> None:
        with cache(0).lock:
            held.set()
            done.wait()

    other = threading.Thread(target=hold)
    other.start()
    held.wait()
    dying = threading.Thread(target=block.clear, daemon=True)
    dying.start()
    dying.join(PATIENCE)
    waited = dying.is_alive()
    done.set()
    other.join()
    assert not waited
    assert allocate(0, 1000).address == address
