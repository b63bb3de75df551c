"""Ops with kernels that write to their first tensor: the plan for layouts and arguments is looked up, and run there."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import INT16, is_float, is_half
from ...compiler.language.structs import Items
from ..elementwise.inplace import awaited, count_write
from ..objects.convert import as_kind
from ..objects.interned import cpu, none, outdated_type, true
from ..objects.kernel_call import Arguments
from ..objects.layout import Array, DType, Object, Tensor, Tuple
from ..objects.references import Owned, item, own, own_new, owning, retain, tuple_of_none
from ..objects.tensors import any_kind_of, is_tensor, kind_of_number, not_handled, records, refused
from . import kernel_op
from .general import CALL_BYTES, Call, CallPlan, Operands, run_call
from .kernel_op import OPTIONAL, TENSOR, KernelOpPlan, common_dtype, key_of, looked_up, note_operands, plans_for

MAX_INPLACE_OPERANDS = 16  # operands of what writes to the first of them


@native
def requires_grad(plan: KernelOpPlan, value: Arguments) -> bool:
    result = False
    for i in range(plan.operands):
        is_tensor = plan.arg_kinds[i] == TENSOR or plan.arg_kinds[i] == OPTIONAL
        if is_tensor and value.items[i] is not none:
            result = result or cast(Tensor, value.items[i]).requires_grad is true
    return result


@native
def are_disjoint(calls: CallPlan, operands: Operands) -> bool:
    """Whether the operands share no memory with the first one; what was not noted has none."""
    first, is_disjoint = operands.items[0], True
    end = first.memory + calls.read_extent[0] * first.itemsize
    for i in range(1, MAX_INPLACE_OPERANDS):
        other = operands.items[i]
        before = other.memory + calls.read_extent[i] * other.itemsize <= first.memory
        is_disjoint = is_disjoint and (before or other.memory >= end)
    return is_disjoint


@native
def write_by_calls(
    plan: KernelOpPlan, first: Tensor, result: Tuple, kind: int, operands: Operands, owned: Owned
) -> New[Object]:
    """The last call writes to the first tensor, and the write is counted before; None where a call before it raises."""
    calls = cast(CallPlan, cast(Array, item(result, 0)).memory)
    results = own_new(owned, tuple_of_none(calls.results))
    if results is NULL:
        return NULL
    for i in range(calls.calls):
        # Before the write: no reader may take the old count for the new values.
        if i == calls.calls - 1 and not count_write(first, plan.name):
            return NULL
        call = cast(Call, address_of(calls.steps) + CALL_BYTES * i)
        if not run_call(calls, call, operands, results, result, kind):
            return refused()
    return retain(first)


@native
def bring_alike(plan: KernelOpPlan, value: Arguments, owned: Owned) -> bool:
    """Give the elements that are moved the dtype of those that they are written over; False for the general path."""
    if plan.moves == 0 or not is_tensor(value.items[0]) or not is_tensor(value.items[1]):
        return True
    first, second = cast(Tensor, value.items[0]), cast(Tensor, value.items[1])
    if first.dtype is second.dtype or second.grad_fn.type is outdated_type:
        return True
    if second.requires_grad is true and records() != 0:
        return False
    result = as_kind(second, any_kind_of(first.dtype), owned)
    value.items[1] = own_new(owned, result)
    return result is not NULL and result is not none


@owning(KernelOpPlan)
def launch_in_place(plan: KernelOpPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    if plan.cached is NULL:
        return not_handled()
    value, operands = new(Arguments), new(Operands)
    accepted = kernel_op.take_arguments(plan, arguments, value, owned) and bring_alike(plan, value, owned)
    dtype = common_dtype(plan, value, cpu) if accepted else cast(DType, NULL)
    if dtype is NULL:
        return refused()
    kind = kind_of_number(dtype)
    first = cast(Tensor, value.items[0])
    table = plan.cached if is_float(kind) or plan.moves else plans_for(plan, kind)
    if table is NULL or (is_half(kind) and plan.moves == 0) or awaited(first):
        return not_handled()
    if requires_grad(plan, value) and records() != 0:
        return refused()
    key = own_new(owned, key_of(plan, value))
    if key is NULL:
        return NULL
    result = looked_up(table, key)
    if result is NULL:
        return not_handled()
    own(owned, result)  # which the table may forget
    for i in range(MAX_INPLACE_OPERANDS):  # none has been noted yet
        operands.items[i].memory = 0
        operands.items[i].itemsize = 0
    if not note_operands(plan, value, kind, key, result, operands, owned):
        return not_handled()
    if not are_disjoint(cast(CallPlan, cast(Array, item(result, 0)).memory), operands):
        return not_handled()
    # What only moves need not be read as a float: INT16 has as many bits.
    return write_by_calls(plan, first, result, INT16 if is_half(kind) else kind, operands, owned)
