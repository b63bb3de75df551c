"""Threads of a block meet at one barrier, lanes of a warp at one shuffle."""

from __future__ import annotations

from typing import Any

from specgrad.runtime.kernels.cuda.language import cuda
from tests.extensions.simulator.faults import ALL, BLOCK, Case, check_accepted, check_refused, in_every_order


def leaves_early(x: Any, out: Any) -> None:
    if cuda.threadIdx.x == 3:
        return
    cuda.syncthreads()


def leaves_late(x: Any, out: Any) -> None:
    cuda.syncthreads()
    if cuda.threadIdx.x == 3:
        return


def meets_at_two_lines(x: Any, out: Any) -> None:
    if cuda.threadIdx.x < 32:
        cuda.syncthreads()
    else:
        cuda.syncthreads()


def meets_at_one_line(x: Any, out: Any) -> None:
    cuda.syncthreads()


def meet() -> None:
    cuda.syncthreads()


def meets_in_two_calls(x: Any, out: Any) -> None:
    if cuda.threadIdx.x < 32:
        meet()
    else:
        meet()


def meets_in_one_call(x: Any, out: Any) -> None:
    meet()


def counts_beside_a_barrier(x: Any, out: Any) -> None:
    if cuda.threadIdx.x < 32:
        cuda.syncthreads()
    else:
        cuda.syncthreads_count(True)


def shuffles_in_two_ways(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    if t % 2:
        out[t] = cuda.shfl_xor_sync(ALL, x[t], 1)
    else:
        out[t] = cuda.shfl_down_sync(ALL, x[t], 1)


def shuffles_in_one_way(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    value = cuda.shfl_xor_sync(ALL, x[t], 1)
    out[t] = value if t % 2 else x[t]


def shuffles_half(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    if t % 32 < 16:
        out[t] = cuda.shfl_xor_sync(ALL, x[t], 1)
    cuda.syncthreads()


def shuffles_half_by_its_mask(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    if t % 32 < 16:
        out[t] = cuda.shfl_xor_sync(0xFFFF, x[t], 1)
    cuda.syncthreads()


def asks_lanes_outside(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_xor_sync(0x3, x[t], 2) if t % 32 < 2 else x[t]


def asks_lanes_inside(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_xor_sync(0x3, x[t], 1) if t % 32 < 2 else x[t]


def is_not_in_its_mask(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    if t < 2:
        out[t] = cuda.ballot_sync(0x2, True)


def is_in_its_mask(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    if t < 2:
        out[t] = cuda.ballot_sync(0x3, True)


def asks_who_returned(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    if t < 63:
        out[t] = cuda.shfl_down_sync(ALL, x[t], 1)


def asks_who_is_there(x: Any, out: Any) -> None:
    t = cuda.threadIdx.x
    value = cuda.shfl_down_sync(ALL, x[t], 1)
    if t < 63:
        out[t] = value


CASES = [
    Case(
        *(leaves_early, leaves_late),
        f"{BLOCK}: divergent barrier: thread (0, 0, 0) waits at syncthreads in line {{3}} of leaves_early, "
        "thread (3, 0, 0) has returned",
    ),
    Case(
        *(meets_at_two_lines, meets_at_one_line),
        f"{BLOCK}: divergent barriers: thread (0, 0, 0) waits at syncthreads in line {{2}} of meets_at_two_lines, "
        "thread (32, 0, 0) waits at syncthreads in line {4} of meets_at_two_lines",
    ),
    Case(
        *(meets_in_two_calls, meets_in_one_call),
        f"{BLOCK}: divergent barriers: thread (0, 0, 0) waits at syncthreads in line {{-3}} of meet called in "
        "line {2} of meets_in_two_calls, thread (32, 0, 0) waits at syncthreads in line {-3} of meet called in "
        "line {4} of meets_in_two_calls",
    ),
    Case(
        *(counts_beside_a_barrier, meets_at_one_line),
        f"{BLOCK}: divergent barriers: thread (0, 0, 0) waits at syncthreads in line {{2}} of counts_beside_a_barrier, "
        "thread (32, 0, 0) waits at syncthreads_count in line {4} of counts_beside_a_barrier",
    ),
    Case(
        *(shuffles_in_two_ways, shuffles_in_one_way),
        f"{BLOCK}: lanes of a warp wait for each other: thread (0, 0, 0) waits at shfl_down_sync in line {{5}} of "
        "shuffles_in_two_ways, thread (1, 0, 0) waits at shfl_xor_sync in line {3} of shuffles_in_two_ways",
    ),
    Case(
        *(shuffles_half, shuffles_half_by_its_mask),
        f"{BLOCK}: lanes of a warp wait for each other: thread (0, 0, 0) waits at shfl_xor_sync in line {{3}} of "
        "shuffles_half, thread (16, 0, 0) waits at syncthreads in line {4} of shuffles_half",
    ),
    Case(
        *(asks_lanes_outside, asks_lanes_inside),
        f"{BLOCK}: shfl_xor_sync in line {{2}} of asks_lanes_outside, warp 0: lane 0 reads from lane 2, which takes no "
        "part",
    ),
    Case(
        *(is_not_in_its_mask, is_in_its_mask),
        f"{BLOCK}: thread (0, 0, 0) waits at ballot_sync in line {{3}} of is_not_in_its_mask, and its mask 0x2 "
        "does not name its lane 0",
    ),
    Case(
        *(asks_who_returned, asks_who_is_there),
        f"{BLOCK}: shfl_down_sync in line {{3}} of asks_who_returned, warp 1: lane 30 reads from lane 31, which "
        "takes no part",
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
