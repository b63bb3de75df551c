"""An element-wise op on contiguous complex tensors of one dtype and shape, and on real numbers, which become arrays."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, put_array
from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.memory import BOOL, COMPLEX, bits, is_complex, itemsize, part_kind, single_bits, store
from ...compiler.language.structs import Items
from ..objects import c_api as c
from ..objects import tensors
from ..objects.interned import float_type, int_type, none, outdated_type
from ..objects.kernel_call import kernel_address, put_object, run_kernel
from ..objects.layout import Array, Object, Tensor
from ..objects.record import record
from ..objects.references import Owned, own
from ..objects.tensors import dtype_of, elements, holds_kind, is_tensor, kind_of_number, new_flat, not_handled
from .operands import ForwardPlan, fits, needs_graph
from .scalars import MAX_CONSTANT_ELEMENTS, fill, float_of, is_single


@native
def leads_complex(plan: ForwardPlan, obj: Object) -> bool:
    if not plan.complexes or not is_tensor(obj):
        return False
    lead, kind = cast(Tensor, obj), kind_of_number(cast(Tensor, obj).dtype)
    there = kind >= 0 and is_complex(kind) and lead.flat is not none
    return there and lead.grad_fn.type is not outdated_type and holds_kind(lead.flat, kind)


@native
def is_real_number(obj: Object) -> bool:
    return obj.type is float_type or obj.type is int_type


@native
def complex_constant(kind: int, obj: Object, count: int, owned: Owned) -> Array:
    """A flat array, owned, of so many times one real number; NULL where the kind has no such number, or of many."""
    number = float_of(obj)
    if c.error_set() is not NULL:
        c.clear_error()
        return cast(Array, NULL)
    if count > MAX_CONSTANT_ELEMENTS or (kind == COMPLEX and not is_single(obj)):
        return cast(Array, NULL)
    flat = tensors.owned_flat(count, kind, owned)
    if flat is NULL:
        return flat
    if kind == COMPLEX:
        fill(flat.memory, single_bits(number), count, 8)  # behind it are the zeros of the imaginary part
    else:
        fill(flat.memory, 0, 2 * count, 8)
        for i in range(count):
            store(flat.memory, 16 * i, bits(number))
    return flat


@native
def complex_array(plan: ForwardPlan, i: int, obj: Object, lead: Tensor, kind: int, size: int, owned: Owned) -> Array:
    """The flat array of operand `i`, owned; NULL where it does not fit."""
    if fits(obj, kind, lead.dtype, lead.shape, size):
        return own(owned, cast(Tensor, obj).flat)
    may_be_number = i == 1 and (plan.takes_number != 0 or plan.chooses != 0)
    return complex_constant(kind, obj, size, owned) if may_be_number and is_real_number(obj) else cast(Array, NULL)


@native
def put_complex(
    plan: ForwardPlan, arguments: Items[Object], kind: int, size: int, frame: CallFrame, owned: Owned
) -> bool:
    """Kernels are given a number as two, of which one is imaginary."""
    lead = cast(Tensor, arguments[0])
    for i in range(plan.tensors):
        flat = complex_array(plan, i, arguments[i], lead, kind, size, owned)
        if flat is NULL:
            return False
        put_array(frame, i, flat.memory, itemsize(kind))
    for i in range(plan.numbers):
        if not put_object(frame, 2 * i, arguments[plan.tensors + i]):
            return False
        frame.numbers[2 * i + 1] = 0
    return True


@native
def launch_complex(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The first operand leads; None where others do not fit, or a recorded result is unlike its inputs."""
    lead, frame = cast(Tensor, arguments[0]), new(CallFrame)
    kind, shape, size = kind_of_number(lead.dtype), own(owned, lead.shape), elements(lead.flat)
    if not put_complex(plan, arguments, kind, size, frame, owned):
        return not_handled()
    value = part_kind(kind) if plan.gives_real else kind
    value = BOOL if plan.gives_bool else value
    recorded = needs_graph(plan, arguments)
    if recorded > 0 and value != kind:
        return not_handled()
    kernel = kernel_address(plan.complex_kernels, kind - COMPLEX, plan.complex_resolver)
    flat = new_flat(size, value) if kernel and recorded >= 0 else cast(Array, NULL)
    if flat is NULL:
        return NULL
    put_array(frame, plan.tensors, flat.memory, itemsize(value))
    run_kernel(kernel, plan.tensors + 1, size, frame)
    result = tensors.new_tensor(flat, shape, dtype_of(value))
    with_number = plan.tensors == 2 and is_real_number(arguments[1])
    if result is not NULL and recorded and not record(plan.node, result, arguments, with_number, False, owned):
        return tensors.withdrawn(result)
    return result
