"""The classes whose attributes are looked up natively (native/members.py), from the time on when native code is there.

The function behind attributes stands in a slot of each class. CPython puts its own back by itself when somebody gives a
class, or one that it is derived from, another `__getattr__` or `__getattribute__`.
"""

from __future__ import annotations

import ctypes
import weakref


class _Slot:
    """Where the slot is, CPython's function for classes with a `__getattr__`, and ours; 0 while there is none."""

    distance = default_slot = native = 0


_waiting: weakref.WeakSet[type] = weakref.WeakSet()


def look_into_tables(cls: type) -> None:
    """From now on, or from when there is native code, a class whose `__getattr__` does no more than look into the
    tables of members has the native slot."""
    if not _Slot.native:
        _waiting.add(cls)
        return
    slot = ctypes.c_int64.from_address(id(cls) + _Slot.distance)
    if slot.value == _Slot.default_slot:
        slot.value = _Slot.native


def begin(distance: int, default_slot: int, native: int) -> None:
    """There is native code: where a class has the slot, and the functions that stand there."""
    _Slot.distance, _Slot.default_slot, _Slot.native = distance, default_slot, native
    while _waiting:
        look_into_tables(_waiting.pop())
