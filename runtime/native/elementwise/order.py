"""In which order the dimensions of a result lie in memory, where operands lie apart: see runtime/tensor/layouts.py."""

from __future__ import annotations

from ...kernels.llvm.native_code.element_kinds import itemsize
from ...kernels.llvm.native_code.structs import Items, Struct, room
from ...kernels.llvm.native_code.typed import NULL, New, Stolen, cast, exchange, native, new
from ...pool.packing import MOST_DIMS, Apart, add_loop
from .. import c_functions as c
from ..interned import none, tuple_type
from ..kernel_calls import Size
from ..layout import Array, Object, Tensor, Tuple
from ..references import Owned, exchange_item, item, nothing_changed, own, own_new, put_item, retain, size
from ..tensors import any_kind_of, elements, holds_kind, new_flat
from .apart import MOST_PACKED, count_of

MOST_TENSORS = 3


class Order(Struct):
    """The dimensions of a result from the innermost in memory to the outermost; NULL stands for that of rows."""

    dims: int
    tensors: int
    places: Items[int] = room(MOST_DIMS)
    sizes: Items[int] = room(MOST_DIMS)
    steps: Items[int] = room(MOST_DIMS * MOST_TENSORS)  # of each tensor in turn, by dimension


@native
def begin_order(shape: Tuple, order: Order) -> bool:
    """Begin with the order of rows for a shape; False where there is no other: too many dimensions, or no elements."""
    order.dims, order.tensors = size(shape), 0
    if order.dims > MOST_DIMS or count_of(shape) >= MOST_PACKED:
        return False
    for i in range(order.dims):
        order.places[i] = order.dims - 1 - i
        order.sizes[i] = c.as_int(item(shape, i))
        if order.sizes[i] == 0:
            return False
    return True


@native
def note_steps(tensor: Tensor, order: Order) -> bool:
    """Note by which steps one more tensor goes through the dimensions, 0 where it is repeated; False for too many, and
    for one that does not broadcast to them: the tensor that leads may be smaller than others."""
    missing, inside = order.dims - size(tensor.shape), 1
    strided = tensor.strides.type is tuple_type
    if missing < 0 or order.tensors == MOST_TENSORS:
        return False
    if strided and size(cast(Tuple, tensor.strides)) != size(tensor.shape):
        return False
    first = order.tensors * MOST_DIMS
    for back in range(order.dims):
        i = order.dims - 1 - back
        step = 0
        if i >= missing:
            extent = c.as_int(item(tensor.shape, i - missing))
            if extent == order.sizes[i]:
                step = c.as_int(item(cast(Tuple, tensor.strides), i - missing)) if strided else inside
            elif extent != 1:
                return False
            inside *= extent if extent else 1
        order.steps[first + i] = step
    order.tensors += 1
    return True


@native
def told(order: Order, one: int, other: int) -> int:
    """1 where the first dimension lies outside of the second, -1 where inside, 0 where no operand tells."""
    for k in range(order.tensors):
        a, b = order.steps[k * MOST_DIMS + one], order.steps[k * MOST_DIMS + other]
        if a and b:
            if a < b:
                return -1
            if a > b or order.sizes[one] > order.sizes[other]:
                return 1
    return 0


@native
def sort_order(order: Order) -> bool:
    """Put the dimensions into the order that the operands tell; whether it is another than that of rows."""
    turned = False
    for start in range(1, order.dims):
        place = start
        for back in range(start):
            before = start - 1 - back
            found = told(order, order.places[before], order.places[place])
            if found < 0:
                break
            if found > 0:
                moved = order.places[before]
                order.places[before] = order.places[place]
                order.places[place] = moved
                place = before
    last = order.dims
    for i in range(order.dims):
        dim = order.places[i]
        if order.sizes[dim] != 1:  # where one of size 1 lies does not matter
            turned = turned or dim > last
            last = dim
    return turned


@native
def note_ordered(tensor: Tensor, kind: int, order: Order, k: int, places: Apart, owned: Owned) -> bool:
    """Note where the elements of tensor number `k` lie, in the order; its memory is owned. False where there
    are others."""
    storage, first, reach = tensor.storage, c.as_int(tensor.offset), 1
    places.loops, places.count, places.itemsize = 0, 1, itemsize(kind)
    for i in range(order.dims):
        dim = order.places[i]
        extent, step = order.sizes[dim], order.steps[k * MOST_DIMS + dim]
        if extent != 1:
            add_loop(places, extent, step * itemsize(kind))
            places.count *= extent
        reach += (extent - 1) * step
    if any_kind_of(tensor.dtype) != kind or not holds_kind(storage, kind) or elements(storage) - first < reach:
        return False
    places.memory = own(owned, storage).memory + first * itemsize(kind)
    return nothing_changed(owned)  # since the steps were noted


@native
def without_gaps(places: Apart) -> bool:
    """Whether elements lie side by side in the order of the loops."""
    inside = places.itemsize
    for i in range(places.loops):
        if places.steps[i] != inside:
            return False
        inside *= places.sizes[i]
    return True


@native
def ordered(tensor: Tensor, kind: int, order: Order, k: int, count: int, places: Apart, owned: Owned) -> Array:
    """A flat array, owned, for the elements of tensor number `k` in the order, and where they lie, whose memory is
    owned; its own memory, to which nothing has to be brought, where that is nothing else. NULL where there are others.
    """
    if not note_ordered(tensor, kind, order, k, places, owned) or places.count != count:
        return cast(Array, NULL)
    if elements(tensor.storage) == count and without_gaps(places):
        places.count = 0
        return own(owned, tensor.storage)
    flat = own_new(owned, new_flat(new(Size).items, count, kind))
    if flat is NULL:
        c.clear_error()
        return flat
    # Python may have run for the new array.
    unchanged = note_ordered(tensor, kind, order, k, places, owned) and places.count == count
    return flat if unchanged else cast(Array, NULL)


@native
def strides_of(order: Order) -> New[Tuple]:
    """The strides of a result without gaps; NULL without memory."""
    strides, step = c.new_tuple(order.dims), 1
    if strides is NULL:
        return strides
    for i in range(order.dims):
        put_item(strides, i, retain(none))  # none is NULL: the collector sees the tuple as soon as it exists
    for i in range(order.dims):
        dim = order.places[i]
        stride = c.new_int(step)
        if stride is NULL:
            c.release(strides)
            return cast(Tuple, NULL)
        c.release(exchange_item(strides, dim, stride))
        step *= order.sizes[dim] if order.sizes[dim] else 1
    return strides


@native
def lay(result: Tensor, strides: Stolen[Object]) -> None:
    """Give a new tensor, which nobody knows yet, other strides over its memory."""
    c.release(exchange(result, "flat", cast(Array, retain(none))))
    c.release(exchange(result, "strides", strides))


@native
def in_order(result: Tensor, order: Order) -> bool:
    """Give a new tensor the strides of an order; without memory it is released."""
    strides = strides_of(order)
    if strides is NULL:
        c.release(result)
        return False
    lay(result, strides)
    return True
