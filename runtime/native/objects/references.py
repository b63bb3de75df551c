"""References in native code: who owns what, and the tuples that hold them.

The rules of ownership. Python may run whenever an object is allocated (the collector runs finalizers), whenever a
reference is released, wherever Python is called, and in another thread wherever the GIL is released (c_functions.py).
Then slots of tensors and nodes may change, lists become empty, tables are cleared, and what they held is freed. So:

0. Owned means that the object's reference count has one for us; a borrowed reference has none. Signatures say it:
   `New`, `Stolen`, or neither.
1. The arguments of a native function are held by its caller. Everything else that is read from a slot, a list or a
   table is borrowed, and used only up to the next point at which Python may run.
2. What is used beyond such a point is owned: by `own`, until the `release_all` at the end of the builtin function,
   whose every way out passes there; or by a `retain` that has one `release` in the same function.
3. An address of memory is taken from an array that is owned, and checked against that array's own length: never from
   a tensor's shape, which another thread may be changing in the middle.
4. What belongs together (an array, its layout, what was found for them) is read with no such point in between; where
   one lies between, it is compared again. A result is recorded only if no tensor's layout has changed since `begin`;
   else Python begins anew.
5. What is allocated is compared with NULL before it is used.
6. A list that the user gave is copied into a tuple first.

SPECGRAD_NATIVE=check makes every such point a hostile one: tests/attack/native/test_native_ownership.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from ...compiler.language.expressions import CHECKING
from ...compiler.language.functions import NULL, New, Stolen, address_of, cast, native, new
from ...compiler.language.structs import Items, Struct, capacity
from . import c_api as c
from .interned import layout_changes, none
from .layout import Array, Object, Tuple

T = TypeVar("T", bound=Object)
COUNTS_ASK_PYTHON = sys.version_info >= (3, 12)  # None and its like are not counted there


class Owned(Struct):
    """The references that a builtin function owns until it returns."""

    count: int
    changes: int  # of layouts, until `begin`
    items: Items[Object] = capacity(80)


class Slot(Struct):
    slot: Object


@native
def retain(obj: T) -> New[T]:
    if CHECKING:
        c.alive(obj)  # ends the process at the first use after a release, not somewhere later
    if COUNTS_ASK_PYTHON:
        c.increment(obj)
    else:
        obj.references += 1
    return obj


@native
def begin(owned: Owned) -> None:
    owned.count = 0
    owned.changes = layout_changes.value


@native
def nothing_changed(owned: Owned) -> bool:
    """Whether all tensors have had the same memory, shape and dtype since `begin`."""
    return owned.changes == layout_changes.value


@native
def own(owned: Owned, obj: T) -> T:
    """Own an object, which is returned, until `release_all`."""
    return own_new(owned, retain(obj))


@native
def own_new(owned: Owned, obj: Stolen[T]) -> T:
    """Own a new reference, which is returned, until `release_all`; NULL is none."""
    if obj is not NULL:  # so that what allocates can be owned in the same line, and compared with NULL after it
        owned.items[owned.count] = obj
        owned.count += 1
    return obj


@native
def release_all(owned: Owned) -> None:
    for i in range(owned.count):
        c.release(owned.items[i])


def owning(plan: type) -> Callable[[Any], Any]:
    """A builtin function of a plan and arguments, so many: every way out of it passes `release_all`."""

    def decorate(function: Any) -> Any:
        body = native(function)

        def call(self: Array, arguments: Items[Object], count: int) -> New[Object]:
            owned = new(Owned)
            begin(owned)
            result = body(cast(plan, self.memory), arguments, count, owned)
            release_all(owned)
            return result

        call.__name__, call.__module__ = function.__name__, function.__module__
        return native(call)

    return decorate


@native
def is_held(obj: Object, times: int) -> bool:
    return obj.references & 0xFFFFFFFF == times  # the upper half has other meanings from 3.12 on


@native
def item(items: Tuple, i: int) -> Object:
    """The tuple is known to be one, and to be so long; in check mode CPython's own function looks."""
    if CHECKING and c.checked_tuple_item(items, i) is NULL:
        c.abort()
    return items.items[i]


@native
def size(items: Tuple) -> int:
    if CHECKING and c.checked_tuple_size(items) < 0:
        c.abort()
    return items.size


@native
def put_item(items: Tuple, i: int, obj: Stolen[Object]) -> None:
    """Put an item into a new tuple that nobody has read yet, and whose place is empty."""
    if CHECKING and (i >= c.checked_tuple_size(items) or items.items[i] is not NULL):
        c.abort()
    items.items[i] = obj


@native
def pair(first: Object, second: Object) -> New[Tuple]:
    both = c.new_tuple(2)
    if both is not NULL:
        put_item(both, 0, retain(first))  # none is NULL: a tuple is seen by the collector as soon as it exists
        put_item(both, 1, retain(second))
    return both


@native
def tuple_of_none(count: int) -> New[Tuple]:
    """No item is NULL: the collector sees a tuple as soon as it exists."""
    made = c.new_tuple(count)
    for i in range(count if made is not NULL else 0):
        put_item(made, i, retain(none))
    return made


@native
def tuple_of_ints(numbers: Items[int], count: int) -> New[Tuple]:
    made = tuple_of_none(count)
    for i in range(count if made is not NULL else 0):
        number = c.new_int(numbers[i])
        if number is NULL:
            c.release(made)
            return cast(Tuple, NULL)
        c.release(swap_item(made, i, number))
    return made


@native
def slot(obj: Object, distance: int) -> Object:
    """The reference in a slot of an object whose distance a plan knows; borrowed."""
    return cast(Slot, address_of(obj) + distance).slot


@native
def set_slot(obj: Object, distance: int, value: Stolen[Object]) -> None:
    """Fill such a slot of an object, which is empty."""
    cast(Slot, address_of(obj) + distance).slot = value


@native
def swap_item(items: Tuple, i: int, obj: Stolen[Object]) -> New[Object]:
    """Put an item into a tuple that nobody else has read yet; gives what stood there."""
    before = items.items[i]
    items.items[i] = obj
    return before
