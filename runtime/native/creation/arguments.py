"""What a call of a creation function asks for: dtype, device, whether it requires grad, and the shape.

What fills a new tensor (`fractions`, `arange`, `data`, ...) gives a flat array, owned; NULL for the general path."""

from __future__ import annotations

from ...compiler.language.call_abi import Constants
from ...compiler.language.functions import NULL, cast, native, new
from ...compiler.language.structs import Items, Struct, capacity
from ..objects import c_api as c
from ..objects import interned
from ..objects.interned import cpu, default_device, default_dtype, false, int_type, none, str_cpu, true, watch
from ..objects.kernel_call import Size
from ..objects.layout import Array, Device, List, Object, Tensor, Tuple
from ..objects.references import Owned, item, own, own_new, size, tuple_of_ints
from ..objects.tensors import is_tensor, new_array, same
from .dtypes import Element, Elements, element_of

NOWHERE = -1
MAX_SERIAL_ELEMENTS = 1 << 19  # elements that are written one after the other; more of them threads may share
ANY = 1 << 31  # elements of what is left unset, or drawn by several threads
MAX_DIMS = 8


class Sampler(Struct):
    resolver: Object
    kernels: Items[int] = capacity(1)
    constants: Items[Constants] = capacity(1)  # and the ints behind seed and position; the range is behind these
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
    max_value: int  # elements; for more the general path takes no longer in comparison
    uses_default_dtype: int  # whether the dtype is the default one where none is given, whatever the numbers are
    options: int  # dtype, device and requires_grad; those behind are None or False
    elements: Elements
    sampler: Items[Sampler] = capacity(2)  # of float32 and of float64, or of int64


class CreationRequest(Struct):
    element: Element  # NULL where numbers decide
    grad: int  # whether it requires grad
    shape: Tuple
    count: int  # elements


@native
def watched(sampler: bool) -> bool:
    return watch.every is true or (sampler and size(watch.interceptors) > 0)


@native
def is_host(device: Object) -> bool:
    if device is none:
        return c.list_item(default_device, 0) is cpu
    if device.type is interned.device_type:
        return device is cpu or same(cast(Device, device).kind, str_cpu)
    return device.type is interned.str_type and same(device, str_cpu)


@native
def default_element(plan: CreationPlan) -> Element:
    return element_of(plan.elements, c.list_item(default_dtype, 0))


@native
def note_options(plan: CreationPlan, arguments: Items[Object], count: int, request: CreationRequest) -> bool:
    dtype, device, grad = arguments[plan.options], arguments[plan.options + 1], arguments[plan.options + 2]
    for i in range(plan.options + 3, count):
        if arguments[i] is not none and arguments[i] is not false:
            return False
    if plan.like != NOWHERE:
        if not is_tensor(arguments[plan.like]):
            return False
        dtype = cast(Tensor, arguments[plan.like]).dtype if dtype is none else dtype
    if (plan.like == NOWHERE or device is not none) and not is_host(device):
        return False
    request.element = cast(Element, NULL) if dtype is none else element_of(plan.elements, dtype)
    request.grad = grad is true
    return (dtype is none or request.element is not NULL) and (grad is true or grad is false)


@native
def shape_of_arguments(obj: Object, owned: Owned) -> Tuple:
    """A shape as tensors keep it, owned, of a tuple, list or Size; NULL for others."""
    if obj.type is interned.tuple_type:
        return own(owned, cast(Tuple, obj))
    if obj.type is interned.size_type:  # a tuple of another class: all of it as a plain one
        return own_new(owned, c.part_of_tuple(cast(Tuple, obj), 0, MAX_DIMS + 1))
    if obj.type is interned.list_type:
        return own_new(owned, c.as_tuple(cast(List, obj)))
    return cast(Tuple, NULL)


@native
def product(shape: Tuple, limit: int) -> int:
    """The number of elements of a shape; -1 where it is not one of ints, or beyond a limit."""
    count, max_value = 1, 1
    if size(shape) > MAX_DIMS:
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
        max_value *= max(length, 1)
        if max_value > limit:
            return -1
    return count


@native
def note_shape(shape: Tuple, limit: int, request: CreationRequest) -> bool:
    """The shape is owned."""
    if shape is NULL:
        return False
    request.shape = shape
    request.count = product(shape, limit)
    return request.count >= 0


@native
def argument_of_size(plan: CreationPlan, arguments: Items[Object]) -> Object:
    """As `size_argument` of the general path finds it."""
    if plan.sizes == NOWHERE:
        return arguments[plan.size]
    sizes, named = cast(Tuple, arguments[plan.sizes]), arguments[plan.size]
    if size(sizes) == 0 or named is not none:
        return named if size(sizes) == 0 else none
    return item(sizes, 0) if size(sizes) == 1 and item(sizes, 0).type is not int_type else cast(Object, sizes)


@native
def find_shape(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> bool:
    if plan.size != NOWHERE:
        return note_shape(shape_of_arguments(argument_of_size(plan, arguments), owned), plan.max_value, request)
    if plan.like != NOWHERE:
        source = cast(Tensor, arguments[plan.like])
        if source.strides is not none:  # the new one lies in memory as it does
            return False
        return note_shape(own(owned, source.shape), plan.max_value, request)
    return note_shape(own_new(owned, c.new_tuple(0)), plan.max_value, request)


@native
def make_shape(lengths: Items[int], dims: int, request: CreationRequest, owned: Owned) -> bool:
    return note_shape(own_new(owned, tuple_of_ints(lengths, dims)), MAX_SERIAL_ELEMENTS, request)


@native
def make_row(count: int, request: CreationRequest, owned: Owned) -> bool:
    lengths = new(Size).items
    lengths[0] = count
    return make_shape(lengths, 1, request, owned)


@native
def memory_for(request: CreationRequest, owned: Owned) -> Array:
    """A flat array for the elements, owned; NULL where there is no memory, which the general path says."""
    element = request.element
    flat = own_new(owned, new_array(request.count, element.size, element.numpy))
    if flat is NULL:
        c.clear_error()
    return flat
