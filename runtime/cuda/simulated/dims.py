"""Grids and blocks: extents in three dimensions, the places in them, and what CUDA takes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from .faults import KernelFault

WARP = 32  # threads of a block that run together
MAX_THREADS = 1024  # of a block
BLOCK_LIMITS = (1024, 1024, 64)
GRID_LIMITS = (2**31 - 1, 65535, 65535)


class Dim3(NamedTuple):
    x: int
    y: int = 1
    z: int = 1

    @property
    def total(self) -> int:
        return self.x * self.y * self.z

    def number(self, thread_index: Dim3) -> int:
        return thread_index.x + self.x * (thread_index.y + self.y * thread_index.z)


def thread_indices(dim: Dim3) -> list[tuple[int, Dim3]]:
    return list(enumerate(Dim3(x, y, z) for z, y, x in product(range(dim.z), range(dim.y), range(dim.x))))


thread_indices_in_block = functools.lru_cache(maxsize=16)(thread_indices)


def extents(value: int | Sequence[int]) -> Dim3:
    return Dim3(*value) if isinstance(value, Sequence) else Dim3(value)


def check_limits(kernel: str, grid: Dim3, block: Dim3) -> None:
    for what, of, dim, limits in (("grid", "blocks", grid, GRID_LIMITS), ("block", "threads", block, BLOCK_LIMITS)):
        if not all(1 <= value <= limit for value, limit in zip(dim, limits, strict=True)):
            raise KernelFault(f"{kernel}: a {what} of {tuple(dim)} {of}; CUDA takes 1 to {limits}")
    if block.total > MAX_THREADS:
        raise KernelFault(f"{kernel}: a block of {tuple(block)} = {block.total} threads; CUDA takes {MAX_THREADS}")
