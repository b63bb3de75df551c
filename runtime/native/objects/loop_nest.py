"""In which order the dimensions of a result lie in memory, where operands lie apart: see runtime/tensor/layouts.py."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, Stolen, atomic_xchg, cast, native, new
from ...compiler.language.memory import itemsize
from ...compiler.language.structs import Items, Struct, capacity
from ...device.threads.pack import MAX_DIMS, StridedOperand, add_loop
from . import c_api as c
from .interned import none, tuple_type
from .layout import Array, Object, Tensor, Tuple
from .references import Owned, item, nothing_changed, own, retain, size, tuple_of_ints
from .strided import MAX_PACKED, Extents, count_of
from .tensors import any_kind_of, elements, holds_kind, owned_flat

MAX_TENSORS = 3


class Order(Struct):
    """The dimensions of a result from the innermost in memory to the outermost; NULL stands for that of rows."""

    dims: int
    tensors: int
    strided_operand: Items[int] = capacity(MAX_DIMS)
    sizes: Items[int] = capacity(MAX_DIMS)
    steps: Items[int] = capacity(MAX_DIMS * MAX_TENSORS)  # of each tensor in turn, by dimension


@native
def begin_order(shape: Tuple, order: Order) -> bool:
    """Begin with the order of rows for a shape; False where there is no other: too many dimensions, or no elements."""
    order.dims, order.tensors = size(shape), 0
    if order.dims > MAX_DIMS or count_of(shape) >= MAX_PACKED:
        return False
    for i in range(order.dims):
        order.strided_operand[i] = order.dims - 1 - i
        order.sizes[i] = c.as_int(item(shape, i))
        if order.sizes[i] == 0:
            return False
    return True


@native
def note_steps(tensor: Tensor, order: Order) -> bool:
    """0 where a tensor is repeated; False for too many, and for one that does not broadcast to the dimensions."""
    missing, inside = order.dims - size(tensor.shape), 1
    strided = tensor.strides.type is tuple_type
    if missing < 0 or order.tensors == MAX_TENSORS:
        return False
    if strided and size(cast(Tuple, tensor.strides)) != size(tensor.shape):
        return False
    first = order.tensors * MAX_DIMS
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
def stride_order(order: Order, one: int, other: int) -> int:
    """1 where the first dimension lies outside of the second, -1 where inside, 0 where no operand tells."""
    for k in range(order.tensors):
        a, b = order.steps[k * MAX_DIMS + one], order.steps[k * MAX_DIMS + other]
        if a and b:
            if a < b:
                return -1
            if a > b or order.sizes[one] > order.sizes[other]:
                return 1
    return 0


@native
def sort_order(order: Order) -> bool:
    """Put the dimensions into the order that the operands tell; whether it is another than that of rows."""
    permuted = False
    for start in range(1, order.dims):
        position = start
        for back in range(start):
            before = start - 1 - back
            result = stride_order(order, order.strided_operand[before], order.strided_operand[position])
            if result < 0:
                break
            if result > 0:
                moved = order.strided_operand[before]
                order.strided_operand[before] = order.strided_operand[position]
                order.strided_operand[position] = moved
                position = before
    last = order.dims
    for i in range(order.dims):
        dim = order.strided_operand[i]
        if order.sizes[dim] != 1:  # where one of size 1 lies does not matter
            permuted = permuted or dim > last
            last = dim
    return permuted


@native
def note_ordered(
    tensor: Tensor, kind: int, order: Order, k: int, strided_operand: StridedOperand, owned: Owned
) -> bool:
    """Note where the elements of tensor `k` lie, in the order; its memory is owned. False where there are others."""
    storage, first, read_extent = tensor.storage, c.as_int(tensor.offset), 1
    strided_operand.loops, strided_operand.count, strided_operand.itemsize = 0, 1, itemsize(kind)
    for i in range(order.dims):
        dim = order.strided_operand[i]
        extent, step = order.sizes[dim], order.steps[k * MAX_DIMS + dim]
        if extent != 1:
            add_loop(strided_operand, extent, step * itemsize(kind))
            strided_operand.count *= extent
        read_extent += (extent - 1) * step
    if any_kind_of(tensor.dtype) != kind or not holds_kind(storage, kind) or elements(storage) - first < read_extent:
        return False
    strided_operand.memory = own(owned, storage).memory + first * itemsize(kind)
    return nothing_changed(owned)  # since the steps were noted


@native
def without_gaps(strided_operand: StridedOperand) -> bool:
    inside = strided_operand.itemsize
    for i in range(strided_operand.loops):
        if strided_operand.steps[i] != inside:
            return False
        inside *= strided_operand.sizes[i]
    return True


@native
def ordered(
    tensor: Tensor, kind: int, order: Order, k: int, count: int, strided_operand: StridedOperand, owned: Owned
) -> Array:
    """A flat array, owned, for the elements of tensor `k` in the order, whose own memory is owned and noted.

    Its own memory, to which nothing has to be brought, where that is nothing else. NULL: other elements."""
    if not note_ordered(tensor, kind, order, k, strided_operand, owned) or strided_operand.count != count:
        return cast(Array, NULL)
    if elements(tensor.storage) == count and without_gaps(strided_operand):
        strided_operand.count = 0
        return own(owned, tensor.storage)
    flat = owned_flat(count, kind, owned)
    # Python may have run for the new array.
    if flat is NULL or not note_ordered(tensor, kind, order, k, strided_operand, owned):
        return cast(Array, NULL)
    return flat if strided_operand.count == count else cast(Array, NULL)


@native
def strides_of(order: Order) -> New[Tuple]:
    strides, step = new(Extents), 1
    for i in range(order.dims):
        dim = order.strided_operand[i]
        strides.items[dim] = step
        step *= order.sizes[dim] if order.sizes[dim] else 1
    return tuple_of_ints(strides.items, order.dims)


@native
def set_layout(result: Tensor, strides: Stolen[Object]) -> None:
    """Give a new tensor, which nobody knows yet, other strides over its memory."""
    c.release(atomic_xchg(result, "flat", cast(Array, retain(none))))
    c.release(atomic_xchg(result, "strides", strides))


@native
def in_order(result: Tensor, order: Order) -> bool:
    """Give a new tensor the strides of an order; without memory it is released."""
    strides = strides_of(order)
    if strides is NULL:
        c.release(result)
        return False
    set_layout(result, strides)
    return True
