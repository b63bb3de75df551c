"""Launches of scans along a dimension of arrays in row order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...kernels.cuda.scan_states import types_of
from ...kernels.cuda.scans import MAX_THREADS, PER_THREAD, by_block, by_part, by_thread, scanning
from .. import memory
from ..array import DeviceArray
from .launch import launch
from .moving import numbers, over_elements

SHORT_LINE = 8  # elements of the longest lines of which each thread has one
LINES_THRESHOLD = 2048  # lines side by side, from which on each thread has one
MIN_BLOCK_THREADS = 32  # threads of a block
BLOCKS = 512  # that keep a device busy
PART = 1 << 12  # elements of a part of a line, at least, where several blocks have one


def scan(
    name: str,
    computed: np.dtype,
    sources: Sequence[DeviceArray],
    results: Sequence[DeviceArray],
    shape: tuple[int, int, int],
    reverse: bool = False,
) -> None:
    """Fill results with what the elements of each line come to up to each one.

    Args:
        name: how elements are joined: one of kernels/cuda/scan_states.STATES.
        computed: the dtype of elements in registers.
        sources: arrays of one size in row order, as `results`.
        shape: (before, along, after).
        reverse: whether lines go from the end to the start.
    """
    before, along, after = shape
    lines = before * after
    args: Any = tuple([a.ravel() for a in sources]), tuple([a.ravel() for a in results])
    if not lines * along:
        return
    if along <= SHORT_LINE or (after > 1 and lines >= LINES_THRESHOLD):
        over_elements(scanning(by_thread, name, computed), lines, *args, *numbers(along, after, reverse))
        return
    layout = numbers(along, after, reverse)
    parts = min(BLOCKS // lines, along // PART)
    if parts < 2:
        launch(scanning(by_block, name, computed), lines, threads_of(along), *args, (), *layout, *numbers(1, along))
        return
    totals, states = (states_of(name, computed, lines * parts, results[0].device) for _ in range(2))
    rest = (*layout, *numbers(parts, -(-along // parts)))
    launch(scanning(by_part, name, computed), lines * parts, MAX_THREADS, args[0], totals, *rest)
    between = scanning(by_block, name, computed, "between")
    launch(between, lines, threads_of(parts), totals, states, (), *numbers(parts, 1, 0, 1, parts))
    after_others = scanning(by_block, name, computed, "after")
    launch(after_others, lines * parts, MAX_THREADS, *args, states, *rest)


def states_of(name: str, computed: np.dtype, count: int, device: Any) -> tuple[DeviceArray, ...]:
    return tuple([memory.empty((count,), np.dtype(kind), device) for kind in types_of(name, computed)])


def threads_of(along: int) -> int:
    """Threads for a line: a power of two, so that all have elements where there are enough."""
    return min(max(1 << (-(-along // PER_THREAD) - 1).bit_length(), MIN_BLOCK_THREADS), MAX_THREADS)


def seen(shape: Sequence[int], dim: int) -> tuple[int, int, int]:
    return prod(shape[:dim]), shape[dim], prod(shape[dim + 1 :])
