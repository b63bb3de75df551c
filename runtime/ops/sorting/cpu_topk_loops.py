"""The loops that find the few greatest of many: the greatest key of each block, and what is at least a threshold."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.llvm.addresses import part_of
from .cpu_loops import double_key, keys_of, single_key

Array = np.ndarray
BLOCK = 128  # elements


@jit
def block_tops(codes: Array, floating: bool, inverted: bool, tops: Array, first: int, last: int) -> None:
    """The greatest key of each block of a row, for a range of blocks."""
    for b in range(first, last):
        block = part_of(codes, b * BLOCK, min(BLOCK, codes.size - b * BLOCK))
        if codes.itemsize == 4:
            top = single_key(np.int32(block[0]), floating, inverted)
            for i in range(block.size):
                top = max(top, single_key(np.int32(block[i]), floating, inverted))
            tops[b] = top
        else:
            highest = double_key(np.int64(block[0]), floating, inverted)
            for i in range(block.size):
                highest = max(highest, double_key(np.int64(block[i]), floating, inverted))
            tops[b] = highest


@jit
def collect_greatest(
    codes: Array, floating: bool, inverted: bool, tops: Array, least: int, wanted: int, keys: Array, indices: Array
) -> int:
    """How many keys are above `least`, or are among the first `wanted` that equal it: them, and where they are."""
    found, equal, block_keys = 0, 0, np.empty(BLOCK, keys.dtype)
    for b in range(tops.size):
        if tops[b] < least or (tops[b] == least and equal == wanted):
            continue
        block = part_of(codes, b * BLOCK, min(BLOCK, codes.size - b * BLOCK))
        keys_of(block, floating, inverted, block_keys)
        for i in range(block.size):
            key = block_keys[i]
            if key > least or (key == least and equal < wanted):
                keys[found], indices[found] = key, b * BLOCK + i
                found += 1
                equal += key == least
    return found
