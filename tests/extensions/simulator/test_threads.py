"""What kernels name of `cuda` means in the simulator what CUDA says, in every order of threads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import pytest

from specgrad.runtime.extensions.simulator import ORDERS, GlobalArray, KernelFault, SimulatedCuda
from specgrad.runtime.kernels.cuda.language import cuda
from specgrad.runtime.kernels.cuda.numbers import float32, int32, uint8, uint32

ALL = 0xFFFFFFFF
LANES = np.arange(64)


@pytest.fixture(params=ORDERS)
def device(request: pytest.FixtureRequest) -> SimulatedCuda:
    """A simulator for each order."""
    return SimulatedCuda(request.param)


def results(device: SimulatedCuda, kernel: Callable[..., None], dtype: Any = np.int64) -> np.ndarray:
    """What 64 threads write of the numbers 0 to 63."""
    out = np.zeros(64, dtype)
    device.launch(kernel, 1, 64, (np.arange(64, dtype=np.int64), out))
    return out


def run_in(order: str, seed: int = 0) -> list[tuple[int, int]]:
    """The blocks and threads of a launch as they run."""
    ran: list[tuple[int, int]] = []

    def kernel(note: Any) -> None:
        note((cuda.blockIdx.x, cuda.threadIdx.x))

    SimulatedCuda(order, seed).launch(kernel, 3, 4, (ran.append,))
    return ran


def test_three_orders() -> None:
    """Forward, reverse, and random by a seed: each runs every thread of a block, block after block."""
    forward = [(block, thread) for block in range(3) for thread in range(4)]
    assert run_in("forward") == forward
    assert run_in("reverse") == forward[::-1]
    first, second = run_in("random", 1), run_in("random", 2)
    assert sorted(first) == sorted(second) == forward
    assert first == run_in("random", 1) != second


def test_threads_that_meet_run_in_order_too() -> None:
    """Before a barrier, and after it."""
    ran: dict[str, list[int]] = {order: [] for order in ORDERS}

    def kernel(note: Any) -> None:
        note(cuda.threadIdx.x)
        cuda.syncthreads()
        note(cuda.threadIdx.x)

    for order in ORDERS:
        SimulatedCuda(order).launch(kernel, 1, 5, (ran[order].append,))
    assert ran["forward"] == [0, 1, 2, 3, 4] * 2
    assert ran["reverse"] == [4, 3, 2, 1, 0] * 2
    assert sorted(ran["random"][:5]) == sorted(ran["random"][5:]) == [0, 1, 2, 3, 4]


def positions(out: Any) -> None:
    x, y, z = cuda.grid(3)
    width, height, _ = cuda.gridsize(3)
    at = x + width * (y + height * z)
    out[at] = cuda.laneid + 100 * cuda.blockIdx.z + 1000 * cuda.gridDim.y + 10000 * cuda.blockDim.x


def test_three_dimensions(device: SimulatedCuda) -> None:
    """Every thread has its own place; lanes count x first."""
    out = np.full(4 * 6 * 6, -1)
    device.launch(positions, (2, 3, 2), (2, 2, 3), (out,))
    lanes = np.arange(12).reshape(3, 2, 2)
    requested = np.tile(lanes, (2, 3, 2)) + 100 * (np.arange(6) // 3)[:, None, None] + 3000 + 20000
    assert np.array_equal(out, requested.ravel())


def xor(x: Any, out: Any) -> None:
    out[cuda.grid(1)] = cuda.shfl_xor_sync(ALL, x[cuda.grid(1)], 5)


def up(x: Any, out: Any) -> None:
    out[cuda.grid(1)] = cuda.shfl_up_sync(ALL, x[cuda.grid(1)], 3)


def down(x: Any, out: Any) -> None:
    out[cuda.grid(1)] = cuda.shfl_down_sync(ALL, x[cuda.grid(1)], 3)


def broadcast(x: Any, out: Any) -> None:
    out[cuda.grid(1)] = cuda.shfl_sync(ALL, x[cuda.grid(1)], 39)


def ballot(x: Any, out: Any) -> None:
    out[cuda.grid(1)] = cuda.ballot_sync(ALL, x[cuda.grid(1)] % 3 == 0)


def in_halves(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i % 32 < 16:
        out[i] = cuda.shfl_xor_sync(0xFFFF, x[i], 1)
    else:
        out[i] = 10 * cuda.all_sync(0xFFFF0000, x[i] < 60) + cuda.any_sync(0xFFFF0000, x[i] == 17)


def equal(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = cuda.eq_sync(ALL, x[i] // 32) + 10 * cuda.eq_sync(ALL, x[i] // 33)


def counts(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    any_of = cuda.syncthreads_or(x[i] == 5) + 10 * cuda.syncthreads_or(x[i] == 64)
    all_of = cuda.syncthreads_and(x[i] < 64) + 10 * cuda.syncthreads_and(x[i] < 63)
    out[i] = cuda.syncthreads_count(x[i] < 7) + 100 * any_of + 10000 * all_of


def bits(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = cuda.popc(x[i]) + 100 * cuda.ffs(x[i]) + 10000 * (cuda.activemask() == ALL) + 100000 * cuda.warpsize


def matches(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = cuda.popc(cuda.match_any_sync(ALL, x[i] % 3) & cuda.lanemask_lt())


WARP, LANE = LANES // 32 * 32, LANES % 32
HALVES = np.where(LANES < 32, 10 + 1, 0)
MEETINGS = {
    xor: WARP + (LANE ^ 5),
    up: np.where(LANE < 3, LANES, LANES - 3),
    down: np.where(LANE > 28, LANES, LANES + 3),
    broadcast: WARP + 7,
    ballot: np.repeat([sum(1 << k for k in range(32) if (k + w) % 3 == 0) for w in (0, 32)], 32),
    in_halves: np.where(LANE < 16, LANES ^ 1, HALVES),
    equal: np.where(LANES < 32, 11, 1),
    counts: np.full(64, 7 + 100 + 10000),
    matches: LANE // 3,
    bits: [i.bit_count() + 100 * len(bin(i & -i)[2:]) * (i > 0) + 3210000 for i in range(64)],
}


@pytest.mark.parametrize("kernel", MEETINGS, ids=lambda kernel: kernel.__name__)
def test_what_threads_of_a_warp_or_block_do_together(device: SimulatedCuda, kernel: Any) -> None:
    """Shuffles, votes and counts, as the programming guide defines them."""
    assert np.array_equal(results(device, kernel), MEETINGS[kernel])


def change(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, x[i])
    cuda.atomic.sub(out, 1, x[i])
    cuda.atomic.max(out, 2, x[i] ^ 21)
    cuda.atomic.min(out, 3, (x[i] ^ 21) - 30)
    cuda.atomic.or_(out, 4, x[i])
    cuda.atomic.xor(out, 5, x[i] * x[i])
    cuda.atomic.and_(out, 6, x[i])
    cuda.atomic.inc(out, 7, 9)
    cuda.atomic.dec(out, 8, 9)
    cuda.atomic.cas(out, 9, 0, 5)
    cuda.atomic.exch(out, 10, 8)
    cuda.atomic.add(out, cuda.atomic.add(out, 11, 1) % 2 + 12, 1)


def test_atomic_operations(device: SimulatedCuda) -> None:
    """The result of 64 threads does not depend on their order; each gets the value before its own."""
    squares = int(np.bitwise_xor.reduce(LANES**2))
    requested = [2016, -2016, 63, -30, 63, squares, 0, 64 % 10, 6, 5, 8, 64, 32, 32]
    assert results(device, change)[:14].tolist() == requested


def swap(x: Any, out: Any) -> None:
    if cuda.atomic.compare_and_swap(out, 0, 7) == 0:
        out[1] = cuda.grid(1) + 1


def test_one_thread_swaps(device: SimulatedCuda) -> None:
    """The first to compare; all others find another value."""
    found = results(device, swap)
    assert found[0] == 7 and 1 <= found[1] <= 64


def sums(x: Any, out: Any) -> None:
    """A sum of a block through shuffles and shared memory."""
    total = add_up(x[cuda.grid(1)])
    out[cuda.grid(1)] = total


def add_up(value: Any) -> Any:
    retained = cuda.shared.array(2, float32)
    bit = 16
    while bit:
        value += cuda.shfl_xor_sync(ALL, value, bit)
        bit >>= 1
    if cuda.laneid == 0:
        retained[cuda.threadIdx.x // 32] = value
    cuda.syncthreads()
    return retained[0] + retained[1]


def test_device_functions_meet(device: SimulatedCuda) -> None:
    """A function among the kernel's globals is simulated with it."""
    assert results(device, sums).tolist() == [2016] * 64


