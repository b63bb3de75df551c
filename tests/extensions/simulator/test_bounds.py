"""Indices outside of an array, reads of what nobody wrote, and limits of CUDA's are refused."""

from __future__ import annotations

from typing import Any

import pytest

from specgrad.runtime.extensions.simulator import KernelFault, SimulatedCuda
from specgrad.runtime.kernels.cuda.language import cuda
from specgrad.runtime.kernels.cuda.numbers import float32, uint8
from tests.extensions.simulator.faults import (
    FIRST,
    LAST,
    NEXT_BLOCK,
    SECOND,
    Case,
    check_accepted,
    check_refused,
    in_every_order,
)


def reads_beyond(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i + 1]


def reads_inside(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i + 1 < x.size:
        out[i] = x[i + 1]


def reads_below(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i - 1]


def reads_from_zero(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i > 0:
        out[i] = x[i - 1]


def writes_beyond(x: Any, out: Any) -> None:
    out[cuda.grid(1)] = 1


def writes_inside(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 1


def leaves_a_row(x: Any, out: Any) -> None:
    table = cuda.local.array((2, 3), float32)
    table[1, 3] = 1


def stays_in_a_row(x: Any, out: Any) -> None:
    table = cuda.local.array((2, 3), float32)
    table[1, 2] = 1


def takes_one_index(x: Any, out: Any) -> None:
    table = cuda.local.array((2, 3), float32)
    table[1] = 1


def slices_beyond(x: Any, out: Any) -> None:
    s = cuda.shared.array(64, float32)
    s[60:65][0] = 1


def slices_inside(x: Any, out: Any) -> None:
    s = cuda.shared.array(64, float32)
    if cuda.threadIdx.x == 0:
        s[60:64][0] = 1


def reads_its_output(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] += x[i]


def writes_its_output(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    out[i] = x[i]
    out[i] += x[i]


def reads_empty_shared_memory(x: Any, out: Any) -> None:
    total = cuda.shared.array(1, float32)
    out[cuda.grid(1)] = total[0]


def fills_shared_memory(x: Any, out: Any) -> None:
    total = cuda.shared.array(1, float32)
    if cuda.threadIdx.x == 0:
        total[0] = 1
    cuda.syncthreads()
    out[cuda.grid(1)] = total[0]


def reads_empty_local_memory(x: Any, out: Any) -> None:
    retained = cuda.local.array(2, float32)
    retained[0] = 1
    out[cuda.grid(1)] = retained[1]


def fills_local_memory(x: Any, out: Any) -> None:
    retained = cuda.local.array(2, float32)
    retained[0] = retained[1] = 1
    out[cuda.grid(1)] = retained[1]


def adds_to_nothing(x: Any, out: Any) -> None:
    cuda.atomic.add(out, 0, 1)


def adds_to_something(x: Any, out: Any) -> None:
    cuda.atomic.add(x, 0, 1)


def does_nothing(x: Any, out: Any) -> None:
    pass


def takes_much_static_memory(x: Any, out: Any) -> None:
    cuda.shared.array(12289, float32)


def takes_all_static_memory(x: Any, out: Any) -> None:
    cuda.shared.array(12288, float32)


def takes_a_byte(x: Any, out: Any) -> None:
    cuda.shared.array(1, uint8)


def wants_what_it_is(x: Any, out: Any) -> None:
    s = cuda.shared.array(cuda.threadIdx.x + 1, float32)
    s[0] = 1


def wants_a_constant(x: Any, out: Any) -> None:
    s = cuda.shared.array(64, float32)
    s[cuda.threadIdx.x] = 1


CASES = [
    Case(reads_beyond, reads_inside, f"{LAST} reads x[64], outside of its 64 elements"),
    Case(reads_below, reads_from_zero, f"{FIRST} reads x[-1], outside of its 64 elements"),
    Case(writes_beyond, writes_inside, f"{NEXT_BLOCK} writes out[64], outside of its 64 elements", grid=2),
    Case(leaves_a_row, stays_in_a_row, f"{FIRST} has access to table[1, 3], outside of its shape (2, 3)"),
    Case(takes_one_index, stays_in_a_row, f"{FIRST} has access to table[1], and its elements have 2 indices"),
    Case(slices_beyond, slices_inside, f"{FIRST} slices s[60:65:None], of its 64 elements"),
    Case(reads_its_output, writes_its_output, f"{FIRST} reads out[0], which nobody wrote"),
    Case(reads_empty_shared_memory, fills_shared_memory, f"{FIRST} reads total[0], which nobody wrote"),
    Case(reads_empty_local_memory, fills_local_memory, f"{FIRST} reads retained[1], which nobody wrote"),
    Case(adds_to_nothing, adds_to_something, f"{FIRST} changes out[0], which nobody wrote"),
    Case(
        *(takes_much_static_memory, takes_all_static_memory),
        "a block takes 49156 bytes of static shared memory; CUDA has 49152, more is dynamic",
    ),
    Case(
        *(takes_a_byte, does_nothing),
        *("a block takes 232449 bytes of shared memory; a device has 232448", 1, 64, 227 * 1024),
    ),
    Case(wants_what_it_is, wants_a_constant, f"{SECOND} makes s with shape 2, others with 1: no constant"),
]


@in_every_order(CASES)
def test_the_fault_is_refused(case: Case, order: str) -> None:
    """In every order of threads: what runs first is luck, what is wrong is not."""
    check_refused(case, order)


@in_every_order(CASES)
def test_the_mended_kernel_runs(case: Case, order: str) -> None:
    """Nothing else is refused."""
    check_accepted(case, order)


REFUSED: list[tuple[Any, Any, str]] = [
    (1, 1025, "a block of (1025, 1, 1) threads; CUDA takes 1 to (1024, 1024, 64)"),
    (1, (1, 1, 65), "a block of (1, 1, 65) threads; CUDA takes 1 to (1024, 1024, 64)"),
    (1, (32, 33), "a block of (32, 33, 1) = 1056 threads; CUDA takes 1024"),
    (0, 64, "a grid of (0, 1, 1) blocks; CUDA takes 1 to (2147483647, 65535, 65535)"),
    ((1, 65536), 64, "a grid of (1, 65536, 1) blocks; CUDA takes 1 to (2147483647, 65535, 65535)"),
]


@pytest.mark.parametrize(("grid", "block", "text"), REFUSED)
def test_a_launch_that_no_driver_takes_is_refused(grid: Any, block: Any, text: str) -> None:
    """Too many threads or blocks, or none."""
    with pytest.raises(KernelFault) as caught:
        SimulatedCuda().launch(does_nothing, grid, block, (1, 2))
    assert str(caught.value) == f"does_nothing: {text}"


@pytest.mark.parametrize(("grid", "block"), [(1, 1024), (1, (1, 1, 64)), (1, (32, 32)), ((1, 65535), 1)])
def test_a_launch_at_the_limits_runs(grid: Any, block: Any) -> None:
    """A thread less, and it is taken."""
    SimulatedCuda().launch(does_nothing, grid, block, (1, 2))
