"""Kernels whose sums may be reordered give the same bits wherever their arrays lie.

Where a loop reads and writes, compilers make two versions of it and choose by how far apart the arrays are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from specgrad.generated.kernels.programs import (
    cpu_log_softmax,
    cpu_normalize_rms,
    cpu_softmax,
    cpu_softmax_backward,
    cpu_standardize_rows,
    cpu_var_correction,
)
from specgrad.runtime.kernels.cpu.reduce_layout import folding
from specgrad.runtime.ops.reduction import cpu_reduce_loops
from specgrad.runtime.ops.reduction.plans import row_ints

Array = np.ndarray
ROWS = 3
KERNELS: dict[str, Callable[[Array, Array, Array], Any]] = {
    "softmax": lambda x, y, out: cpu_softmax.loop(*flat(x, out), *entire(x)),
    "log_softmax": lambda x, y, out: cpu_log_softmax.loop(*flat(x, out), *entire(x)),
    "softmax backward": lambda x, y, out: cpu_softmax_backward.loop(*flat(x, y, out), *entire(x)),
    "softmax of columns": lambda x, y, out: cpu_softmax.columns(*flat(x, out), *x.shape, 0, x.shape[1]),
    "layer norm": lambda x, y, out: cpu_standardize_rows.loop(
        *flat(x, y[0], y[1], out), np.empty(ROWS, x.dtype), np.empty(ROWS, x.dtype), 1e-5, *entire(x)
    ),
    "rms norm": lambda x, y, out: cpu_normalize_rms.loop(
        *flat(x, y[0], out), np.empty(ROWS, x.dtype), 1e-5, *entire(x)
    ),
    "sums": lambda x, y, out: cpu_reduce_loops.row_sums(*flat(x, out[:1]), 1.0, *in_rows(x), 0, ROWS),
    "variances": lambda x, y, out: cpu_var_correction.loop(*flat(x, out[:1]), 1.0, *entire(x)),
    "products": lambda x, y, out: cpu_reduce_loops.products_of_rows(*flat(x, out[:1]), *in_rows(x), 0, ROWS),
}


def entire(x: Array) -> tuple[int, ...]:
    """Rows in one piece, and all of them."""
    return x.shape[1], 1, 1, 0, ROWS


def in_rows(x: Array) -> tuple[int, ...]:
    """What loops over rows take to know how they lie."""
    return row_ints(folding(x.shape, 1))


def flat(*arrays: Array) -> list[Array]:
    """The arrays in one line each, as plans give them to kernels."""
    return [array.reshape(-1) for array in arrays]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", KERNELS)
def test_same_bits_at_every_distance(name: str, dtype: Any) -> None:
    """The result from 0 to 60 elements behind its operands, and far away."""
    rng = np.random.default_rng(0)
    memory = np.empty(4096, dtype)
    for size in (4, 7, 33):
        for _ in range(10):
            given = rng.standard_normal((2, ROWS, size))
            found = set()
            for distance in (*range(60), 1024):
                positions = np.cumsum([64, ROWS * size, ROWS * size + distance])
                x, y, out = (memory[at : at + ROWS * size].reshape(ROWS, size) for at in positions)
                x[:], y[:], out[:] = given[0], given[1], 1
                KERNELS[name](x, y, out)
                found.add(out.tobytes())
            assert len(found) == 1
