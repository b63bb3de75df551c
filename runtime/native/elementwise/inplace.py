"""An element-wise op that writes to its first operand, launch_in_place, or to another tensor, launch_out."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, put_array
from ...compiler.language.functions import NULL, New, address_of, cast, native, new, rare
from ...compiler.language.memory import BOOL, KINDS, itemsize
from ...compiler.language.structs import Items
from ...device.threads.pack import StridedOperand, begin_strided, pack, unpack
from ...device.threads.strided_loop import RowOperands
from ..objects import c_api as c
from ..objects import interned, tensors
from ..objects.interned import bool_, device_functions, int_type, none, outdated_type, true, untracked
from ..objects.kernel_call import LONG, Arguments, kernel_address, run_kernel, run_packing
from ..objects.layout import Array, Object, Tensor, Tuple
from ..objects.references import Owned, begin, item, own, owning, release_all, retain
from ..objects.strided import count_of, each_alone, record_strided
from ..objects.tensors import elements, holds_kind, in_inference_mode, is_tensor, not_handled, refused, same
from .broadcast import CachedRows, find_rows, may_have_rows, put_operands, run_all_rows, set_arguments
from .operands import (
    UNFIT,
    ForwardPlan,
    Prepared,
    begin_prepared,
    is_on_other_device,
    needs_graph,
    on_device,
    prepared,
    promoted,
)


@native
def separate(tensor: Tensor, other: Tensor) -> bool:
    return tensor is other or tensor.storage is not other.storage


@rare
@native
def made_last(tensor: Tensor) -> bool:
    """Whether the newest call of a transform has begun before the tensor and its base were made."""
    newest = c.list_item(interned.newest_call, 0)
    return tensor.made is newest and (tensor.base is none or cast(Tensor, tensor.base).made is newest)


@native
def awaited(tensor: Tensor) -> bool:
    """Whether somebody is to hear of the next write to a tensor's memory, or it may not be written to."""
    if interned.calls.size != 0 and not made_last(tensor):
        return True
    if tensor.version_counter is none or c.list_item(tensor.version_counter, 0).type is int_type:
        return False
    return tensor.version_counter is not untracked or not in_inference_mode()


@native
def count_write(tensor: Tensor, name: Object) -> bool:
    """False where an error is set. Writes to inference tensors are not counted."""
    if tensor.version_counter is untracked:
        return True
    version_counter = tensors.shared_writes(tensor)
    if version_counter is NULL:
        return False
    number = c.new_int(1 + c.as_int(c.list_item(version_counter, 0)))
    if number is not NULL:
        c.set_list_item(version_counter, 0, number)
        c.set_list_item(version_counter, 1, retain(name))
    c.release(version_counter)
    return number is not NULL


@native
def write_flat(
    plan: ForwardPlan, arguments: Items[Object], number: int, frame: CallFrame, ready: Prepared, owned: Owned
) -> New[Object]:
    first, now, kind = cast(Tensor, arguments[0]), new(StridedOperand), number % KINDS
    two = plan.tensors == 2 and number < KINDS and is_tensor(arguments[1])
    strided = cast(Tensor, arguments[0]).flat is none
    recorded = needs_graph(plan, arguments)
    # Python knows what to say.
    if recorded == 1 or (two and not separate(first, cast(Tensor, arguments[1]))) or awaited(first):
        return not_handled()
    kernel = 0 if recorded < 0 else kernel_address(plan.kernels, number, plan.resolver)
    if kernel == 0:
        return NULL
    waits = ready.into is not NULL and ready.into is ready.first
    strided_operand = ready.separate if waits else now
    if strided and not is_writable(first, kind, ready.size, strided_operand, owned):
        return not_handled()
    if ready.into is not NULL and not waits:
        pack(ready.separate, ready.into.memory)
    # Before the write: no reader may take the old count for the new values.
    if not count_write(first, plan.name):
        return NULL
    arrays = plan.tensors - int(number >= KINDS)
    put_array(frame, arrays, ready.first.memory, itemsize(kind))
    if waits:
        run_packing(kernel, arrays + 1, elements(ready.first), frame, strided_operand)
        return retain(first)
    run_kernel(kernel, arrays + 1, elements(ready.first), frame)
    if strided:
        unpack(strided_operand, ready.first.memory)
    return retain(first)


@native
def is_writable(tensor: Tensor, kind: int, count: int, strided_operand: StridedOperand, owned: Owned) -> bool:
    """Whether no two elements of a strided tensor are the same one in memory."""
    return record_strided(tensor, kind, count, strided_operand, owned) and each_alone(strided_operand)


