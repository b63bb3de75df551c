"""Launches that have been found before, by layouts and arguments: addresses and numbers are those of each call.

They were written down when such a call came first (cached_launches.py), and hold for one driver and one stream."""

from __future__ import annotations

from ...compiler.language.call_abi import Extents, call_launch, call_slots
from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import bits, single_bits, store
from ...compiler.language.structs import Items, Struct, capacity, length
from ..elementwise.broadcast import has_layout
from ..objects import c_api as c
from ..objects.interned import float_type, int_type, none, outdated_type
from ..objects.layout import Array, DType, Float, Object, Tensor, Tuple
from ..objects.references import Owned, item, own, own_new, put_item, retain
from ..objects.tensors import is_tensor_anywhere, new_tensor_on
from .layout import Block, DeviceArray, SizeClass, launcher
from .memory import allocated, new_array

MAX_OPERANDS = 16
MAX_BLOCKS = 28  # of memory that a call needs, results among it
MAX_OWNED = 40  # arrays and blocks, beside what else a call owns
MAX_RESULTS = 8
MAX_PATCHES = 24
MAX_SLOTS = 160
UNREAD, ADDRESS, SINGLE, DOUBLE, INTEGER = range(5)  # what a call changes of an operand's words


class Launch(Struct):
    function: int
    called: int  # whether that is a function of C, which is given the words themselves
    extents: Items[Extents] = capacity(1)
    count: int  # of words
    patches: int  # how many words a call changes: their places, which source each is, and bytes behind its address
    positions: Items[int] = capacity(MAX_PATCHES)
    sources: Items[int] = capacity(MAX_PATCHES)
    offsets: Items[int] = capacity(MAX_PATCHES)
    slot_values: Items[int] = capacity(MAX_SLOTS)


class LaunchPlan(Struct):
    driver: int
    stream: int
    noted: int  # where native code writes 1: that a kernel has got the stream's word for bad indices; or 0
    broadcasts: int  # whether an operand has another shape than the result
    blocks: int  # how many blocks of memory it needs; of which of them each result is
    results: Items[int] = capacity(MAX_RESULTS)
    kinds: Items[int] = capacity(MAX_OPERANDS)  # of each operand: UNREAD, ...
    itemsize: Items[int] = capacity(MAX_OPERANDS)
    read_extent: Items[int] = capacity(MAX_OPERANDS)  # elements from the first one to the last
    stored: Items[Object] = capacity(MAX_OPERANDS)  # NumPy's dtype of the memory
    odd: Items[int] = capacity(MAX_OPERANDS)  # bits that its address must not have
    launches: int
    steps: Items[Launch] = capacity(1)  # the first of the launches; the others follow


class Sources(Struct):
    """Addresses or bits of operands, the addresses of the call's blocks, and last that of the words themselves."""

    values: Items[int] = capacity(MAX_OPERANDS + MAX_BLOCKS + 1)


class LaunchSlots(Struct):
    slot_values: Items[int] = capacity(MAX_SLOTS)
    parameters: Items[int] = capacity(MAX_SLOTS)


# What is found, in a tuple: the words of the plan; the stream; for each block its bytes and the shelf that it is of;
# for each result shape and dtype, and shape, size and dtype of its array; the arguments as they were checked.
PLAN, STREAM, BLOCKS = range(3)
OF_BLOCK, OF_RESULT = 2, 5
NO_RESULT = -1  # the number of the block of a gradient that the kernel does not give
SLOTS_SOURCE = MAX_OPERANDS + MAX_BLOCKS  # the last of the sources
LAUNCH_BYTES = 8 * length(Launch)


@native
def is_here(obj: Object) -> bool:
    """Whether an object is a tensor on the device on which this thread launched last."""
    if not is_tensor_anywhere(obj) or cast(Tensor, obj).device is not launcher.device:
        return False
    return launcher.thread == c.thread_number(c.thread_state()) and cast(Tensor, obj).grad_fn.type is not outdated_type


@native
def plan_of(result: Tuple) -> LaunchPlan:
    return cast(LaunchPlan, cast(Array, item(result, PLAN)).memory)


@native
def holds(plan: LaunchPlan) -> bool:
    """Whether a plan is for the driver and the stream of this thread."""
    return plan.driver == launcher.driver and plan.stream == launcher.stream


@native
def put_tensor(plan: LaunchPlan, i: int, tensor: Tensor, sources: Sources, owned: Owned) -> bool:
    """Make the address of a tensor's first element a source, and own its array; False where it is not as found."""
    if plan.kinds[i] == UNREAD:
        return True
    flat, first = cast(DeviceArray, tensor.flat), 0
    if tensor.flat is none:
        flat, first = cast(DeviceArray, tensor.storage), c.as_int(tensor.offset)
    if flat.stored is not plan.stored[i] or c.as_int(flat.size) - first < plan.read_extent[i]:
        return False
    own(owned, flat)
    sources.values[i] = c.as_int(flat.address) + first * plan.itemsize[i]
    return (sources.values[i] & plan.odd[i]) == 0