def test_functions_in_a_closure(device: SimulatedCuda) -> None:
    """Kernels made by factories have their device functions, and their types, in closures."""

    def kernel(x: Any, out: Any) -> None:
        out[cuda.grid(1)] = kind(add_up(x[cuda.grid(1)]))

    kind = uint8
    assert results(device, kernel).tolist() == [2016 & 0xFF] * 64


def test_names_of_the_compiler(device: SimulatedCuda) -> None:
    """Types of numba's are simulated ones, and of what it has compiled the Python function runs."""

    def halved(x: Any, *, by: Any = 2) -> Any:
        return number(x // by) if x > 1 else number(x) + (halved(0) if x else 0)

    def kernel(x: Any, out: Any) -> None:
        retained = cuda.local.array(1, number)
        retained[0] = compiled(x[cuda.grid(1)])
        out[cuda.grid(1)] = number(retained[0] - 1)

    number, compiled = numba.uint32, numba.njit(halved)
    halves = np.where(LANES > 1, LANES // 2, LANES)
    assert np.array_equal(results(device, kernel), (halves - 1) & ALL)


def test_several_threads_launch_at_once() -> None:
    """One launch waits for the other: they have one `cuda`."""
    device = SimulatedCuda()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: results(device, sums).tolist(), range(12)))
    assert found == [[2016] * 64] * 12


