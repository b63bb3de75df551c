"""Guard words: with SPECGRAD_GUARDS=1, and in `verify`, the memory of NumPy's arrays lies between guards.

As AddressSanitizer has them: GUARD bytes of 0xFF, which are NaN as floats, looked at when the array is freed. Freed
memory is filled with it and waits until RING_BLOCKS others have been freed, so that a write to it is found out as well.
"""

import functools
from pathlib import Path
from typing import Any

import numpy as np

from specgrad.runtime.compiler.language.functions import Half, external, native
from specgrad.runtime.compiler.language.memory import load, store
from specgrad.runtime.compiler.native_unit import Unit
from specgrad.runtime.native.objects.c_api import handler, set_handler

from .isolation import arguments_at

GUARD = 64  # bytes; before an array the first eight hold its size
RING_BLOCKS = 512  # blocks
DAMAGED, FREED, SIZE, ADDRESS, NEXT, RING = range(6)  # words of the state; of the last damaged array size and address

_malloc = external("malloc", int, int)
_free = external("free", None, int)
_fill = external("memset", int, int, Half, int)
_copy = external("memcpy", int, int, int, int)
state = np.zeros(RING + RING_BLOCKS, np.int64)
STATE = state.ctypes.data


@native
def is_intact(block: int, first: int, last: int) -> bool:
    fine, slot_count = True, (last - first) // 8
    for i in range(slot_count):
        fine &= load(block, first + 8 * i) == -1
    for i in range(8 * slot_count, last - first):
        fine &= load(block, first + i - 7) >> 56 & 0xFF == 0xFF
    return fine


@native
def allocated(size: int) -> int:
    block = _malloc(size + 2 * GUARD)
    if block == 0:
        return block
    _fill(block, 0xFF, size + 2 * GUARD)
    store(block, 0, size)
    return block + GUARD


@native
def retired(address: int, table: int) -> int:
    block, size = address - GUARD, load(address - GUARD, 0)
    if not is_intact(block, 8, GUARD) or not is_intact(block, GUARD + size, 2 * GUARD + size):
        store(table, 8 * DAMAGED, load(table, 8 * DAMAGED) + 1)
        store(table, 8 * SIZE, size)
        store(table, 8 * ADDRESS, address)
    _fill(block + 8, 0xFF, size + 2 * GUARD - 8)
    slot = 8 * (RING + load(table, 8 * NEXT) % RING_BLOCKS)
    store(table, 8 * NEXT, load(table, 8 * NEXT) + 1)
    before = load(table, slot)
    store(table, slot, block)
    if before != 0:
        if not is_intact(before, 8, 2 * GUARD + load(before, 0)):
            store(table, 8 * FREED, load(table, 8 * FREED) + 1)
            store(table, 8 * ADDRESS, before + GUARD)
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
    unit = Unit("guards", (malloc, calloc, realloc, free), Path(__file__).read_text)
    return handler(b"specgrad guards", STATE, [*map(unit.address, unit.functions)])


def guard() -> None:
    set_handler(guarding())


OUTSIDE, AFTER = "written outside", "written after its end"


def damage() -> dict[str, int]:
    return {OUTSIDE: int(state[DAMAGED]), AFTER: int(state[FREED])}


_reported: dict[str, int] = {}  # of what `damage` counts


def new_damage() -> list[str]:
    """In words, the damage that has come up since the last time."""
    before, now = dict(_reported), damage()
    _reported.update(now)
    argument = arguments_at.get(int(state[ADDRESS]), "")
    messages = []
    if now[OUTSIDE] > before.get(OUTSIDE, 0):
        whose = f"of the argument '{argument}'" if argument else "that is no argument, a result or one made on the way"
        messages.append(f"memory is {OUTSIDE} an array of {state[SIZE]} bytes {whose}")
    if now[AFTER] > before.get(AFTER, 0):
        messages.append(f"memory is {AFTER}" + f", that of the argument '{argument}'" * bool(argument))
    return messages