@native
def put_operand(
    plan: LaunchPlan, i: int, obj: Object, key: Tuple, position: int, sources: Sources, owned: Owned
) -> bool:
    """The same for an operand that may be None; False where it has not the layout that stands in a key at `place`."""
    if obj is none:
        return True
    tensor = cast(Tensor, obj)
    return is_here(obj) and has_layout(tensor, key, position) and put_tensor(plan, i, tensor, sources, owned)


@native
def put_double(plan: LaunchPlan, i: int, value: float, sources: Sources) -> bool:
    sources.values[i] = single_bits(value) if plan.kinds[i] == SINGLE else bits(value)
    return plan.kinds[i] == SINGLE or plan.kinds[i] == DOUBLE


@native
def put_number(plan: LaunchPlan, i: int, number: Object, sources: Sources) -> bool:
    """Make a Python number a source; False for others, and for ints that are too large."""
    if number.type is float_type:
        return put_double(plan, i, cast(Float, number).value, sources)
    if number.type is not int_type:
        return False
    if plan.kinds[i] == INTEGER:
        value = c.as_int(number)
        sources.values[i] = value
        fits = value != -1 or c.error_set() is NULL
    else:
        double = c.as_double(number)
        fits = (double != -1.0 or c.error_set() is NULL) and put_double(plan, i, double, sources)
    c.clear_error()
    return fits


@native
def take_blocks(plan: LaunchPlan, result: Tuple, sources: Sources, owned: Owned) -> int:
    """The index of the first block among what is owned, -1 where an error is set. The caller holds `result`.

    Python may run here: operands are looked at afterwards."""
    first = owned.count
    for i in range(plan.blocks):
        size, size_class = item(result, BLOCKS + OF_BLOCK * i), item(result, BLOCKS + OF_BLOCK * i + 1)
        block = own_new(owned, allocated(cast(SizeClass, size_class), size, item(result, STREAM)))
        if block is NULL:
            return -1
        sources.values[MAX_OPERANDS + i] = c.as_int(block.address)
    return first


@native
def result_of(plan: LaunchPlan, result: Tuple, number: int, first: int, device: Object, owned: Owned) -> New[Object]:
    """Result `number` as a tensor, over its block; `first` is the place of the first block among what is owned."""
    block = cast(Block, owned.items[first + plan.results[number]])
    position = BLOCKS + OF_BLOCK * plan.blocks + OF_RESULT * number
    shape, size, dtype = cast(Tuple, item(result, position + 2)), item(result, position + 3), item(result, position + 4)
    flat = new_array(retain(block), shape, size, dtype, device)
    if flat is NULL:
        return NULL
    return new_tensor_on(device, flat, cast(Tuple, item(result, position)), cast(DType, item(result, position + 1)))


@native
def results_of(plan: LaunchPlan, result: Tuple, count: int, first: int, device: Object, owned: Owned) -> New[Tuple]:
    results = c.new_tuple(count)
    if results is NULL:
        return NULL
    for i in range(count):
        absent = plan.results[i] == NO_RESULT
        made = retain(none) if absent else result_of(plan, result, i, first, device, owned)
        if made is NULL:
            c.release(results)
            return cast(Tuple, NULL)
        put_item(results, i, made)
    return results


@native
def launch(step: Launch, sources: Sources, slot_values: LaunchSlots) -> bool:
    for i in range(step.count):
        slot_values.slot_values[i] = step.slot_values[i]
        slot_values.parameters[i] = address_of(slot_values.slot_values) + 8 * i
    for i in range(step.patches):
        slot_values.slot_values[step.positions[i]] = sources.values[step.sources[i]] + step.offsets[i]
    if step.called != 0:
        return call_slots(step.function, slot_values.slot_values) == 0
    entry, handle = launcher.entry, launcher.handle
    return call_launch(entry, step.function, step.extents[0], handle, slot_values.parameters) == 0


@native
def run(plan: LaunchPlan, sources: Sources) -> bool:
    """Launch all; False where the driver refuses, which Python will say. All arrays are owned."""
    slot_values = new(LaunchSlots)
    sources.values[SLOTS_SOURCE] = address_of(slot_values.slot_values)
    for i in range(plan.launches):
        # Again each time: a driver in Python may let other threads run.
        if launcher.thread != c.thread_number(c.thread_state()) or not holds(plan):
            return False
        done = launch(cast(Launch, address_of(plan.steps) + LAUNCH_BYTES * i), sources, slot_values)
        if plan.noted != 0:
            store(plan.noted, 0, 1)  # behind the launch: who reads the word before has not read what this one finds
        if not done:
            return False
    return True