@native
def write_rows(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    if plan.rows is NULL or plan.gives_bool or plan.positive:
        return not_handled()
    frame, result, operands = new(CallFrame), new(CachedRows), new(RowOperands)
    set_arguments(plan, arguments, result)
    known = find_rows(plan, plan.computed, frame, result, owned)
    if known <= 0:
        return not_handled() if known == 0 else cast(Object, NULL)
    first, second = cast(Tensor, result.given[0]), cast(Tensor, result.given[1])
    recorded = needs_graph(plan, arguments)
    if recorded == 1 or awaited(first) or not separate(first, second):
        return not_handled()
    if result.rows.repeated == 1 or not same(first.shape, cast(Tuple, item(result.entry, 1))):
        return not_handled()
    dense, strided_operand = first.flat is not none, new(StridedOperand)
    if not dense and not is_writable(first, result.kind, result.rows.elements, strided_operand, owned):
        return not_handled()
    if not put_operands(result, operands, owned):
        return not_handled()
    # Before the write: no reader may take the old count for the new values.
    if recorded < 0 or not count_write(first, plan.name):
        return NULL
    operands.memory[2], operands.itemsize[2], operands.result = operands.memory[0], operands.itemsize[0], 0
    run_all_rows(result.kernel, operands, frame)
    return retain(first)


@native
def write_promoted(plan: ForwardPlan, arguments: Items[Object]) -> New[Object]:
    value, converted, owned = new(Arguments), new(Owned), new(Owned)
    frame, ready = new(CallFrame), new(Prepared)
    begin_prepared(ready)
    begin(converted)
    begin(owned)
    if promoted(plan, arguments, value, converted) and value.items[0] is arguments[0]:
        number = prepared(plan, value.items, frame, ready, True, owned)
        result = write_flat(plan, value.items, number, frame, ready, owned) if number != UNFIT else not_handled()
    else:
        result = refused()
    release_all(owned)
    release_all(converted)
    return result


@native
def write_disjoint(
    plan: ForwardPlan, arguments: Items[Object], frame: CallFrame, ready: Prepared, owned: Owned
) -> New[Object]:
    result = write_rows(plan, arguments, owned)
    second = arguments[1] if plan.tensors == 2 and is_tensor(arguments[1]) else arguments[0]
    if result is not none or may_have_rows(plan.rows, plan.computed, arguments[0], second, owned):
        return result
    c.release(result)
    ready.into = cast(Array, NULL)
    number = prepared(plan, arguments, frame, ready, True, owned)
    if number == UNFIT:
        return write_promoted(plan, arguments)
    return write_flat(plan, arguments, number, frame, ready, owned)


@owning(ForwardPlan)
def launch_in_place(plan: ForwardPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    frame, ready = new(CallFrame), new(Prepared)
    begin_prepared(ready)
    if plan.tensors < 3 and plan.positive == 0:  # of more the others may share memory with the first
        ready.separate = new(StridedOperand)
        begin_strided(ready.separate, 1)
    # Of few elements strided operands are packed sooner than rows are looked for.
    first, packs = cast(Tensor, arguments[0]), plan.rows is NULL or not is_tensor(arguments[0])
    number = prepared(plan, arguments, frame, ready, packs or count_of(first.shape) < LONG, owned)
    if number != UNFIT:
        return write_flat(plan, arguments, number, frame, ready, owned)
    if is_on_other_device(arguments[plan.lead]):
        return on_device(device_functions.launch_in_place, address_of(plan), arguments)
    return write_disjoint(plan, arguments, frame, ready, owned)


@native
def takes_result(plan: ForwardPlan, out: Tensor, kind: int, ready: Prepared, arguments: Items[Object]) -> bool:
    """Contiguous, of the result's dtype and shape, and sharing no memory with operands but as one of them."""
    if out.requires_grad is true or out.flat is none or out.grad_fn.type is outdated_type or awaited(out):
        return False
    if out.dtype is not (bool_ if kind == BOOL else ready.dtype) or not same(out.shape, ready.shape):
        return False
    for i in range(plan.tensors):
        if is_tensor(arguments[i]) and not separate(cast(Tensor, arguments[i]), out):
            return False
    return elements(out.flat) == ready.size and holds_kind(out.flat, kind)


@owning(ForwardPlan)
def launch_out(plan: ForwardPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    """The last argument is written to."""
    frame, ready = new(CallFrame), new(Prepared)
    begin_prepared(ready)
    number = prepared(plan, arguments, frame, ready, True, owned)
    if number == UNFIT:
        return not_handled()
    out = cast(Tensor, arguments[plan.tensors + plan.numbers])
    kind = BOOL if plan.gives_bool else number % KINDS
    recorded = needs_graph(plan, arguments)
    if recorded == 1 or not is_tensor(out) or not takes_result(plan, out, kind, ready, arguments):
        return not_handled()
    flat = own(owned, out.flat)  # before a kernel is found: Python may run
    kernel = 0 if recorded < 0 else kernel_address(plan.kernels, number, plan.resolver)
    if kernel == 0 or not count_write(out, plan.name):
        return NULL
    arrays = plan.tensors - int(number >= KINDS)
    put_array(frame, arrays, flat.memory, itemsize(kind))
    run_kernel(kernel, arrays + 1, ready.size, frame)
    return retain(out)
