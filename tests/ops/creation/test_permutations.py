"""Random orders: the loop that brings few places into order, and the one that leaves this to NumPy, give the same."""

from __future__ import annotations

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.kernels.cpu.random import fill_permutation
from specgrad.runtime.kernels.cpu.random_loops import SHUFFLE_BITS_THRESHOLD, shuffled


@pytest.mark.parametrize("count", [0, 1, 2, 24, 25, 300, 1024, 1025, 3000, 40_000, 1 << SHUFFLE_BITS_THRESHOLD])
@pytest.mark.parametrize("seed", [0, 5, -9, 2**62])
def test_both_loops_give_the_same_order(count: int, seed: int) -> None:
    """And it has each place once."""
    found, expected = np.empty(count, np.int64), np.empty(count, np.int64)
    shuffled(found, seed, 17, 0, count)
    fill_permutation(expected, seed, 17)
    assert np.array_equal(found, expected)
    assert np.array_equal(np.sort(found), np.arange(count))


def test_long_permutations_are_those_of_the_general_path() -> None:
    """What native code draws is what a generator's stream says."""
    for count in (1000, 5000, 70_000):
        expected = np.empty(count, np.int64)
        fill_permutation(expected, 3, 0)
        assert np.array_equal(sg.randperm(count, generator=sg.Generator().manual_seed(3)).numpy(), expected)
