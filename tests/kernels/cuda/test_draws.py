"""Kernels of random numbers compile with their place in the stream as numbers, and as memory that a graph reads."""

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.kernels.cuda import random
from specgrad.runtime.kernels.cuda.compile import ptx
from specgrad.runtime.kernels.cuda.kernel import Array, Kernel

WORD, DEVICE, NUMBER = np.dtype(np.uint64), np.dtype(np.int64), np.dtype(np.float32)
MASK = np.dtype(np.uint32)
BOOL = Array(np.dtype(np.bool_))
KERNELS: dict[str, tuple[Kernel, Any, Any]] = {
    "survivors": (random.SURVIVORS, BOOL, (MASK,)),
    "normal": (random.NORMAL[4], Array(NUMBER), (NUMBER, NUMBER)),
    "poisson": (random.POISSON, Array(np.dtype(np.float64)), Array(np.dtype(np.float64))),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", [WORD, Array(WORD)], ids=["numbers", "memory"])
def test_compiles(name: str, seed: Any) -> None:
    """To PTX that has the entry."""
    kernel, out, given = KERNELS[name]
    assert ".visible .entry" in ptx(kernel.make, (out, DEVICE, seed, WORD, given))
