"""An element-wise op on contiguous tensors of one shape and native dtype, and numbers: launch and launch_in_place."""

from __future__ import annotations

from ..kernels.llvm.element_kinds import BOOL, FLOATS, is_float, itemsize
from ..kernels.llvm.kernel_calls import CallFrame, call_native, put_array
from ..kernels.llvm.structs import Items, Struct, room
from ..kernels.llvm.typed import NULL, New, address_of, cast, native, new
from . import c_functions as c
from .broadcast import broadcast
from .interned import bool_, cpu, device_functions, int_type, none, outdated_type, true
from .kernel_calls import Size, found_kernel, put_object, run_kernel
from .layout import Array, Dict, DType, Object, Tensor, Tuple
from .recording import RecordPlan, record
from .references import Owned, begin, own, release_all, retain
from .tensors import (
    dtype_of,
    elements,
    holds_kind,
    is_tensor,
    is_tensor_anywhere,
    kind_of,
    new_flat,
    new_tensor,
    not_handled,
    records,
    same,
    shared_writes,
    withdrawn,
)

KERNELS = 4 * FLOATS
UNFIT = -1


class ForwardPlan(Struct):
    """The plan of an element-wise op."""

    tensors: int  # how many
    numbers: int
    masks: int  # bit i: tensor i is a mask of bools, of any dtype's op
    lead: int  # the number of the first tensor that is none
    gives_bool: int
    takes_number: int  # whether the second tensor may be a number
    resolver: Object  # finds kernels: see plans.py
    node: RecordPlan  # NULL without one
    differentiable: int  # bit i: tensor i
    name: Object  # of the in-place form
    rows: Dict  # the rows found, NULL where the op does not run by rows
    device: Dict  # the launches found, for tensors of a device
    # For each kind of floats: for tensors, for a number as the second, for a repeated first and second operand.
    kernels: Items[int] = room(KERNELS)


@native
def fits(thing: Object, kind: int, dtype: DType, shape: Tuple, size: int) -> bool:
    """Whether an operand is a contiguous tensor of this dtype (or a mask) and shape."""
    if not is_tensor(thing):
        return False
    tensor = cast(Tensor, thing)
    return (
        tensor.flat is not none
        and tensor.fn.type is not outdated_type
        and tensor.dtype is (bool_ if kind == BOOL else dtype)
        and same(tensor.shape, shape)
        and elements(tensor.flat) == size  # of the array: rule 3
        and holds_kind(tensor.flat, kind)
    )


@native
def prepared(plan: ForwardPlan, arguments: Items[Object], frame: CallFrame, owned: Owned) -> int:
    """Put the operands into the frame, and own them; gives the number of the kernel that takes them, or UNFIT.

    The first that are owned are the shape and the array of the tensor that leads, and then the array of each.
    """
    if not is_tensor(arguments[plan.lead]):
        return UNFIT
    lead = cast(Tensor, arguments[plan.lead])
    dtype, kernel = lead.dtype, kind_of(lead.dtype)
    if lead.flat is none or not is_float(kernel):
        return UNFIT
    shape, numbers = own(owned, lead.shape), 0  # owned: to find a kernel, Python may run
    size = elements(own(owned, lead.flat))
    for i in range(plan.tensors):
        thing, kind = arguments[i], BOOL if plan.masks >> i & 1 else kernel
        if fits(thing, kind, dtype, shape, size):
            flat = own(owned, cast(Tensor, thing).flat)
            put_array(frame, i, flat.memory, itemsize(kind))
        elif i == 1 and plan.takes_number and put_object(frame, 0, thing):
            numbers = 1
        else:
            return UNFIT
    for i in range(plan.numbers):
        if not put_object(frame, numbers + i, arguments[plan.tensors + i]):
            return UNFIT
    return kernel + FLOATS * numbers


@native
def lead_shape(owned: Owned) -> Tuple:
    """The shape that `prepared` has found."""
    return cast(Tuple, owned.items[0])


@native
def lead_array(owned: Owned) -> Array:
    """The array of the tensor that leads."""
    return cast(Array, owned.items[1])


@native
def first_array(owned: Owned) -> Array:
    """The array of the first tensor."""
    return cast(Array, owned.items[2])


@native
def needs_graph(plan: ForwardPlan, arguments: Items[Object], kernel: int) -> int:
    """Whether the op is recorded: a tensor requires grad, and the thread records; -1 where an error is set."""
    for i in range(plan.tensors):
        is_number = kernel >= FLOATS and i == 1
        if plan.differentiable >> i & 1 and not is_number and cast(Tensor, arguments[i]).rg is true:
            return records()
    return 0


