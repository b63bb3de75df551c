"""The words of a launch, as kernels of numba read them: seven of an array, one of a number, two of a complex one; grids
and blocks, what CUDA takes of them, and errors of kernels, where a device would go on with wrong numbers, hang or end
the context.
"""

import functools
import struct
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...errors import AcceleratorError

ARRAY_SLOTS = 7


class ArraySlots(NamedTuple):
    """An array as it is passed: all of its elements lie one after another."""

    dtype: np.dtype
    address: int
    size: int

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


def word_count(signature: Sequence[Any]) -> int:
    return sum(_slots_of(part) for part in signature)


def _slots_of(part: Any) -> int:
    if isinstance(part, np.dtype):
        return 2 if part.kind == "c" else 1
    return word_count(part) if getattr(part, "dtype", None) is None else ARRAY_SLOTS


def decoded(slots: Sequence[int], signature: Sequence[Any]) -> list[Any]:
    """The arguments of a launch: NumPy's scalars, ArraySlots, and tuples of these. RuntimeError: the words cannot be
    arguments of this signature.
    """
    left = iter(slots)
    try:
        matches = [_part(part, left) for part in signature]
    except StopIteration:
        raise _refused(f"{len(slots)} words are too few for {signature}") from None
    if leftover := len(list(left)):
        raise _refused(f"{leftover} of {len(slots)} words are too many for {signature}")
    return matches


def _part(part: Any, left: Iterator[int]) -> Any:
    if isinstance(part, np.dtype):
        return _number(part, left)
    dtype = getattr(part, "dtype", None)
    return tuple(_part(inner, left) for inner in part) if dtype is None else _array(dtype, left)


def _array(dtype: np.dtype, left: Iterator[int]) -> ArraySlots:
    meminfo, parent, size, itemsize, address, shape, stride = [next(left) for _ in range(ARRAY_SLOTS)]
    if (meminfo, parent, itemsize, shape, stride) != (0, 0, dtype.itemsize, size, dtype.itemsize):
        raise _refused(f"words of an array of {dtype} contradict each other: {size} elements, shape {shape}")
    if address % dtype.itemsize:
        raise AcceleratorError(f"CUDA error: misaligned address: {address:#x} for an array of {dtype}")
    return ArraySlots(dtype, address, size)


def _number(dtype: np.dtype, left: Iterator[int]) -> Any:
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        return dtype.type(complex(_number(part, left), _number(part, left)))
    return np.frombuffer(struct.pack("<Q", next(left) % 2**64)[: dtype.itemsize], dtype)[0]


def _refused(message: str) -> AcceleratorError:
    return AcceleratorError(f"CUDA error: invalid argument: {message}")


class KernelFault(RuntimeError):
    """A kernel does what CUDA forbids or leaves undefined; the text names kernel, thread, array and index."""


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

    def number(self, thread_index: "Dim3") -> int:
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
