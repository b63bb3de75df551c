"""Blocks and arrays of a device in native code: taken from the allocator's lists, and put back when nobody has them."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, Stolen, cast, native
from ...compiler.language.structs import Items
from ..objects import c_api as c
from ..objects.interned import none, true
from ..objects.kernel_call import call_method, call_with
from ..objects.layout import Array, Object, Tuple
from ..objects.references import retain
from ..objects.tensors import not_handled
from .layout import Block, DeviceArray, Figures, SizeClass, block_type, device_array_type, name_give, name_take

ALLOCATED, REQUESTED, BLOCKS = range(3)


@native
def count_figure(size_class: SizeClass, number: int, change: int) -> None:
    figure = cast(Figures, c.as_int(size_class.counters) + number * 32)
    figure.now += change
    figure.peak = max(figure.peak, figure.now)
    figure.allocated += max(-change, 0)


@native
def count_block(size_class: SizeClass, size: int, sign: int) -> None:
    """A block is given out (1), or came back (-1)."""
    count_figure(size_class, ALLOCATED, sign * c.as_int(size_class.size))
    count_figure(size_class, REQUESTED, sign * size)
    count_figure(size_class, BLOCKS, sign)


@native
def given(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    count_block(cast(SizeClass, arguments[0]), c.as_int(arguments[1]), 1)
    return not_handled()


@native
def returned(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    count_block(cast(SizeClass, arguments[0]), c.as_int(arguments[1]), -1)
    return not_handled()


@native
def allocate_by_python(size_class: SizeClass, size: Object, stream: Object) -> New[Block]:
    """A block that the allocator gives: it asks the driver, or tells others; NULL where an error is set."""
    return cast(Block, call_method(size_class.cache, name_take, size, stream))


@native
def allocated(size_class: SizeClass, size: Object, stream: Object) -> New[Block]:
    """A block of a shelf; NULL where an error is set. The caller holds all three."""
    if size_class.quick is not true:
        return allocate_by_python(size_class, size, stream)
    block = cast(Block, c.allocate(block_type, 0))  # first, for the collector may run and take blocks
    if block is NULL:
        return NULL
    free = size_class.free
    last = c.list_size(free) - 1
    if last < 0:
        c.release(block)  # without a shelf: nothing is given back
        return allocate_by_python(size_class, size, stream)
    address = retain(c.list_item(free, last))
    c.cut_list(free, last, last + 1, NULL)  # nothing but an int is released
    block.address = address
    block.size = retain(size)
    block.streams = retain(none)
    block.size_class = retain(size_class)  # the last: from now on it is given back
    count_block(size_class, c.as_int(size), 1)
    return block


@native
def give(self: Block, arguments: Items[Object], count: int) -> New[Object]:
    size_class = self.size_class
    if size_class is NULL:  # there was no memory for it
        return not_handled()
    if size_class.quick is true and self.streams is none and c.append(size_class.free, self.address) == 0:
        count_block(size_class, c.as_int(self.size), -1)
        return not_handled()
    c.clear_error()  # of a list that could not grow
    return freed_by_python(self)


@native
def freed_by_python(block: Block) -> New[Object]:
    """The allocator takes a block back: work of other streams uses it, or others have to know."""
    give = c.attribute(block.size_class.cache, name_give)
    if give is NULL:
        return NULL
    answer = call_with(give, block, NULL)
    c.release(give)
    return answer


@native
def new_array(block: Stolen[Block], shape: Tuple, size: Object, dtype: Object, device: Object) -> New[DeviceArray]:
    array = cast(DeviceArray, NULL if block is NULL else c.allocate(device_array_type, 0))
    if array is NULL:
        c.release(block)
        return array
    array.address = retain(block.address)
    array.block = block
    array.device = retain(device)
    array.dtype = retain(dtype)
    array.final = retain(dtype)
    array.shape = retain(shape)
    array.size = retain(size)
    array.stored = retain(dtype)
    array.strides = retain(none)
    return array
