"""Ranks against NumPy's stable sort, of every number of keys that vectors hold, with many that are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.compiler.jit import jit
from specgrad.runtime.kernels.llvm.sort_keys import put_ranks


@jit
def ranked(keys: Any, count: int, ranks: Any) -> None:
    put_ranks(keys, count, ranks)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("different", [1, 3, 2**31 - 1])
def test_ranks(dtype: Any, different: int) -> None:
    """What fills the row up behind the keys is not counted, though it is equal to some of them."""
    rng, max_count = np.random.default_rng(0), np.iinfo(dtype).max
    for size in (16, 32, 64, 160):
        for count in {1, size // 2 + 1, size - 1, size}:
            keys, ranks = np.full(size, max_count, dtype), np.empty(size, dtype)
            keys[:count] = rng.integers(-different, different, count)
            keys[: count // 3] = rng.choice([max_count, np.iinfo(dtype).min], count // 3)
            ranked(keys, count, ranks)
            order = np.argsort(keys[:count], kind="stable")
            np.testing.assert_array_equal(ranks[:count][order], np.arange(count))
