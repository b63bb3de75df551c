"""Running an element-wise op: at once, row by row, on copies of what lies apart, or after conversions."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, put_array
from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import BOOL, INTEGERS, KINDS, itemsize
from ...compiler.language.structs import Items
from ...device.threads.pack import StridedOperand, begin_strided, pack
from ...device.threads.scheduler import smaller
from ..objects import c_api as c
from ..objects import strided, tensors
from ..objects.interned import bool_, device_functions, int64, none, tuple_type
from ..objects.kernel_call import Arguments, kernel_address, run_kernel, run_packing
from ..objects.layout import Object, Tensor, Tuple
from ..objects.loop_nest import Order, begin_order, in_order, note_steps, sort_order
from ..objects.record import record
from ..objects.references import Owned, begin, item, own, own_new, owning, release_all, retain, size
from ..objects.strided import MAX_BROADCAST_ELEMENTS, MAX_PACKED, Extents, broadcast_tensor, count_of, extend, shape_of
from ..objects.tensors import any_kind_of, dtype_of, elements, holds_kind, is_tensor, not_handled, withdrawn
from .broadcast import CachedRows, broadcast, may_broadcast, may_have_rows, set_arguments
from .complex import launch_complex, leads_complex
from .operands import (
    ALL,
    MASKS,
    UNFIT,
    ForwardPlan,
    Prepared,
    asks_refused,
    begin_prepared,
    is_on_other_device,
    leading,
    needs_graph,
    on_device,
    prepared,
    promoted,
)
from .promotion import UNKNOWN
from .scalars import are_positive, constant_array, is_constant, kind_of_constants


@native
def holds_positive(obj: Object, owned: Owned) -> bool:
    if not is_tensor(obj) or cast(Tensor, obj).dtype is not int64 or cast(Tensor, obj).flat is none:
        return False
    flat = own(owned, cast(Tensor, obj).flat)
    return holds_kind(flat, INTEGERS) and are_positive(flat.memory, elements(flat), INTEGERS)


@native
def launch_rows(plan: ForwardPlan, arguments: Items[Object], value: Items[Object], owned: Owned) -> New[Object]:
    """`value`: what the kernel reads, the arguments or copies of them."""
    match, computed = new(CachedRows), plan.computed
    set_arguments(plan, value, match)
    if plan.positive:
        allowed = match.single == 0 and holds_positive(arguments[1], owned)
        computed &= (2 << INTEGERS if allowed else 1 << INTEGERS) - 1  # of integers those of int64, or none
    result = broadcast(plan, computed, match, owned)
    if result is NULL or result is none:
        return result
    recorded = needs_graph(plan, arguments)
    if recorded < 0 or (
        recorded and not record(plan.node, result, arguments, match.with_number == 1, match.single == 0, owned)
    ):
        return withdrawn(result)
    return result


@native
def launch_flat(
    plan: ForwardPlan, arguments: Items[Object], number: int, frame: CallFrame, ready: Prepared, owned: Owned
) -> New[Object]:
    kernel = kernel_address(plan.kernels, number, plan.resolver)
    recorded = needs_graph(plan, arguments)
    if kernel == 0 or recorded < 0:
        return NULL
    kind, size = BOOL if plan.gives_bool else number % KINDS, ready.size
    waits = ready.into is not NULL
    flat = retain(ready.into) if waits else tensors.new_flat(size, kind)
    if flat is NULL:
        return NULL
    arrays = plan.tensors - int(number >= KINDS)
    put_array(frame, arrays, flat.memory, itemsize(kind))
    # May release the GIL: all arrays are owned, and the result is known to nobody.
    if waits:
        run_packing(kernel, arrays + 1, size, frame, ready.separate)
    else:
        run_kernel(kernel, arrays + 1, size, frame)
    result = tensors.new_tensor(flat, ready.shape, dtype_of(kind))
    if result is not NULL and ready.permuted and not in_order(result, ready.order):
        return withdrawn(result)
    broadcasts = ready.broadcasts != 0
    if result is not NULL and recorded and not record(plan.node, result, arguments, number >= KINDS, broadcasts, owned):
        return withdrawn(result)
    return result


@native
def are_contiguous(plan: ForwardPlan, arguments: Items[Object], order: Order) -> bool:
    """Find the order in memory of a result; whether it is another than that of rows."""
    obj = arguments[leading(plan, arguments)]
    if not is_tensor(obj) or not begin_order(cast(Tensor, obj).shape, order):
        return False
    for i in range(plan.tensors):
        if is_tensor(arguments[i]) and not note_steps(cast(Tensor, arguments[i]), order):
            return False
    return sort_order(order)


@native
def launch_gathered(plan: ForwardPlan, arguments: Items[Object], spreads: int, owned: Owned) -> New[Object]:
    """Some tensors are strided; those that `spreads` says are broadcast to the shape of the one that leads."""
    release_all(owned)
    begin(owned)
    frame, ready = new(CallFrame), new(Prepared)
    begin_prepared(ready)
    ready.spreads = spreads
    if plan.gives_bool == 0 and plan.positive == 0:
        ready.separate = new(StridedOperand)
        begin_strided(ready.separate, 0)
    ready.order = new(Order)
    ready.permuted = int(are_contiguous(plan, arguments, ready.order))
    number = prepared(plan, arguments, frame, ready, True, owned)
    return launch_flat(plan, arguments, number, frame, ready, owned) if number != UNFIT else not_handled()


@native
def is_contiguous_object(obj: Object) -> bool:
    """Whether a tensor has its dimensions in the order of rows, as then has the result of two of them."""
    tensor = cast(Tensor, obj)
    if tensor.flat is not none or tensor.strides.type is not tuple_type:
        return True
    before = -1
    for i in range(smaller(size(tensor.shape), size(cast(Tuple, tensor.strides)))):
        step = c.as_int(item(cast(Tuple, tensor.strides), i))
        if c.as_int(item(tensor.shape, i)) != 1 and step != 0:
            if before >= 0 and step > before:
                return False
            before = step
    return True


@native
def packed_copy(obj: Object, owned: Owned) -> Object:
    """A contiguous copy, owned, of a tensor that lies apart; others as they are, also without memory."""
    strided_operand, tensor = new(StridedOperand), cast(Tensor, obj)
    flat = strided.strided_copy(tensor, any_kind_of(tensor.dtype), strided_operand, owned)
    if flat is NULL:
        return obj
    pack(strided_operand, flat.memory)
    copy = own_new(owned, tensors.new_tensor(retain(flat), tensor.shape, tensor.dtype))
    c.clear_error()
    return copy if copy is not NULL else obj


@native
def launch_packed(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    if plan.tensors != 2 or not may_broadcast(arguments[0], arguments[1], plan.computed):
        return not_handled()
    if not is_contiguous_object(arguments[0]) or not is_contiguous_object(arguments[1]):
        return not_handled()
    value, changed = new(Arguments), False
    for i in range(2 + plan.numbers):
        value.items[i] = packed_copy(arguments[i], owned) if i < 2 else arguments[i]
        changed = changed or value.items[i] is not arguments[i]
    return launch_rows(plan, arguments, value.items, owned) if changed else not_handled()


@native
def note_extents(plan: ForwardPlan, arguments: Items[Object], extents: Extents) -> bool:
    """Note the shape to which all operands broadcast; False where a tensor has strides, by which the result may lie."""
    extents.dims = 0
    for i in range(plan.tensors):
        if is_tensor(arguments[i]):
            tensor = cast(Tensor, arguments[i])
            if tensor.flat is none or tensor.strides is not none or not extend(extents, tensor.shape):
                return False
        elif not is_constant(arguments[i]):
            return False
    return True


@native
def launch_broadcast(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    lead, extents, value = leading(plan, arguments), new(Extents), new(Arguments)
    kind = any_kind_of(cast(Tensor, arguments[lead]).dtype) if is_tensor(arguments[lead]) else UNKNOWN
    if kind < 0 or not plan.computed >> kind & 1 or not note_extents(plan, arguments, extents):
        return not_handled()
    shape = shape_of(extents, owned)
    if shape is NULL or tensors.same(shape, cast(Tensor, arguments[lead]).shape):
        return not_handled()
    for i in range(plan.tensors + plan.numbers):
        value.items[i] = arguments[i]
    value.items[lead] = broadcast_tensor(cast(Tensor, arguments[lead]), kind, shape, owned)
    if value.items[lead] is NULL:
        return not_handled()
    frame, ready = new(CallFrame), new(Prepared)
    begin_prepared(ready)
    ready.spreads = ALL
    number = prepared(plan, value.items, frame, ready, True, owned)
    ready.broadcasts = 1
    return launch_flat(plan, arguments, number, frame, ready, owned) if number != UNFIT else not_handled()


@native
def launch_strided(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    in_rows = plan.rows is not NULL
    result = launch_rows(plan, arguments, arguments, owned) if in_rows else not_handled()
    if result is not none:
        return result
    second = arguments[1] if plan.tensors == 2 and is_tensor(arguments[1]) else arguments[0]
    if may_have_rows(plan.rows, plan.computed, arguments[0], second, owned):
        return result
    c.release(result)
    result = launch_gathered(plan, arguments, ALL if plan.tensors == 3 else MASKS, owned)  # for two there are rows
    if result is none and in_rows:
        c.release(result)
        result = launch_packed(plan, arguments, owned)
    first, two = cast(Tensor, arguments[0]), in_rows and plan.tensors == 2 and is_tensor(arguments[0])
    if result is none and two and count_of(first.shape) <= MAX_BROADCAST_ELEMENTS:
        c.release(result)
        result = launch_gathered(plan, arguments, ALL, owned)
    if result is none and not in_rows and plan.tensors > 1 and not plan.alike:
        c.release(result)
        result = launch_broadcast(plan, arguments, owned)
    return result


@native
def put_choice(
    kind: int, mask: Tensor, arguments: Items[Object], frame: CallFrame, ready: Prepared, owned: Owned
) -> bool:
    ready.shape, ready.dtype = own(owned, mask.shape), dtype_of(kind)
    if mask.flat is none or not holds_kind(mask.flat, BOOL) or mask.dtype is not bool_:
        return False
    flat = own(owned, mask.flat)
    ready.size = elements(flat)
    if count_of(ready.shape) != smaller(ready.size, MAX_PACKED):
        return False
    put_array(frame, 0, flat.memory, itemsize(BOOL))
    for i in range(1, 3):
        number = constant_array(kind, arguments[i], ready.size, owned)
        if number is NULL:
            return False
        put_array(frame, i, number.memory, itemsize(kind))
    return True


@native
def launch_between_constants(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    if not plan.chooses or plan.tensors != 3 or plan.masks != 1 or not is_tensor(arguments[0]):
        return not_handled()
    kind = kind_of_constants(arguments[1], arguments[2])
    if kind < 0 or not plan.computed >> kind & 1:
        return not_handled()
    frame, ready = new(CallFrame), new(Prepared)
    begin_prepared(ready)
    fits = put_choice(kind, cast(Tensor, arguments[0]), arguments, frame, ready, owned)
    return launch_flat(plan, arguments, kind, frame, ready, owned) if fits else not_handled()


@native
def launch_promoted(plan: ForwardPlan, arguments: Items[Object]) -> New[Object]:
    frame, ready = new(CallFrame), new(Prepared)
    value, converted, owned = new(Arguments), new(Owned), new(Owned)
    begin_prepared(ready)
    begin(converted)
    begin(owned)
    if not promoted(plan, arguments, value, converted):
        result = tensors.refused()
    else:
        number = prepared(plan, value.items, frame, ready, False, owned)
        if number != UNFIT:
            result = launch_flat(plan, value.items, number, frame, ready, owned)
        else:
            result = launch_strided(plan, value.items, owned)
    release_all(owned)
    release_all(converted)
    return result


@owning(ForwardPlan)
def launch(plan: ForwardPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    frame, ready = new(CallFrame), new(Prepared)
    if plan.refused and asks_refused(plan, arguments):
        return not_handled()  # Python says why
    begin_prepared(ready)
    number = prepared(plan, arguments, frame, ready, False, owned)
    if number != UNFIT:
        return launch_flat(plan, arguments, number, frame, ready, owned)
    if is_on_other_device(arguments[plan.lead]):
        return on_device(device_functions.launch, address_of(plan), arguments)
    if leads_complex(plan, arguments[0]):
        return launch_complex(plan, arguments, owned)
    result = launch_strided(plan, arguments, owned)
    if result is none:
        c.release(result)
        result = launch_promoted(plan, arguments)
    if result is none and plan.chooses:
        c.release(result)
        release_all(owned)
        begin(owned)
        result = launch_between_constants(plan, arguments, owned)
    return result