@native
def launch_rows(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The result, recorded, for two tensors that broadcast or lie apart in memory, row by row; None as `launch`."""
    result = broadcast(plan.rows, plan.kernels, plan.resolver, plan.numbers, plan.gives_bool, arguments, owned)
    if result is NULL or result is none:
        return result
    recorded = needs_graph(plan, arguments, 0)
    if recorded < 0 or (recorded and not record(plan.node, result, arguments, False, True, owned)):
        return withdrawn(result)
    return result


@native
def launch_flat(
    plan: ForwardPlan, arguments: Items[Object], number: int, frame: CallFrame, owned: Owned
) -> New[Object]:
    """The result, recorded, for operands that are prepared."""
    kernel = found_kernel(plan.kernels, number, plan.resolver)
    recorded = needs_graph(plan, arguments, number)
    if kernel == 0 or recorded < 0:
        return NULL
    kind, size = BOOL if plan.gives_bool else number % FLOATS, elements(lead_array(owned))
    flat = new_flat(new(Size).items, size, kind)
    if flat is NULL:
        return NULL
    arrays = plan.tensors - number // FLOATS
    put_array(frame, arrays, flat.memory, itemsize(kind))
    # May release the GIL: all arrays are owned, and the result is known to nobody.
    run_kernel(kernel, arrays + 1, size, frame)
    result = new_tensor(flat, lead_shape(owned), dtype_of(kind))
    if result is not NULL and recorded and not record(plan.node, result, arguments, number >= FLOATS, False, owned):
        return withdrawn(result)
    return result


@native
def lies_elsewhere(thing: Object) -> bool:
    """Whether an object is a tensor of a device."""
    return is_tensor_anywhere(thing) and cast(Tensor, thing).device is not cpu


@native
def on_device(function: int, self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """Call a function for tensors of devices: see devices/forward.py; None before there is one."""
    if function == 0:
        return not_handled()
    return cast(Object, call_native(function, address_of(self), address_of(arguments), count))


@native
def launch(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The result of the op, recorded; None where the operands are for the general path."""
    plan, frame, owned = cast(ForwardPlan, self.memory), new(CallFrame), new(Owned)
    begin(owned)
    number = prepared(plan, arguments, frame, owned)
    if number != UNFIT:
        result = launch_flat(plan, arguments, number, frame, owned)
    elif lies_elsewhere(arguments[plan.lead]):
        result = on_device(device_functions.launch, self, arguments, count)
    else:
        result = launch_rows(plan, arguments, owned) if plan.rows is not NULL else not_handled()
    release_all(owned)
    return result


@native
def apart(tensor: Tensor, other: Tensor) -> bool:
    """Whether writing to a tensor element by element leaves the rest of another as it is."""
    return tensor is other or tensor.storage is not other.storage


@native
def awaited(tensor: Tensor) -> bool:
    """Whether somebody is to hear of the next write to a tensor's memory."""
    return tensor.writes is not none and c.list_item(tensor.writes, 0).type is not int_type


@native
def count_write(tensor: Tensor, name: Object) -> bool:
    """One more write to a tensor's memory, by the op of that name; False where an error is set."""
    writes = shared_writes(tensor)
    if writes is NULL:
        return False
    number = c.new_int(1 + c.as_int(c.list_item(writes, 0)))
    if number is not NULL:
        c.set_list_item(writes, 0, number)
        c.set_list_item(writes, 1, retain(name))
    c.release(writes)
    return number is not NULL


@native
def write_flat(plan: ForwardPlan, arguments: Items[Object], number: int, frame: CallFrame, owned: Owned) -> New[Object]:
    """The first operand, to which the op's result has been written; None where this is for the general path."""
    first = cast(Tensor, arguments[0])
    two = plan.tensors == 2 and number < FLOATS
    recorded = needs_graph(plan, arguments, number)
    # Python knows what to say.
    if recorded == 1 or (two and not apart(first, cast(Tensor, arguments[1]))) or awaited(first):
        return not_handled()
    kernel = 0 if recorded < 0 else found_kernel(plan.kernels, number, plan.resolver)
    # Before the write: no reader may take the old count for the new values.
    if kernel == 0 or not count_write(first, plan.name):
        return NULL
    arrays, flat = plan.tensors - number // FLOATS, first_array(owned)
    put_array(frame, arrays, flat.memory, itemsize(number % FLOATS))
    run_kernel(kernel, arrays + 1, elements(flat), frame)
    return retain(first)


@native
def launch_in_place(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The first operand, to which the op's result has been written; None where this is for the general path."""
    plan, frame, owned = cast(ForwardPlan, self.memory), new(CallFrame), new(Owned)
    begin(owned)
    number = prepared(plan, arguments, frame, owned)
    if number != UNFIT:
        result = write_flat(plan, arguments, number, frame, owned)
    elif lies_elsewhere(arguments[plan.lead]):
        result = on_device(device_functions.launch_in_place, self, arguments, count)
    else:
        result = not_handled()
    release_all(owned)
    return result
