"""Strided tensors, as views are, packed and unpacked; of many elements by rows (broadcast.py)."""

from __future__ import annotations

from ...compiler.language.functions import NULL, cast, native, new
from ...compiler.language.memory import itemsize
from ...compiler.language.structs import Items, Struct, capacity
from ...device.threads.job import STANDING
from ...device.threads.pack import MAX_DIMS, StridedOperand, add_loop, move_row, pack
from ...device.threads.scheduler import smaller
from . import c_api as c
from .interned import none, tuple_type
from .kernel_call import LONG
from .layout import Array, Object, Tensor, Tuple
from .references import Owned, item, own, own_new, retain, size, tuple_of_ints
from .tensors import any_kind_of, dtype_of, elements, holds_kind, new_tensor, owned_flat

MAX_PACKED = 1 << 22  # elements: fewer are packed here
MAX_BROADCAST_ELEMENTS = 1 << 16  # of an operand in a shape to which it broadcasts: that takes some 10 us
MAX_COPIED = 1 << 14  # of a gradient: with more the general path goes through operands as they lie, if they lie alike
MAX_ELEMENTS = 1 << 48


@native
def count_of(shape: Tuple) -> int:
    """At most MAX_PACKED: of an expanded tensor the product of its sizes may be beyond 64 bits."""
    count = 1
    for i in range(size(shape)):
        count = smaller(count * smaller(c.as_int(item(shape, i)), MAX_PACKED), MAX_PACKED)
    return count


@native
def large_count(shape: Tuple) -> int:
    """The number of elements of a tensor of this shape; -1 where there are more than memory has bytes."""
    count = 1
    for i in range(size(shape)):
        extent = c.as_int(item(shape, i))
        if extent > MAX_ELEMENTS // max(count, 1):
            return -1
        count *= extent
    return count


@native
def is_strided(tensor: Tensor) -> bool:
    strided = tensor.flat is none and tensor.strides.type is tuple_type
    return strided and size(tensor.shape) <= MAX_DIMS and count_of(tensor.shape) < MAX_PACKED


@native
def record_strided(tensor: Tensor, kind: int, count: int, strided_operand: StridedOperand, owned: Owned) -> bool:
    """Note where `count` elements of a kind lie in the tensor's memory, which is owned; False where it has others."""
    if not is_strided(tensor) or count_of(tensor.shape) != count:
        return False
    return record_broadcast(tensor, kind, tensor.shape, strided_operand, owned)


@native
def each_alone(strided_operand: StridedOperand) -> bool:
    """Whether no two elements lie at one place, as far as their loops tell: each steps over all that is inside it."""
    for i in range(strided_operand.loops):
        inside = 0
        for j in range(strided_operand.loops):
            if j != i and strided_operand.steps[j] <= strided_operand.steps[i]:
                inside += (strided_operand.sizes[j] - 1) * strided_operand.steps[j]
        if inside >= strided_operand.steps[i]:
            return False
    return True


@native
def record_broadcast(tensor: Tensor, kind: int, shape: Tuple, strided_operand: StridedOperand, owned: Owned) -> bool:
    """Note where a tensor's elements lie, broadcast to a shape; its memory is owned. False: it does not fit."""
    storage, first, missing, inside, read_extent = tensor.storage, c.as_int(tensor.offset), size(shape), 1, 1
    missing -= size(tensor.shape)
    strided = tensor.strides.type is tuple_type
    if missing < 0 or (strided and size(cast(Tuple, tensor.strides)) != size(tensor.shape)):
        return False
    strided_operand.loops = 0
    for back in range(size(shape)):
        i = size(shape) - 1 - back
        wide, step, extent = c.as_int(item(shape, i)), 0, 1
        if i >= missing:
            extent = c.as_int(item(tensor.shape, i - missing))
            step = c.as_int(item(cast(Tuple, tensor.strides), i - missing)) if strided else inside
            inside *= extent
            read_extent += (extent - 1) * step
        if extent != wide and extent != 1:
            return False
        if wide != 1:
            add_loop(strided_operand, wide, step * itemsize(kind) if extent == wide else 0)
    if (
        any_kind_of(tensor.dtype) != kind
        or not holds_kind(storage, kind)
        or (inside and elements(storage) - first < read_extent)
    ):
        return False
    strided_operand.memory = own(owned, storage).memory + first * itemsize(kind)
    strided_operand.count = count_of(shape)
    strided_operand.itemsize = itemsize(kind)
    return inside > 0 or strided_operand.count == 0