def two_sums(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    first, second = cuda.shared.array((2, 32), float32), cuda.shared.array(64, int32)
    first[t // 32, t % 32] = x[t]
    second[t] = t
    cuda.syncthreads()
    out[t] = first[1 - t // 32, t % 32] + 1000 * second[63 - t]


def test_shared_arrays(device: SimulatedCuda) -> None:
    """Each line makes an array of its own, which all threads of the block see."""
    assert np.array_equal(results(device, two_sums), (LANES ^ 32) + 1000 * (63 - LANES))


def bytes_of_numbers(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    slot_values = cuda.shared.array(0, uint32)
    if t < 16:
        slot_values[t] = 0x04030201 + t
    cuda.syncthreads()
    single = cuda.shared.array(0, uint8)
    out[t] = single[t] if t < single.size else single.size
    rest = slot_values[16:]
    rest[t] = t
    cuda.syncthreads()
    out[t] += 1000 * rest[63 - t]


def test_dynamic_shared_memory(device: SimulatedCuda) -> None:
    """Arrays over it begin at one place, whatever their elements; slices divide it."""
    out = np.zeros(64, np.int64)
    device.launch(bytes_of_numbers, 1, 64, (LANES, out), shared=4 * 80)
    single = (0x04030201 + np.arange(16, dtype=np.uint32)).view(np.uint8)
    assert np.array_equal(out, single + 1000 * (63 - LANES))


def random_integers(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = uint32(uint32(x[i] - 3) * uint32(0x9E3779B9)) + int32(0xFFFFFFF0 + i) + uint8(-1)


def test_numbers_wrap(device: SimulatedCuda) -> None:
    """As those of the device of their width."""
    product = ((LANES - 3) & ALL) * 0x9E3779B9 & ALL
    signed = (0xFFFFFFF0 + LANES).astype(np.uint32).view(np.int32).astype(np.int64)
    assert np.array_equal(results(device, random_integers), product + signed + 255)


def stores(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = 1000003 * (i - 5)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int32, np.uint64])
def test_stores_wrap(device: SimulatedCuda, dtype: Any) -> None:
    """An integer that the array's dtype does not have loses its upper bits, without a warning."""
    assert np.array_equal(results(device, stores, dtype), (1000003 * (LANES - 5)).astype(dtype))


def thirds(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i] / x.dtype.type(3) + x.dtype.type(1)


def test_arithmetic_has_the_precision_of_the_array(device: SimulatedCuda) -> None:
    """Elements are NumPy's numbers: float32 stays float32."""
    x, out = LANES.astype(np.float32), np.zeros(64)
    device.launch(thirds, 1, 64, (x, out))
    assert np.array_equal(out, (x / np.float32(3) + np.float32(1)).astype(np.float64))


def evens(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i % 2 == 0:
        out[i] = x[i]


def test_a_launch_marks_what_it_writes(device: SimulatedCuda) -> None:
    """All bytes of the elements that it wrote, and no others."""
    written = np.zeros(64 * 8, bool)
    device.launch(evens, 1, 64, (LANES, GlobalArray(np.zeros(64), written)))
    assert np.array_equal(written.reshape(64, 8).all(1), LANES % 2 == 0)
    assert written.sum() == 32 * 8


def adds_parts(given: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = given[0][i] + given[1][0][i] + given[1][1]


def test_arguments_in_tuples(device: SimulatedCuda) -> None:
    """Arrays in tuples are arrays too, and are called by their places in messages."""
    out = np.zeros(64, np.int64)
    device.launch(adds_parts, 1, 64, ((LANES, (LANES, 3)), out))
    assert np.array_equal(out, 2 * LANES + 3)
    with pytest.raises(KernelFault, match=r"reads given\[1\]\[0\]\[\d+\], outside of its 1 elements"):
        device.launch(adds_parts, 1, 64, ((LANES, (LANES[:1], 3)), out))


def narrower(wide: Any, narrow: Any, out: Any) -> None:
    i = cuda.grid(1)
    narrow[2 * i] = i
    narrow[2 * i + 1] = 1
    out[i] = wide[i]


def test_arguments_over_one_memory(device: SimulatedCuda) -> None:
    """What is written through one is read through the other, also where elements have other sizes."""
    memory = np.zeros(64, np.int64)
    written, out = np.zeros(64 * 8, bool), np.zeros(64, np.int64)
    arrays = GlobalArray(memory, written), GlobalArray(memory.view(np.int32), written), out
    device.launch(narrower, 1, 64, arrays)
    assert np.array_equal(out, LANES + (1 << 32))
    assert written.all()


def divides(x: Any, out: Any) -> None:
    cuda.syncthreads()
    out[cuda.grid(1)] = 1 // (cuda.threadIdx.x - 3)


def test_an_error_of_python_names_the_thread() -> None:
    """It stays what it is, and has a note."""
    with pytest.raises(ZeroDivisionError) as caught:
        results(SimulatedCuda(), divides)
    assert caught.value.__notes__ == ["divides: thread (3, 0, 0) of block (0, 0, 0)"]


def hides_a_barrier(x: Any, out: Any) -> None:
    getattr(cuda, "sync" + "threads")()


def test_barriers_that_are_not_found() -> None:
    """A kernel that does not name its barrier is refused: its threads would run one after the other."""
    with pytest.raises(KernelFault, match=r"^hides_a_barrier: syncthreads\(\) is not called by its name"):
        results(SimulatedCuda(), hides_a_barrier)


def test_arguments_are_counted() -> None:
    """The error names those that the kernel has."""
    with pytest.raises(TypeError, match=r"^evens: expected the arguments x, out, got 1$"):
        SimulatedCuda().launch(evens, 1, 1, (LANES,))


def test_orders_have_names() -> None:
    """Any other is an error."""
    with pytest.raises(ValueError, match="got 'backward'"):
        SimulatedCuda("backward")


def test_what_greenlets_are_needed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are none, a kernel without barriers runs, and another says what to install."""
    monkeypatch.setitem(sys.modules, "greenlet", None)
    monkeypatch.delitem(sys.modules, "specgrad.runtime.extensions.simulator.barriers", raising=False)
    assert results(SimulatedCuda(), evens)[2] == 2
    with pytest.raises(ImportError, match=r"^xor: .*: pip install greenlet$"):
        results(SimulatedCuda(), xor)
