"""Division by the root mean square of rows: the kernels of RMS norm, on arrays (rows, places of a row).

Sums go in blocks: in vector lanes within a block, in double precision from block to block.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...kernels.cpu.sums import REORDER, square_sum
from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from ...pool.parallel_for import shared
from .cpu_rows import FLUSH, add_blocks

_BLOCK = 1024

Array = np.ndarray
Ints = tuple[int, ...]


def normalize_rms(input: Array, weight: Array | None, dim: Ints, eps: float) -> tuple[Array, Array]:
    """x r weight with r = 1 / sqrt(mean(x^2) + eps) over the last dimensions, `dim`; and r."""
    x = _rows(input, dim)
    result, scales = np.empty(input.shape, x.dtype), np.empty(input.shape[: -len(dim)] + (1,) * len(dim), x.dtype)
    shared(_normalize, (x, _weights(weight, x), eps, result.reshape(x.shape), scales.reshape(-1)), len(x), x.size)
    return result, scales


def normalize_rms_backward(
    wanted: Sequence[bool], grad: Array, input: Array, weight: Array | None, scales: Array, dim: Ints
) -> tuple[Array | None, Array | None]:
    """r (c - h mean(c h)) with c = grad weight and h = x r, and the sum of grad h; of which those that are `wanted`."""
    x = _rows(input, dim)
    result, slopes = np.empty(input.shape, x.dtype), np.empty(x.shape[1], x.dtype)
    sums = np.empty((-(-len(x) // FLUSH), x.shape[1]), x.dtype)
    given = _rows(grad, dim), x, _weights(weight, x), scales.reshape(-1)
    shared(_slopes, (*given, result.reshape(x.shape), sums), len(x), x.size, FLUSH)
    add_blocks(sums, slopes)
    return result if wanted[0] else None, slopes if wanted[1] else None


def _rows(array: Array, dim: Ints) -> Array:
    width = math.prod(array.shape[-len(dim) :])
    return np.ascontiguousarray(array).reshape(array.size // max(width, 1), width)


def _weights(weight: Array | None, x: Array) -> Array:
    return np.ones(x.shape[1], x.dtype) if weight is None else np.ascontiguousarray(weight).reshape(-1)


@jit
def _normalize(x: Array, weight: Array, eps: float, result: Array, scales: Array, first: int, last: int) -> None:
    to, count = x.dtype.type, x.shape[1]
    for r in range(first, last):
        row, out = part_of(x, r * count, count), part_of(result, r * count, count)
        scale = to(1 / math.sqrt(square_sum(row, 0.0) / count + eps))
        scales[r] = scale
        for s in range(count):
            out[s] = row[s] * scale * weight[s]


@jit(fastmath=REORDER)
def _weighted_sum(grad: Array, row: Array, weight: Array) -> float:
    """sum_i g_i w_i x_i."""
    total = 0.0
    for k in range(0, row.size, _BLOCK):
        block, given, scale = row[k : k + _BLOCK], grad[k : k + _BLOCK], weight[k : k + _BLOCK]
        part = row.dtype.type(0)
        for i in range(block.size):
            part += given[i] * scale[i] * block[i]
        total += part
    return total


@jit
def _slopes(
    grad: Array, x: Array, weight: Array, scales: Array, result: Array, sums: Array, first: int, last: int
) -> None:
    to, count = x.dtype.type, x.shape[1]
    for r in range(first, last):
        near = sums[r // FLUSH]
        if r % FLUSH == 0:
            near[:] = 0
        g, row, scale = part_of(grad, r * count, count), part_of(x, r * count, count), scales[r]
        out = part_of(result, r * count, count)
        along = to(float(scale) ** 3 * _weighted_sum(g, row, weight) / count)
        for s in range(count):
            out[s] = scale * weight[s] * g[s] - along * row[s]
            near[s] += g[s] * (row[s] * scale)
