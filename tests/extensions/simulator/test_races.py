"""Two threads that have access to one element, one of which writes, need a barrier between them."""

from __future__ import annotations

from typing import Any

from specgrad.runtime.kernels.cuda.language import cuda
from specgrad.runtime.kernels.cuda.numbers import float32
from tests.extensions.simulator.faults import (
    ATOMIC_COST,
    BLOCK,
    FIRST,
    NEXT_BLOCK,
    SECOND,
    Case,
    check_accepted,
    check_refused,
    in_every_order,
)


def reads_too_soon(x: Any, out: Any) -> None:
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if t > 0:
        out[t] = s[t - 1]


def reads_after_a_barrier(x: Any, out: Any) -> None:
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    if t > 0:
        out[t] = s[t - 1]


def writes_too_soon(x: Any, out: Any) -> None:
    s = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    for k in range(2):
        if t == 5:
            s[0] = x[k]
        cuda.syncthreads()
        out[t] = s[0]


def writes_after_a_barrier(x: Any, out: Any) -> None:
    s = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    for k in range(2):
        if t == 5:
            s[0] = x[k]
        cuda.syncthreads()
        out[t] = s[0]
        cuda.syncthreads()


def all_write_one(x: Any, out: Any) -> None:
    out[0] = x[0]


def one_writes(x: Any, out: Any) -> None:
    if cuda.threadIdx.x == 0:
        out[0] = x[0]


def shifts_in_place(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    x[i] = x[(i + 1) % 64]


def shifts_with_a_barrier(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    value = x[(i + 1) % 64]
    cuda.syncthreads()
    x[i] = value


def shifts_a_warp(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    value = x[i ^ 1]
    x[i] = value


def shifts_a_warp_together(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    value = x[i ^ 1]
    cuda.syncwarp()
    x[i] = value


def crosses_warps(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    value = x[i ^ 32]
    cuda.syncwarp()
    x[i] = value


def syncs_other_lanes(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    value = x[i ^ 1]
    if i & 1:
        cuda.syncwarp(0xAAAAAAAA)
    x[i] = value


def syncs_these_lanes(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    value = x[i ^ 1]
    if i & 2:
        cuda.syncwarp(0xCCCCCCCC)
    else:
        cuda.syncwarp(0x33333333)
    x[i] = value


def blocks_share(x: Any, out: Any) -> None:
    x[0] = x[cuda.blockIdx.x]


def blocks_are_apart(x: Any, out: Any) -> None:
    x[cuda.blockIdx.x] = x[cuda.blockIdx.x]


def adds_and_reads(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    cuda.atomic.add(x, 0, 1)
    out[t] = x[0]


def adds_then_reads(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    cuda.atomic.add(x, 0, 1)
    cuda.syncthreads()
    out[t] = x[0]


def reads_and_adds(x: Any, out: Any) -> None:
    out[cuda.threadIdx.x] = x[0]
    cuda.atomic.add(x, 0, 1)


def adds_and_keeps(x: Any, out: Any) -> None:
    out[cuda.threadIdx.x] = cuda.atomic.add(x, 0, 1)


def last_block_without_fence(x: Any, out: Any) -> None:
    b = cuda.blockIdx.x
    out[b] = x[b]
    if cuda.atomic.add(x, 60, 1) == 60 + 1:
        out[10] = out[0] + out[1]


def last_block_with_fence(x: Any, out: Any) -> None:
    b = cuda.blockIdx.x
    out[b] = x[b]
    cuda.threadfence()
    if cuda.atomic.add(x, 60, 1) == 60 + 1:
        out[10] = out[0] + out[1]


CASES = [
    Case(reads_too_soon, reads_after_a_barrier, f"{SECOND} reads s[0], which {FIRST} writes {ATOMIC_COST}"),
    Case(
        writes_too_soon,
        writes_after_a_barrier,
        f"thread (5, 0, 0) of {BLOCK} writes s[0], which thread (4, 0, 0) of {BLOCK} reads {ATOMIC_COST}",
    ),
    Case(all_write_one, one_writes, f"{SECOND} writes out[0], which {FIRST} writes {ATOMIC_COST}"),
    Case(shifts_in_place, shifts_with_a_barrier, f"{SECOND} writes x[1], which {FIRST} reads {ATOMIC_COST}"),
    Case(shifts_a_warp, shifts_a_warp_together, f"{SECOND} reads x[0], which {FIRST} writes {ATOMIC_COST}"),
    Case(
        crosses_warps,
        shifts_with_a_barrier,
        f"{FIRST} writes x[0], which thread (32, 0, 0) of {BLOCK} reads {ATOMIC_COST}",
    ),
    Case(syncs_other_lanes, syncs_these_lanes, f"{SECOND} reads x[0], which {FIRST} writes {ATOMIC_COST}"),
    Case(
        blocks_share, blocks_are_apart, f"{NEXT_BLOCK} writes x[0], which {FIRST} writes {ATOMIC_COST}", grid=2, block=1
    ),
    Case(adds_and_reads, adds_then_reads, f"{SECOND} changes x[0], which {FIRST} reads {ATOMIC_COST}"),
    Case(reads_and_adds, adds_and_keeps, f"{SECOND} reads x[0], which {FIRST} writes {ATOMIC_COST}"),
    Case(
        *(last_block_without_fence, last_block_with_fence),
        *(f"{NEXT_BLOCK} reads out[0], which {FIRST} writes {ATOMIC_COST}", 2, 1),
    ),
]


@in_every_order(CASES)
def test_the_fault_is_refused(case: Case, order: str) -> None:
    """In every order of threads: what runs first is luck, what is wrong is not."""
    check_refused(case, order)


@in_every_order(CASES)
def test_the_mended_kernel_runs(case: Case, order: str) -> None:
    """Nothing else is refused."""
    check_accepted(case, order)
