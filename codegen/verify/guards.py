"""Guard words around the memory of NumPy's arrays, as AddressSanitizer has them: SPECGRAD_GUARDS=1 turns them on.

The memory of every array that the main thread makes lies between GUARD bytes of 0xFF, which are NaN as floats: who
reads outside gets NaN, and who writes there is found out when the array is freed. New memory is 0xFF too; freed memory
is filled with it, and waits until KEPT others have been freed, so that a write to it is found out as well.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from specgrad.runtime.kernels.llvm.native_code.memory import load, store
from specgrad.runtime.kernels.llvm.native_code.typed import Half, external, native
from specgrad.runtime.kernels.llvm.native_code.units import Unit
from specgrad.runtime.native.numpy_table import handler, set_handler

GUARD = 64  # bytes; before an array the first eight hold its size
RING_BLOCKS = 512  # blocks
DAMAGED, FREED, SIZE, NEXT, RING = range(5)  # words of the state; of the last damaged array its size

_malloc = external("malloc", int, int)
_free = external("free", None, int)
_fill = external("memset", int, int, Half, int)
_copy = external("memcpy", int, int, int, int)
state = np.zeros(RING + RING_BLOCKS, np.int64)
STATE = state.ctypes.data


@native
def is_intact(block: int, first: int, last: int) -> bool:
    """Whether all bytes of a range are 0xFF; it begins at a word."""
    fine, slot_count = True, (last - first) // 8
    for i in range(slot_count):
        fine &= load(block, first + 8 * i) == -1
    for i in range(8 * slot_count, last - first):
        fine &= load(block, first + i - 7) >> 56 & 0xFF == 0xFF
    return fine


@native
def allocated(size: int) -> int:
    """An array's memory, between guards; 0 where there is none."""
    block = _malloc(size + 2 * GUARD)
    if block == 0:
        return block
    _fill(block, 0xFF, size + 2 * GUARD)
    store(block, 0, size)
    return block + GUARD


@native
def retired(address: int, table: int) -> int:
    """Look at the guards of an array, and keep its memory back for a while."""
    block, size = address - GUARD, load(address - GUARD, 0)
    if not is_intact(block, 8, GUARD) or not is_intact(block, GUARD + size, 2 * GUARD + size):
        store(table, 8 * DAMAGED, load(table, 8 * DAMAGED) + 1)
        store(table, 8 * SIZE, size)
    _fill(block + 8, 0xFF, size + 2 * GUARD - 8)
    slot = 8 * (RING + load(table, 8 * NEXT) % RING_BLOCKS)
    store(table, 8 * NEXT, load(table, 8 * NEXT) + 1)
    before = load(table, slot)
    store(table, slot, block)
    if before != 0:
        if not is_intact(before, 8, 2 * GUARD + load(before, 0)):
            store(table, 8 * FREED, load(table, 8 * FREED) + 1)
        _free(before)
    return 0


@native
def malloc(table: int, size: int) -> int:
    return allocated(size)


@native
def calloc(table: int, count: int, size: int) -> int:
    address = allocated(count * size)
    if address != 0:
        _fill(address, 0, count * size)
    return address


@native
def realloc(table: int, address: int, size: int) -> int:
    if address == 0:
        return allocated(size)
    made, before = allocated(size), load(address - GUARD, 0)
    if made != 0:
        _copy(made, address, before if before < size else size)
        retired(address, table)
    return made


@native
def free(table: int, address: int, size: int) -> int:
    return retired(address, table) if address != 0 else 0


@functools.cache
def guarding() -> Any:
    """NumPy's name for the functions above, which live as long as the process."""
    unit = Unit("guards", (malloc, calloc, realloc, free), Path(__file__).read_text)
    return handler(b"specgrad guards", STATE, [*map(unit.address, unit.functions)])


def guard() -> None:
    set_handler(guarding())


def damage() -> dict[str, int]:
    """The numbers of arrays that were written to outside, and after they had been freed."""
    return {"written outside": int(state[DAMAGED]), "written after its end": int(state[FREED])}


def last_size() -> int:
    return int(state[SIZE])
