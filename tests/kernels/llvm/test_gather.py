"""Elements from anywhere in memory, of every size of elements and as many as vectors have, and one more or less."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.compiler.jit import jit
from specgrad.runtime.kernels.llvm.gather import TILE_ELEMENTS, take_into

DTYPES = (np.bool_, np.int8, np.int32, np.int64, np.float32, np.float64, np.complex64, np.complex128)


@jit
def reserved(memory: Any, positions: Any, to: Any) -> None:
    take_into(memory, positions, to)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_elements_at_places(dtype: Any, kind: Any) -> None:
    """What lies behind the results stays as it is."""
    rng = np.random.default_rng(0)
    memory = rng.integers(0, 100, 50).astype(dtype)
    for count in range(3 * TILE_ELEMENTS + 2):
        positions, to = rng.integers(0, 50, count).astype(kind), np.full(count + 5, 1, dtype)
        reserved(memory, positions, to[:count])
        np.testing.assert_array_equal(to[:count], memory[positions])
        np.testing.assert_array_equal(to[count:], 1)
