"""Copies of tensors in another dtype: a kernel for each pair of kinds, once a pair is converted often enough."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, put_array
from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.memory import KINDS, is_float, itemsize
from ...compiler.language.structs import Items, Struct
from ...device.threads.pack import StridedOperand, are_rows, begin_strided, pack
from . import c_api as c
from . import tensors
from .interned import PAIRS, converting, none, outdated_type, true
from .kernel_call import kernel_address, run_kernel, run_packing
from .layout import Array, Object, Tensor, Tuple
from .loop_nest import Order, begin_order, in_order, note_steps, ordered, sort_order
from .record import RecordPlan, record
from .references import Owned, item, own, owning, size
from .strided import count_of, record_strided, strided_copy
from .tensors import any_kind_of, dtype_of, elements, holds_kind, is_tensor, new_flat, new_tensor, not_handled, refused


class ConversionPlan(Struct):
    node: RecordPlan


@native
def has_single(shape: Tuple) -> bool:
    result = False
    for i in range(size(shape)):
        result = result or c.as_int(item(shape, i)) == 1
    return result


@native
def kernel_for(kind: int, to: int) -> int:
    return kernel_address(converting.kernels, KINDS * kind + to, converting.resolver)


@native
def is_read_in_rows(tensor: Tensor, kind: int, to: int, strided_operand: StridedOperand, owned: Owned) -> bool:
    begin_strided(strided_operand, 0)
    if tensor.flat is not none or not record_strided(tensor, kind, count_of(tensor.shape), strided_operand, owned):
        return False
    if not are_rows(strided_operand) or kernel_for(kind, to) == 0:
        return False
    strided_operand.row_entry = kernel_address(converting.kernels, PAIRS + KINDS * kind + to, converting.resolver)
    return strided_operand.row_entry != 0


@native
def flat_elements(tensor: Tensor, kind: int, order: Order, permuted: bool, owned: Owned) -> Array:
    """A flat array, owned, in another order if `permuted`; NULL: another kind, too many elements, no memory."""
    strided_operand = new(StridedOperand)
    if tensor.flat is not none:
        flat = own(owned, tensor.flat)
        return flat if holds_kind(flat, kind) else cast(Array, NULL)
    if permuted:
        flat = ordered(tensor, kind, order, 0, count_of(tensor.shape), strided_operand, owned)
    else:
        flat = strided_copy(tensor, kind, strided_operand, owned)
    if flat is not NULL:
        pack(strided_operand, flat.memory)
    return flat


@native
def as_kind(tensor: Tensor, to: int, owned: Owned) -> New[Object]:
    kind, shape = any_kind_of(tensor.dtype), own(owned, tensor.shape)
    if kind < 0 or to < 0 or kind == to or converting.resolver is NULL:
        return not_handled()
    # A copy keeps what strides say of dimensions of size 1, and where there are no elements.
    if tensor.strides is not none and (has_single(shape) or count_of(shape) == 0):
        return not_handled()
    order, strided_operand, frame, flat = new(Order), new(StridedOperand), new(CallFrame), cast(Array, NULL)
    permuted = tensor.flat is none and begin_order(shape, order) and note_steps(tensor, order) and sort_order(order)
    in_rows = not permuted and is_read_in_rows(tensor, kind, to, strided_operand, owned)
    if not in_rows:
        flat = flat_elements(tensor, kind, order, permuted, owned)
    if flat is NULL and not in_rows:
        return refused()
    kernel, count = kernel_for(kind, to), strided_operand.count if in_rows else elements(flat)
    result = cast(Array, NULL) if kernel == 0 else new_flat(count, to)
    if result is NULL:
        return refused()
    put_array(frame, 0, 0 if in_rows else flat.memory, itemsize(kind))
    put_array(frame, 1, result.memory, itemsize(to))
    # May release the GIL: the elements are owned, and nobody knows the result.
    if in_rows:
        run_packing(kernel, 2, count, frame, strided_operand)
    else:
        run_kernel(kernel, 2, count, frame)
    copy = new_tensor(result, shape, dtype_of(to))
    return NULL if copy is not NULL and permuted and not in_order(copy, order) else copy


@owning(ConversionPlan)
def convert(plan: ConversionPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    """convert(tensor, dtype)"""
    tensor, to = cast(Tensor, arguments[0]), any_kind_of(arguments[1])
    if not is_tensor(tensor) or tensor.grad_fn.type is outdated_type:
        return not_handled()
    recorded = tensors.records() if tensor.requires_grad is true and is_float(to) else 0
    result = NULL if recorded < 0 else as_kind(tensor, to, owned)
    if result is NULL or result is none or not recorded:
        return result
    return result if record(plan.node, result, arguments, False, True, owned) else tensors.withdrawn(result)
