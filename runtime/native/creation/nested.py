"""Numbers in nested lists and tuples, which are read twice: for their shape and dtype, and into the array.

In between Python may run, so the second time looks as closely as the first. No object is used after a number of it has
been refused."""

from __future__ import annotations

from ...compiler.language.functions import NULL, cast, native, new
from ...compiler.language.structs import Items, Struct, capacity
from ..objects import c_api as c
from ..objects.interned import bool_, int64, list_type, tuple_type
from ..objects.layout import Array, List, Object, Tuple
from ..objects.references import Owned, item, size
from .arguments import (
    MAX_DIMS,
    MAX_SERIAL_ELEMENTS,
    CreationPlan,
    CreationRequest,
    default_element,
    make_shape,
    memory_for,
)
from .dtypes import FRACTION, TRUTH, Element, Number, Pattern, element_of, put_number, read_number, write_element

NOTHING = -1  # the rank where there is no number


class Nest(Struct):
    dims: int
    lengths: Items[int] = capacity(MAX_DIMS)
    rank: int  # the highest of the numbers
    element: Element  # what they become; NULL while they are only looked at
    memory: int


@native
def is_sequence(obj: Object) -> bool:
    return obj.type is list_type or obj.type is tuple_type


@native
def length_of(obj: Object) -> int:
    return size(cast(Tuple, obj)) if obj.type is tuple_type else c.list_size(cast(List, obj))


@native
def item_of(obj: Object, i: int) -> Object:
    return item(cast(Tuple, obj), i) if obj.type is tuple_type else c.list_item(cast(List, obj), i)


@native
def measure(data: Object, nest: Nest) -> bool:
    nest.dims = 0
    obj, count = data, 1
    while is_sequence(obj):
        length = length_of(obj)
        if nest.dims == MAX_DIMS or length > MAX_SERIAL_ELEMENTS:
            return False
        nest.lengths[nest.dims] = length
        nest.dims += 1
        count *= length
        if length == 0:
            return True
        if count > MAX_SERIAL_ELEMENTS:
            return False
        obj = item_of(obj, 0)
    return True


@native
def read_leaf(obj: Object, nest: Nest, position: int) -> bool:
    number, pattern = new(Number), new(Pattern)
    if not read_number(obj, number):
        return False
    if nest.element is NULL:
        nest.rank = max(nest.rank, number.rank)
        return True
    if number.rank > nest.rank or not put_number(nest.element, number, pattern):
        return False
    write_element(nest.memory, position, nest.element.size, pattern)
    return True


@native
def go_through(obj: Object, depth: int, nest: Nest, position: int) -> int:
    """Read the numbers in an object from a position on: the position behind them, -1 where they do not fit."""
    if depth == nest.dims:
        return position + 1 if read_leaf(obj, nest, position) else -1
    length = nest.lengths[depth]
    if not is_sequence(obj) or length_of(obj) != length:
        return -1
    for i in range(length):
        position = go_through(item_of(obj, i), depth + 1, nest, position)
        if position < 0:
            return -1
    return position


@native
def inferred(plan: CreationPlan, rank: int) -> Element:
    if rank in (NOTHING, FRACTION):
        return default_element(plan)
    return element_of(plan.elements, cast(Object, bool_) if rank == TRUTH else cast(Object, int64))


@native
def data(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    obj, nest = arguments[plan.value], new(Nest)
    nest.rank = NOTHING
    nest.element = cast(Element, NULL)
    if not measure(obj, nest) or go_through(obj, 0, nest, 0) < 0:
        return cast(Array, NULL)
    if request.element is NULL:
        request.element = inferred(plan, nest.rank)
    if not make_shape(nest.lengths, nest.dims, request, owned):
        return cast(Array, NULL)
    flat = memory_for(request, owned)
    if flat is NULL:
        return flat
    nest.element = request.element
    nest.memory = flat.memory
    return flat if go_through(obj, 0, nest, 0) == request.count else cast(Array, NULL)
