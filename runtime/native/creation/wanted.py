"""What a call of a creation function asks for: dtype, device, whether it requires grad, and the shape."""

from __future__ import annotations

from ...kernels.llvm.native_code.kernel_calls import Constants
from ...kernels.llvm.native_code.structs import Items, Struct, room
from ...kernels.llvm.native_code.typed import NULL, cast, native, new
from .. import c_functions as c
from ..interned import (
    cpu,
    default_device,
    default_dtype,
    device_type,
    false,
    int_type,
    list_type,
    none,
    size_type,
    text_cpu,
    text_type,
    true,
    tuple_type,
    watch,
)
from ..kernel_calls import Size
from ..layout import Array, Device, List, Object, Tensor, Tuple
from ..references import Owned, exchange_item, item, own, own_new, put_item, retain, size
from ..tensors import is_tensor, new_array, same
from .elements import BOOL, INTEGER, Element, Elements, element_of

NOWHERE = -1
MOST = 1 << 19  # elements that are written one after the other; more of them threads may share
ANY = 1 << 31  # elements of what is left unset, or drawn by several threads
MOST_DIMS = 8


class Draws(Struct):
    """The kernel that draws, or counts, numbers of one kind."""

    resolver: Object
    kernels: Items[int] = room(1)
    constants: Items[Constants] = room(1)  # numbers, and the ints behind seed and position; the range is behind these
    more: int  # how many such ints
    halves: int  # whether two elements share a word


class CreationPlan(Struct):
    """A creation function: where its arguments stand, NOWHERE for those that it does not have."""

    fill: int  # what is written: see create.py
    generator: int
    like: int  # a tensor whose dtype and shape the new one has
    sizes: int  # a tuple of ints, or of one tuple or list
    size: int  # the same, as one argument
    value: int  # the first of the numbers, or the data
    constant: int  # the number where there is none
    most: int  # elements; for more the general path takes no longer in comparison
    usual: int  # whether the dtype is the default one where none is given, whatever the numbers are
    options: int  # dtype, device and requires_grad; those behind are None or False
    elements: Elements
    draws: Items[Draws] = room(2)  # of float32 and of float64, or of int64


class Wanted(Struct):
    element: Element  # NULL where numbers decide
    grad: int  # whether it requires grad
    shape: Tuple
    count: int  # elements


@native
def watched(draws: bool) -> bool:
    """Whether somebody looks at every op, or at those that draw."""
    return watch.every is true or (draws and size(watch.interceptors) > 0)


@native
def is_host(place: Object) -> bool:
    """Whether an argument `device` names the host; None for the default."""
    if place is none:
        return c.list_item(default_device, 0) is cpu
    if place.type is device_type:
        return place is cpu or same(cast(Device, place).kind, text_cpu)
    return place.type is text_type and same(place, text_cpu)


@native
def usual_element(plan: CreationPlan) -> Element:
    """The default dtype."""
    return element_of(plan.elements, c.list_item(default_dtype, 0))


@native
def note_options(plan: CreationPlan, arguments: Items[Object], count: int, wanted: Wanted) -> bool:
    """Note dtype and requires_grad; False where something is asked for that the general path knows."""
    dtype, place, grad = arguments[plan.options], arguments[plan.options + 1], arguments[plan.options + 2]
    for i in range(plan.options + 3, count):
        if arguments[i] is not none and arguments[i] is not false:
            return False
    if plan.like != NOWHERE:
        if not is_tensor(arguments[plan.like]):
            return False
        dtype = cast(Tensor, arguments[plan.like]).dtype if dtype is none else dtype
    if (plan.like == NOWHERE or place is not none) and not is_host(place):
        return False
    wanted.element = cast(Element, NULL) if dtype is none else element_of(plan.elements, dtype)
    wanted.grad = grad is true
    return (dtype is none or wanted.element is not NULL) and (grad is true or grad is false)