@native
def broadcast_to(tensor: Tensor, kind: int, shape: Tuple, owned: Owned) -> Array:
    """A flat array, owned, of a tensor's elements in a small shape; NULL where it does not broadcast.

    Python may have run before the elements are read, and does not run after it."""
    if size(shape) > MAX_DIMS or count_of(shape) > MAX_BROADCAST_ELEMENTS:
        return cast(Array, NULL)
    strided_operand, flat = new(StridedOperand), owned_flat(count_of(shape), kind, owned)
    if flat is NULL or not record_broadcast(tensor, kind, shape, strided_operand, owned):
        return cast(Array, NULL)
    pack(strided_operand, flat.memory)
    return flat


class Extents(Struct):
    """The last dimension first."""

    dims: int
    items: Items[int] = capacity(MAX_DIMS)


@native
def extend(extents: Extents, shape: Tuple) -> bool:
    """Let a shape broadcast with others; False where it does not, or has more dimensions than MAX_DIMS."""
    dims = size(shape)
    if dims > MAX_DIMS:
        return False
    while extents.dims < dims:
        extents.items[extents.dims] = 1
        extents.dims += 1
    for back in range(dims):
        extent, known = c.as_int(item(shape, dims - 1 - back)), extents.items[back]
        if extent != known and extent != 1 and known != 1:
            return False
        if known == 1:
            extents.items[back] = extent
    return True


@native
def shape_of(extents: Extents, owned: Owned) -> Tuple:
    """The shape as a tuple, owned; NULL without memory."""
    sizes = new(Extents)
    for i in range(extents.dims):
        sizes.items[i] = extents.items[extents.dims - 1 - i]
    shape = own_new(owned, tuple_of_ints(sizes.items, extents.dims))
    c.clear_error()
    return shape


@native
def broadcast_tensor(tensor: Tensor, kind: int, shape: Tuple, owned: Owned) -> Object:
    """A tensor, owned, in a small shape to which another broadcasts; NULL where it does not, or without memory."""
    flat = broadcast_to(tensor, kind, shape, owned)
    if flat is NULL:
        return cast(Object, NULL)
    made = own_new(owned, new_tensor(retain(flat), shape, dtype_of(kind)))
    if made is NULL:
        c.clear_error()
    return made


@native
def strided_copy(tensor: Tensor, kind: int, strided_operand: StridedOperand, owned: Owned) -> Array:
    """A flat array, owned, for the elements of a strided tensor, whose memory is owned and noted; NULL for others."""
    if not is_strided(tensor):
        return cast(Array, NULL)
    count = count_of(tensor.shape)
    flat = owned_flat(count, kind, owned)
    known = flat is not NULL and record_strided(tensor, kind, count, strided_operand, owned)
    return flat if known else cast(Array, NULL)


@native
def gathered_array(tensor: Tensor, kind: int, owned: Owned) -> Array:
    """A flat array, owned, of the elements of a strided tensor; NULL for other tensors and without memory.

    Python may have run before the elements are read, and does not run after it."""
    if tensor.flat is not none or count_of(tensor.shape) >= MAX_COPIED:
        return cast(Array, NULL)
    strided_operand = new(StridedOperand)
    flat = strided_copy(tensor, kind, strided_operand, owned)
    if flat is not NULL:
        pack(strided_operand, flat.memory)
    return flat


@native
def is_one_number(tensor: Tensor) -> bool:
    """Whether many elements of a tensor are the same one in memory."""
    if tensor.flat is not none or tensor.strides.type is not tuple_type:
        return False
    for i in range(size(cast(Tuple, tensor.strides))):
        if c.as_int(item(cast(Tuple, tensor.strides), i)) != 0:
            return False
    return count_of(tensor.shape) >= LONG


@native
def standing(tensor: Tensor, kind: int, owned: Owned) -> Array:
    """A flat array, owned, of STANDING times the one number of which an expanded tensor consists; NULL for others.

    Python may have run before the number is read, and does not run after it."""
    if not is_one_number(tensor):
        return cast(Array, NULL)
    flat = owned_flat(STANDING, kind, owned)
    storage, first, width = tensor.storage, c.as_int(tensor.offset), itemsize(kind)
    if flat is NULL or any_kind_of(tensor.dtype) != kind:
        return cast(Array, NULL)
    if not holds_kind(storage, kind) or elements(storage) <= first:
        return cast(Array, NULL)
    move_row(flat.memory, width, storage.memory + first * width, 0, STANDING, width)
    return flat
