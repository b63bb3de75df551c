"""Operands of several dtypes: those of lesser ones are converted to that of the result, by PyTorch's rules.

Bools give way to integers and these to floats, tensors without dimensions to all others that are as much, and a number
changes the dtype only where it is more than the tensors are."""

from __future__ import annotations

from ...compiler.language.functions import NULL, cast, native
from ...compiler.language.memory import BOOL, INTEGERS, is_float, is_half
from ...compiler.language.structs import Items
from ..objects import c_api as c
from ..objects.convert import as_kind
from ..objects.interned import default_dtype, float_type, int_type, none, outdated_type, true
from ..objects.layout import Object, Tensor
from ..objects.references import Owned, own_new, size
from ..objects.tensors import any_kind_of, elements, is_tensor, kind_of

NOTHING, PROMOTES, TO_FLOAT = range(3)  # what an op does: the last one computes with floats whatever it is given
TRUTH, INTEGER_KIND, FRACTION = range(3)
DOUBLE = 1
UNKNOWN = -1
MAX_CONVERTED_ELEMENTS = 1 << 15  # elements that one thread converts


@native
def rank_of(kind: int) -> int:
    if kind < 0:
        return UNKNOWN
    if kind == BOOL:
        return TRUTH
    return FRACTION if is_float(kind) else INTEGER_KIND


@native
def common(kind: int, other: int) -> int:
    if kind == other or rank_of(other) < rank_of(kind):
        return kind
    if rank_of(kind) < rank_of(other):
        return other
    return DOUBLE if is_float(kind) and not is_half(kind) and not is_half(other) else UNKNOWN


@native
def may_convert(obj: Object) -> bool:
    if not is_tensor(obj):
        return False
    tensor = cast(Tensor, obj)
    is_small = tensor.flat is none or elements(tensor.flat) <= MAX_CONVERTED_ELEMENTS
    return is_small and tensor.grad_fn.type is not outdated_type and any_kind_of(tensor.dtype) >= 0


@native
def kind_of_tensors(tensors: int, masks: int, operands: Items[Object]) -> int:
    kind, lowest_kind, with_dims = UNKNOWN, UNKNOWN, 0  # of tensors with dimensions, and of the others
    for i in range(tensors):
        obj = operands[i]
        if masks >> i & 1 or obj.type is float_type or obj.type is int_type:
            continue
        if not may_convert(obj):
            return UNKNOWN
        own = any_kind_of(cast(Tensor, obj).dtype)
        if size(cast(Tensor, obj).shape) > 0:
            kind = common(kind, own) if with_dims else own
            with_dims = 1
        else:
            lowest_kind = own if lowest_kind == UNKNOWN else common(lowest_kind, own)
        if (with_dims and kind == UNKNOWN) or (lowest_kind == UNKNOWN and not with_dims):
            return UNKNOWN
    if not with_dims:
        return lowest_kind
    return kind if rank_of(lowest_kind) <= rank_of(kind) else UNKNOWN


@native
def kind_of_result(rule: int, tensors: int, masks: int, operands: Items[Object]) -> int:
    kind, number = kind_of_tensors(tensors, masks, operands), TRUTH
    for i in range(tensors):
        if operands[i].type is float_type:
            number = FRACTION
        elif operands[i].type is int_type and number == TRUTH:
            number = INTEGER_KIND
    if kind == UNKNOWN or is_float(kind):
        return kind
    if rule == TO_FLOAT or number == FRACTION:
        return kind_of(c.list_item(default_dtype, 0))
    return INTEGERS if kind == BOOL and number == INTEGER_KIND else kind


@native
def brought_to(kind: int, tensors: int, masks: int, bools: int, operands: Items[Object], owned: Owned) -> bool:
    """Convert the operands of other kinds, all outside of the graph; False where none is, or for the general path,
    which reads numbers beside 16-bit floats as float32, or where an error is set."""
    changed = False
    for i in range(tensors):
        obj = operands[i]
        if masks >> i & 1 or obj.type is float_type or obj.type is int_type:
            continue
        tensor = cast(Tensor, obj)
        if any_kind_of(tensor.dtype) == kind:
            continue
        is_bool = any_kind_of(tensor.dtype) == BOOL
        if tensor.requires_grad is true or (is_bool and not bools) or (is_half(kind) and not is_bool):
            return False
        made = own_new(owned, as_kind(tensor, kind, owned))
        if made is NULL or made is none:
            return False
        operands[i] = made
        changed = True
    return changed
