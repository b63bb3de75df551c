"""Memory that a kernel makes and reads by its address lives until the kernel returns, and no longer."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numba.core.runtime import rtsys
from numba.core.runtime._nrt_python import memsys_disable_stats, memsys_enable_stats

from specgrad.runtime.compiler.jit import jit
from specgrad.runtime.kernels.llvm.addresses import address, empty_row, part_of, row_at

SIZES = [10, 1000, 100_000]


@jit
def one_after_the_other(found: np.ndarray, size: int) -> None:
    """Makes two arrays, of which nothing but addresses is named later."""
    first = address_of_new(found, size)
    one, other = empty_row(0.0, size), empty_row(0.0, size)
    found[0], found[1] = address(one), address(other)
    third = empty_row(0.0, size)
    found[2] = address(third)
    found[3] = first


@jit
def address_of_new(found: np.ndarray, size: int) -> int:
    """Where memory was that is free again."""
    memory = empty_row(0.0, size)
    return address(memory) + 0 * found.size


@jit
def in_loops(total: np.ndarray, size: int, rounds: int) -> None:
    """Fills memory by its address, and reads it when more has been made, in each round or in some."""
    for k in range(rounds):
        held = empty_row(0.0, size)
        start = address(held)
        row_at(0.0, start, size)[:] = k
        if k % 2:
            more = empty_row(0.0, size)
            part_of(more, 0, size)[:] = -1.0
        again = empty_row(0.0, size)
        part_of(again, 0, size)[:] = -1.0
        for value in row_at(0.0, start, size):
            total[0] += value


@pytest.mark.parametrize("size", SIZES)
def test_no_two_live_at_one_address(size: int) -> None:
    """Memory whose address has been taken is not given away while the function runs."""
    found = np.zeros(4, np.int64)
    one_after_the_other(found, size)
    assert len(set(found[:3])) == 3


@pytest.mark.parametrize("size", SIZES)
def test_loops_read_what_they_wrote(size: int) -> None:
    """What is made anew in each round is another's memory only then."""
    total = np.zeros(1)
    in_loops(total, size, 7)
    assert total[0] == size * sum(range(7))


@pytest.mark.parametrize(
    "call", [partial(one_after_the_other, np.zeros(4, np.int64), 50), partial(in_loops, np.zeros(1), 9, 5)]
)
def test_all_is_given_back(call: Callable[[], None]) -> None:
    """Each piece of memory is freed once."""
    call()
    memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    call()
    after = rtsys.get_allocation_stats()
    memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 0
