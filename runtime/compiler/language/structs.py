"""Structs of 64-bit words, and the objects of CPython, as classes whose annotations say what lies where.

    class Rows(Struct):
        outer: int                    # one word
        steps: Items[int] = room(6)   # six words, in place
        job: Job                      # the address of another struct, or of an object

Such a class has no instances in Python. Native code (typed.py) has addresses of that type: there `rows.outer` is a
load, and `rows.steps[i]` another. Python makes the words with `Rows.pack(outer=..., steps=...)`, which refuses more
items than there is room for.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

T = TypeVar("T")
WORD_BYTES = 8
CALL_INTEGERS, CALL_NUMBERS = 120, 8  # of a call, seven an array; processors pass more numbers than these another way
Int32 = Annotated[int, 4]  # four bytes, read as a word


class Memory:
    """Base of the classes that describe memory at an address."""


class Items(Generic[T]):
    """Items one behind the other, in place; items that are structs are in place themselves."""

    def __getitem__(self, index: int) -> T:
        raise NotImplementedError("only native code reads items of memory")

    def __setitem__(self, index: int, value: T) -> None:
        raise NotImplementedError("only native code writes items of memory")


class Pointer(Items[T]):
    """The address of such items."""


class Atomic(Memory):
    """A word that several threads read and write, in place: see runtime/device/threads/scheduler.py."""


class FieldSpec(NamedTuple):
    """The value behind `=` in such a class: a distance, or the number of items that there is room for."""

    distance: int | None = None
    capacity: int = 0


class Field(NamedTuple):
    """One field: its distance in bytes, the type of what stands there, the bytes of one item, how many there may be."""

    distance: int
    kind: Any  # int, float, bool, Int32, a subclass of Memory, Items[...] or Pointer[...]
    item: int
    capacity: int  # of Items; 0 where that is not known


def at(distance: int, count: int = 0) -> Any:
    """A field, or so many items (0: not known), at a distance in bytes from the object's address that is known."""
    return FieldSpec(distance, count)


def capacity(count: int) -> Any:
    return FieldSpec(capacity=count)


class Struct(Memory):
    """Words that we lay out ourselves, in the order of the annotations."""

    @classmethod
    def pack(cls, **values: Any) -> np.ndarray:
        """The words of a struct, unnamed ones 0; a TypeError for no such field, a ValueError for too many items."""
        slot_values, known = np.zeros(length(cls), np.int64), fields(cls)
        for name, value in values.items():
            if type(value) is int and name in known:  # most are, and each call that threads share is described so
                slot_values[known[name].distance // WORD_BYTES] = value
            else:
                cls.put(slot_values, name, value)
        return slot_values

    @classmethod
    def word(cls, name: str) -> int:
        return fields(cls)[name].distance // WORD_BYTES

    @classmethod
    def put(cls, slot_values: np.ndarray, name: str, value: Any) -> None:
        field = fields(cls).get(name)
        if field is None:
            raise TypeError(f"{cls.__name__} has no field {name!r}")
        arg, max_slots = as_slots(value), field.item * max(field.capacity, 1) // WORD_BYTES
        if len(arg) > max_slots:
            raise ValueError(f"{cls.__name__}.{name}: room for {max_slots} words, but there are {len(arg)}")
        slot_values[cls.word(name) : cls.word(name) + len(arg)] = arg


def as_slots(value: Any) -> Sequence[int] | np.ndarray:
    """An int, a float by its bits, words, or a sequence of one kind of these, as words."""
    if type(value) is list and set(map(type, value)) <= {int}:
        return value
    result = np.array(value, ndmin=1)
    return (result.astype(np.int64) if result.dtype == bool else result).ravel().view(np.int64)


cached: Any = functools.cache  # for mypy, a class cannot be hashed


@cached
def fields(cls: Any) -> dict[str, Field]:
    results: dict[str, Field] = {}
    distance = 0
    for base in reversed(cls.__mro__):
        for name, kind in _own_hints(base).items():
            spec = vars(base).get(name, FieldSpec())
            distance = distance if spec.distance is None else spec.distance
            results[name] = Field(distance, kind, item_size(kind), spec.capacity)
            distance += item_size(kind) * max(spec.capacity, 1)
    return results


def _own_hints(cls: type) -> dict[str, Any]:
    names = vars(cls).get("__annotations__", {})
    return {name: kind for name, kind in get_type_hints(cls, include_extras=True).items() if name in names}


@cached
def length(cls: Any) -> int:
    return max(field.distance + field.item * max(field.capacity, 1) for field in fields(cls).values()) // WORD_BYTES


def item_size(kind: Any) -> int:
    return stride(get_args(kind)[0]) if get_origin(kind) is Items else stride(kind, in_place=False)


def stride(kind: Any, in_place: bool = True) -> int:
    if is_struct(kind) and in_place:
        return WORD_BYTES * length(kind)
    return 4 if kind == Int32 else WORD_BYTES


def is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)
