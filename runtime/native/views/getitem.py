"""`x[key]` of ints, slices, None and Ellipsis as views, and of tensors of some dimensions as `index`."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import INTEGERS, load
from ...compiler.language.structs import Items, Struct
from ..kernel_ops.kernel_op import KernelOpPlan, launch_plan
from ..objects import c_api as c
from ..objects.interned import bool_, ellipsis, int64, int_type, none, slice_type, tuple_type
from ..objects.kernel_call import Arguments
from ..objects.layout import Array, Object, Tensor, Tuple
from ..objects.references import Owned, begin, item, own, own_new, put_item, release_all, retain, size
from ..objects.tensors import elements, holds_kind, is_tensor, not_handled, refused
from .view_cache import ViewPlan, view_of

MAX_DIMS = 16  # that a key is laid out for
MAX_PARTS = 8  # of a key of which some make a view


class GetitemPlan(Struct):
    select: ViewPlan
    slice: ViewPlan
    unsqueeze: ViewPlan
    index: KernelOpPlan


class Bounds(Struct):
    start: int
    stop: int
    step: int


@native
def view_by(plan: ViewPlan, tensor: Tensor, dim: int, index: Object, count: int) -> New[Object]:
    """The view of a dimension by an index, or by nothing else where `count` is 2."""
    number, value = c.new_int(dim), new(Arguments)
    if number is NULL:
        return NULL
    value.items[1] = number
    value.items[2] = index
    view = view_of(plan, tensor, value.items, count)
    c.release(number)
    return view


@native
def find_bounds(key: Object, length: int, bounds: Bounds) -> bool:
    """False where the step is not positive. An `__index__` in the slice may run Python."""
    start = address_of(bounds)  # on our stack: Python may run in `__index__` without harm
    if c.unpack_slice(key, start, start + 8, start + 16) < 0:
        c.clear_error()
        return False
    c.adjust_slice(length, start, start + 8, bounds.step)
    bounds.stop = max(bounds.start, bounds.stop)
    return bounds.step > 0


@native
def slice_of(plan: GetitemPlan, tensor: Tensor, dim: int, bounds: Bounds) -> New[Object]:
    owned, value = new(Owned), new(Arguments)
    begin(owned)
    value.items[1] = own_new(owned, c.new_int(dim))
    value.items[2] = own_new(owned, c.new_int(bounds.start))
    value.items[3] = own_new(owned, c.new_int(bounds.stop))
    value.items[4] = own_new(owned, c.new_int(bounds.step))
    view = view_of(plan.slice, tensor, value.items, 5) if owned.count == 4 else NULL
    release_all(owned)
    return view


@native
def is_number(key: Object) -> bool:
    """Whether a part of a key is a tensor of int64 without dimensions, which stands for the number that it holds."""
    if not is_tensor(key) or cast(Tensor, key).dtype is not int64:
        return False
    return size(cast(Tensor, key).shape) == 0


@native
def takes_away(key: Object) -> bool:
    return key.type is int_type or is_number(key)


@native
def select_by(plan: GetitemPlan, tensor: Tensor, dim: int, key: Tensor) -> New[Object]:
    flat, first = key.flat, 0
    if flat is none:
        flat, first = key.storage, c.as_int(key.offset)
    if not holds_kind(flat, INTEGERS) or elements(flat) <= first:
        return not_handled()
    number = c.new_int(load(flat.memory, 8 * first))
    if number is NULL:
        return NULL
    view = view_by(plan.select, tensor, dim, number, 3)
    c.release(number)
    return view


@native
def part_of(plan: GetitemPlan, tensor: Tensor, dim: int, key: Object, alone: bool) -> New[Object]:
    if key is none:
        return view_by(plan.unsqueeze, tensor, dim, none, 2)
    if dim >= size(tensor.shape):
        return not_handled()
    if key.type is int_type:
        return view_by(plan.select, tensor, dim, key, 3)
    if is_number(key):
        return select_by(plan, tensor, dim, cast(Tensor, key))
    length, bounds = c.as_int(item(tensor.shape, dim)), new(Bounds)
    if key.type is not slice_type or not find_bounds(key, length, bounds):
        return not_handled()
    full = bounds.start == 0 and bounds.stop == length and bounds.step == 1
    return retain(tensor) if not alone and full else slice_of(plan, tensor, dim, bounds)


@native
def dims_after(keys: Tuple, position: int) -> int:
    count = 0
    for i in range(position + 1, size(keys)):
        count += item(keys, i) is not none and item(keys, i) is not ellipsis
    return count


@native
def parts_of(plan: GetitemPlan, tensor: Tensor, keys: Tuple) -> New[Object]:
    result, dim = retain(tensor), 0
    for i in range(size(keys)):
        key = item(keys, i)
        if key is ellipsis:
            dim = max(dim, size(result.shape) - dims_after(keys, i))
            continue
        selects = takes_away(key)
        following = part_of(plan, result, dim, key, False)
        c.release(result)  # the view holds its base
        if following is NULL or following is none:
            return following
        result = cast(Tensor, following)
        dim += not selects
    if result is not tensor:
        return result
    c.release(result)
    return not_handled()


@native
def are_arrays(keys: Tuple) -> bool:
    for i in range(size(keys)):
        if not is_tensor(item(keys, i)) or size(cast(Tensor, item(keys, i)).shape) == 0:
            return False
    return size(keys) > 0


@native
def is_index(key: Object) -> bool:
    if not is_tensor(key):
        return False
    dtype, dims = cast(Tensor, key).dtype, size(cast(Tensor, key).shape)
    return (dtype is int64 and dims > 0) or (dtype is bool_ and dims == 1)


@native
def write_indices(shape: Tuple, keys: Tuple, indices: Arguments) -> int:
    """Note by dimension the tensors of a key, None for whole slices: the dimensions up to the last tensor, 0 for other
    keys.

    The shape is owned, as Python may run."""
    dims, dim, last, consumed, bounds = size(shape), 0, 0, dims_after(keys, -1), new(Bounds)
    if consumed > dims or dims > MAX_DIMS:
        return 0
    for i in range(size(keys)):
        key = item(keys, i)
        if key is ellipsis:
            for _ in range(dims - consumed):
                indices.items[dim] = none
                dim += 1
            consumed = dims  # a second one stands for nothing
        elif is_index(key):
            indices.items[dim] = key
            dim += 1
            last = dim
        elif key.type is slice_type:
            length = c.as_int(item(shape, dim))
            if not find_bounds(key, length, bounds) or bounds.start != 0 or bounds.stop != length or bounds.step != 1:
                return 0
            indices.items[dim] = none
            dim += 1
        else:
            return 0
    return last


@native
def listed(key_arguments: Arguments, count: int) -> New[Tuple]:
    """So many indices in a tuple, as `index` is given them; NULL for none, and without memory."""
    indices = c.new_tuple(count) if count else cast(Tuple, NULL)
    if indices is NULL:
        c.clear_error()
        return indices
    for i in range(count):
        put_item(indices, i, retain(key_arguments.items[i]))
    return indices


@native
def align_advanced_indices(
    plan: GetitemPlan, tensor: Tensor, keys: Tuple, key_arguments: Arguments, value: Arguments, owned: Owned
) -> int:
    """Note the view of the other parts of a key, owned; the dimensions up to the last tensor, 0 for Python."""
    dim, last = 0, 0
    value.items[0] = tensor
    for i in range(size(keys)):
        key, result = item(keys, i), cast(Tensor, value.items[0])
        if key is ellipsis:
            behind = size(result.shape) - dims_after(keys, i)
            while dim < behind and dim < MAX_DIMS:
                key_arguments.items[dim] = none
                dim += 1
            continue
        if dim >= MAX_DIMS or (is_index(key) and dim >= size(result.shape)):
            return 0
        key_arguments.items[dim] = none
        if is_index(key):
            key_arguments.items[dim] = key
            dim += 1
            last = dim
            continue
        selects = takes_away(key)
        value.items[0] = own_new(owned, part_of(plan, result, dim, key, False))
        if value.items[0] is NULL or value.items[0] is none:
            return 0
        dim += not selects
    return last


@native
def elements_at(plan: GetitemPlan, tensor: Tensor, keys: Tuple) -> New[Object]:
    if plan.index.cached is NULL:
        return not_handled()
    owned, value, key_arguments = new(Owned), new(Arguments), new(Arguments)
    begin(owned)
    value.items[0] = tensor
    if are_arrays(keys):
        value.items[1] = keys
    else:
        count = write_indices(own(owned, tensor.shape), keys, key_arguments)
        value.items[1] = own_new(owned, listed(key_arguments, count))
    if value.items[1] is NULL and size(keys) <= MAX_PARTS:
        dims = align_advanced_indices(plan, tensor, keys, key_arguments, value, owned)
        value.items[1] = own_new(owned, listed(key_arguments, dims))
    result = refused() if value.items[1] is NULL else launch_plan(plan.index, value.items, owned)
    release_all(owned)
    return result


@native
def has_index(keys: Tuple) -> bool:
    result = False
    for i in range(size(keys)):
        result = result or is_index(item(keys, i))
    return result


@native
def getitem(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    plan, key = cast(GetitemPlan, self.memory), arguments[1]
    if not is_tensor(arguments[0]):
        return not_handled()
    tensor = cast(Tensor, arguments[0])
    if is_tensor(key) and not is_number(key):
        alone = c.new_tuple(1)
        if alone is NULL:
            return NULL
        put_item(alone, 0, retain(key))
        result = elements_at(plan, tensor, alone)
        c.release(alone)
        return result
    if key.type is tuple_type:
        keys = cast(Tuple, key)
        if has_index(keys) or are_arrays(keys):
            return elements_at(plan, tensor, keys)
        return parts_of(plan, tensor, keys)
    return part_of(plan, tensor, 0, key, True)
