"""Numbers in nested lists and tuples, which are read twice: for their shape and dtype, and into the array.

In between Python may run, so the second time looks as closely as the first. No object is used after a number of it has
been refused.
"""

from __future__ import annotations

from ...kernels.llvm.native_code.structs import Items, Struct, room
from ...kernels.llvm.native_code.typed import NULL, cast, native, new
from .. import c_functions as c
from ..interned import bool_, int64, list_type, tuple_type
from ..layout import Array, List, Object, Tuple
from ..references import Owned, item, size
from .elements import FRACTION, TRUTH, Element, Number, Pattern, element_of, put_number, read_number, write_element
from .wanted import MOST, MOST_DIMS, CreationPlan, Wanted, make_shape, memory_for, usual_element

NOTHING = -1  # the rank where there is no number


class Nest(Struct):
    dims: int
    lengths: Items[int] = room(MOST_DIMS)
    rank: int  # the highest of the numbers
    element: Element  # what they become; NULL while they are only looked at
    memory: int


@native
def is_sequence(thing: Object) -> bool:
    """Whether an object is a list or tuple."""
    return thing.type is list_type or thing.type is tuple_type


@native
def length_of(thing: Object) -> int:
    """How many items a list or tuple has."""
    return size(cast(Tuple, thing)) if thing.type is tuple_type else c.list_size(cast(List, thing))


@native
def item_of(thing: Object, i: int) -> Object:
    """An item of a list or tuple, borrowed."""
    return item(cast(Tuple, thing), i) if thing.type is tuple_type else c.list_item(cast(List, thing), i)


@native
def measure(data: Object, nest: Nest) -> bool:
    """Note how long the first sequences of each depth are; False for many numbers."""
    nest.dims = 0
    thing, count = data, 1
    while is_sequence(thing):
        length = length_of(thing)
        if nest.dims == MOST_DIMS or length > MOST:
            return False
        nest.lengths[nest.dims] = length
        nest.dims += 1
        count *= length
        if length == 0:
            return True
        if count > MOST:
            return False
        thing = item_of(thing, 0)
    return True


@native
def read_leaf(thing: Object, nest: Nest, place: int) -> bool:
    """Look at a number, or write it to its place; False for others."""
    number, pattern = new(Number), new(Pattern)
    if not read_number(thing, number):
        return False
    if nest.element is NULL:
        nest.rank = max(nest.rank, number.rank)
        return True
    if number.rank > nest.rank or not put_number(nest.element, number, pattern):
        return False
    write_element(nest.memory, place, nest.element.size, pattern)
    return True


@native
def go_through(thing: Object, depth: int, nest: Nest, place: int) -> int:
    """Read the numbers in an object, which stand from a place on: the place behind them, -1 where they do not fit."""
    if depth == nest.dims:
        return place + 1 if read_leaf(thing, nest, place) else -1
    length = nest.lengths[depth]
    if not is_sequence(thing) or length_of(thing) != length:
        return -1
    for i in range(length):
        place = go_through(item_of(thing, i), depth + 1, nest, place)
        if place < 0:
            return -1
    return place


@native
def inferred(plan: CreationPlan, rank: int) -> Element:
    """The dtype of numbers of which this is the highest rank."""
    if rank in (NOTHING, FRACTION):
        return usual_element(plan)
    return element_of(plan.elements, cast(Object, bool_) if rank == TRUTH else cast(Object, int64))


@native
def data(plan: CreationPlan, arguments: Items[Object], wanted: Wanted, owned: Owned) -> Array:
    """The array of the numbers in an argument, owned; NULL where that is for the general path."""
    thing, nest = arguments[plan.value], new(Nest)
    nest.rank = NOTHING
    nest.element = cast(Element, NULL)
    if not measure(thing, nest) or go_through(thing, 0, nest, 0) < 0:
        return cast(Array, NULL)
    if wanted.element is NULL:
        wanted.element = inferred(plan, nest.rank)
    if not make_shape(nest.lengths, nest.dims, wanted, owned):
        return cast(Array, NULL)
    flat = memory_for(wanted, owned)
    if flat is NULL:
        return flat
    nest.element = wanted.element
    nest.memory = flat.memory
    return flat if go_through(thing, 0, nest, 0) == wanted.count else cast(Array, NULL)
