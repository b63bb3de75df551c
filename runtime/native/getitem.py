"""`x[key]` for a key of ints and slices, as the views of `select` and `slice`: what `indexing.getitem` finds."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.llvm.memory import frame, load, native, store
from . import c_functions as c
from .layout import DATA, TENSOR, TYPE
from .objects import OWNERS, begin, hold, is_tensor, let_go, nothing, own_new, the
from .tuples import tuple_item, tuple_size
from .views import view_of
from .world import W


class Plan(NamedTuple):
    """The addresses of the plans of the two view ops."""

    select: int
    slice: int


I = Plan(0, 8)  # noqa: E741
WORDS = 16


@native
def select(plan, tensor, dim, index, words):
    """The view at an index of a dimension."""
    number = c.integer(dim)
    if number == 0:
        return number
    store(words, 8, number)
    store(words, 16, index)
    view = view_of(load(plan, I.select), tensor, words, 3)
    c.drop(number)
    return view


@native
def bounds(key, size, words):
    """Write start, stop and step of a slice of a dimension; False where the step is not positive.

    What stands in the slice may be objects with an `__index__`, which Python runs.
    """
    start, stop, step = words + 80, words + 88, words + 96
    if c.unpack_slice(key, start, stop, step) < 0:
        c.clear_error()
        return False
    c.adjust_slice(size, start, stop, load(step, 0))
    store(stop, 0, max(load(start, 0), load(stop, 0)))
    return load(step, 0) > 0


@native
def slice_of(plan, tensor, dim, words):
    """The view of a slice of which the bounds have been written."""
    owners, made = frame(OWNERS), True
    begin(owners)
    store(words, 8, own_new(owners, c.integer(dim)))
    for i in range(3):
        store(words, 16 + 8 * i, own_new(owners, c.integer(load(words, 80 + 8 * i))))
    for i in range(4):
        made &= load(words, 8 + 8 * i) != 0
    view = view_of(load(plan, I.slice), tensor, words, 5) if made else 0
    let_go(owners)
    return view


@native
def is_whole(words, size):
    """Whether the bounds that have been written are those of the dimension."""
    return load(words, 80) == 0 and load(words, 88) == size and load(words, 96) == 1


@native
def part_of(plan, tensor, dim, key, alone, words):
    """The view for one part of a key at a dimension; None where this is for Python, 0 where an error is set."""
    shape = load(tensor, TENSOR.shape)
    if dim >= tuple_size(shape):
        return nothing()
    if load(key, TYPE) == the(W.integer):
        return select(plan, tensor, dim, key, words)
    size = c.as_integer(tuple_item(shape, dim))
    if load(key, TYPE) != the(W.slice) or not bounds(key, size, words):
        return nothing()
    return hold(tensor) if not alone and is_whole(words, size) else slice_of(plan, tensor, dim, words)


@native
def parts_of(plan, tensor, keys, words):
    """The view for a tuple of ints and slices; None or 0 as above."""
    found, dim = hold(tensor), 0
    for i in range(tuple_size(keys)):
        key = tuple_item(keys, i)
        following = part_of(plan, found, dim, key, False, words)
        c.drop(found)
        if following == 0 or following == the(W.none):
            return following
        found = following
        dim += load(key, TYPE) != the(W.integer)
    if found != tensor:
        return found
    c.drop(found)
    return nothing()


@native
def getitem(self, arguments, count):
    """The view x[key]; None where it has not been found before, or the key holds more than ints and slices."""
    plan, tensor, key = load(self, DATA), load(arguments, 0), load(arguments, 8)
    if not is_tensor(tensor):
        return nothing()
    words = frame(WORDS)
    if load(key, TYPE) == the(W.tuple):
        return parts_of(plan, tensor, key, words)
    return part_of(plan, tensor, 0, key, True, words)
