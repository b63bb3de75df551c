"""Products of matrices by our own kernel: of integers, and where there is no library."""

from __future__ import annotations

import numpy as np

from ...kernels.cuda.gemm import SIDE, TILE, dots, gemm_kernel
from ...kernels.cuda.storage import in_registers
from ..array import DeviceArray
from ..launching import indexed
from ..launching.launch import launch
from .protocol import Number

MAX_BLOCKS = 65535  # along y and z
SMALL, SHORT = 1 << 10, 1 << 8  # elements of a matrix that has no need of tiles, and of the sum behind each


def multiply_tiled(a: DeviceArray, b: DeviceArray, result: DeviceArray, alpha: Number, beta: Number) -> None:
    """result = alpha a b + beta result of batches of matrices, (batch, m, k) and (batch, k, n), in any layout."""
    computed = computed_dtype(a)
    batch, m, k = a.shape
    n = b.shape[2]
    numbers = computed.type(alpha), computed.type(beta)
    element_strides = [tuple([step // x.stored.itemsize for step in x.byte_strides]) for x in (a, b, result)]
    if m * n <= SMALL and k <= SHORT:
        indexed.run(dots, result.size, computed, a, b, result, (m, n, k), *element_strides, *numbers)
        return
    steps, sizes = [tuple(map(np.int64, each)) for each in element_strides], tuple(map(np.int64, (m, n, k)))
    for first in range(0, batch, MAX_BLOCKS):
        for down in range(0, m, MAX_BLOCKS * TILE):
            count, rows = min(batch - first, MAX_BLOCKS), min(m - down, MAX_BLOCKS * TILE)
            parts = [part(x, s, first, d) for x, s, d in zip((a, b, result), steps, (down, 0, down), strict=True)]
            blocks = -(-n // TILE), -(-rows // TILE), count
            launch(
                gemm_kernel(computed), blocks, (SIDE, SIDE, 1), *parts, (np.int64(rows), *sizes[1:]), *steps, *numbers
            )


def part(x: DeviceArray, steps: tuple[np.int64, ...], first: int, row: int) -> DeviceArray:
    offset = int(first * steps[0] + row * steps[1]) * x.stored.itemsize
    shape = (x.shape[0] - first, x.shape[1] - row, x.shape[2])
    return DeviceArray(x.address + offset, shape, x.dtype, x.block, x.device, x.byte_strides, x.stored)


def computed_dtype(a: DeviceArray) -> np.dtype:
    """The dtype of products and sums: of integers int64, whose last bits are those of any smaller one."""
    return np.dtype(np.int64) if a.dtype.kind in "iub" else in_registers(a.dtype)