@native
def allows_grad(wanted: Wanted) -> bool:
    """Whether a tensor of this dtype may require grad as it is asked to."""
    return not wanted.grad or (wanted.element.form != INTEGER and wanted.element.form != BOOL)


@native
def shape_given(thing: Object, owned: Owned) -> Tuple:
    """A shape as tensors keep it, owned, of a tuple, list or Size; NULL for others."""
    if thing.type is tuple_type:
        return own(owned, cast(Tuple, thing))
    if thing.type is size_type:  # a tuple of another class: all of it as a plain one
        return own_new(owned, c.part_of_tuple(cast(Tuple, thing), 0, MOST_DIMS + 1))
    if thing.type is list_type:
        return own_new(owned, c.as_tuple(cast(List, thing)))
    return cast(Tuple, NULL)


@native
def product(shape: Tuple, limit: int) -> int:
    """The number of elements of a shape; -1 where it is not one of ints, or beyond a limit."""
    count, most = 1, 1
    if size(shape) > MOST_DIMS:
        return -1
    for i in range(size(shape)):
        if item(shape, i).type is not int_type:
            return -1
        length = c.as_int(item(shape, i))
        if length < 0 or length > limit:
            if c.error_set() is not NULL:
                c.clear_error()
            return -1
        count *= length
        most *= max(length, 1)
        if most > limit:
            return -1
    return count


@native
def note_shape(shape: Tuple, limit: int, wanted: Wanted) -> bool:
    """Note a shape, which is owned."""
    if shape is NULL:
        return False
    wanted.shape = shape
    wanted.count = product(shape, limit)
    return wanted.count >= 0


@native
def argument_of_size(plan: CreationPlan, arguments: Items[Object]) -> Object:
    """The argument that says the size, as `size_argument` of the general path finds it."""
    if plan.sizes == NOWHERE:
        return arguments[plan.size]
    sizes, named = cast(Tuple, arguments[plan.sizes]), arguments[plan.size]
    if size(sizes) == 0 or named is not none:
        return named if size(sizes) == 0 else none
    return item(sizes, 0) if size(sizes) == 1 and item(sizes, 0).type is not int_type else cast(Object, sizes)


@native
def find_shape(plan: CreationPlan, arguments: Items[Object], wanted: Wanted, owned: Owned) -> bool:
    """Note the shape that the arguments name; False where the general path is to look at it."""
    if plan.size != NOWHERE:
        return note_shape(shape_given(argument_of_size(plan, arguments), owned), plan.most, wanted)
    if plan.like != NOWHERE:
        source = cast(Tensor, arguments[plan.like])
        if source.strides is not none:  # the new one lies in memory as it does
            return False
        return note_shape(own(owned, source.shape), plan.most, wanted)
    return note_shape(own_new(owned, c.new_tuple(0)), plan.most, wanted)


@native
def make_shape(lengths: Items[int], dims: int, wanted: Wanted, owned: Owned) -> bool:
    """Note the shape of these lengths; False where it is large, or there is no memory."""
    shape = own_new(owned, c.new_tuple(dims))
    if shape is NULL:
        return False
    for i in range(dims):
        put_item(shape, i, retain(none))  # none is NULL: the collector sees the tuple as soon as it exists
    for i in range(dims):
        length = c.new_int(lengths[i])
        if length is NULL:
            return False
        c.release(exchange_item(shape, i, length))
    return note_shape(shape, MOST, wanted)


@native
def make_row(count: int, wanted: Wanted, owned: Owned) -> bool:
    """Note the shape of so many elements in a row."""
    lengths = new(Size).items
    lengths[0] = count
    return make_shape(lengths, 1, wanted, owned)


@native
def memory_for(wanted: Wanted, owned: Owned) -> Array:
    """A flat array for the elements, owned; NULL where there is no memory, which the general path says."""
    element = wanted.element
    flat = own_new(owned, new_array(new(Size).items, wanted.count, element.size, element.numpy))
    if flat is NULL:
        c.clear_error()
    return flat
