"""An element-wise op on complex tensors, which are contiguous and of one dtype and shape, and on real numbers."""

from __future__ import annotations

from ...kernels.llvm.native_code.element_kinds import BOOL, COMPLEX, is_complex, itemsize, part_kind
from ...kernels.llvm.native_code.kernel_calls import CallFrame, put_array
from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import NULL, New, cast, native, new
from ..graph.recording import record
from ..interned import none, outdated_type
from ..kernel_calls import Size, found_kernel, put_object, run_kernel
from ..layout import Array, Object, Tensor
from ..references import Owned, own
from ..tensors import (
    dtype_of,
    elements,
    holds_kind,
    is_tensor,
    kind_of_number,
    new_flat,
    new_tensor,
    not_handled,
    withdrawn,
)
from .forward import ForwardPlan, fits, needs_graph


@native
def leads_complex(plan: ForwardPlan, thing: Object) -> bool:
    """Whether an operand is a contiguous complex tensor, with which an op may be run here."""
    if not plan.complexes or not is_tensor(thing):
        return False
    lead, kind = cast(Tensor, thing), kind_of_number(cast(Tensor, thing).dtype)
    there = kind >= 0 and is_complex(kind) and lead.flat is not none
    return there and lead.fn.type is not outdated_type and holds_kind(lead.flat, kind)


@native
def put_complex(
    plan: ForwardPlan, arguments: Items[Object], kind: int, size: int, frame: CallFrame, owned: Owned
) -> bool:
    """Put the operands into the frame, of which tensors are owned; False where one does not fit. Kernels are given a
    number as two, of which one is imaginary."""
    lead = cast(Tensor, arguments[0])
    for i in range(plan.tensors):
        if not fits(arguments[i], kind, lead.dtype, lead.shape, size):
            return False
        put_array(frame, i, own(owned, cast(Tensor, arguments[i]).flat).memory, itemsize(kind))
    for i in range(plan.numbers):
        if not put_object(frame, 2 * i, arguments[plan.tensors + i]):
            return False
        frame.numbers[2 * i + 1] = 0
    return True


@native
def launch_complex(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The result, recorded, where the first operand leads; None where others do not fit, and where it is recorded and
    does not look like its inputs."""
    lead, frame = cast(Tensor, arguments[0]), new(CallFrame)
    kind, shape, size = kind_of_number(lead.dtype), own(owned, lead.shape), elements(lead.flat)
    if not put_complex(plan, arguments, kind, size, frame, owned):
        return not_handled()
    given = part_kind(kind) if plan.gives_real else kind
    given = BOOL if plan.gives_bool else given
    recorded = needs_graph(plan, arguments)
    if recorded > 0 and given != kind:
        return not_handled()
    kernel = found_kernel(plan.complex_kernels, kind - COMPLEX, plan.complex_resolver)
    flat = new_flat(new(Size).items, size, given) if kernel and recorded >= 0 else cast(Array, NULL)
    if flat is NULL:
        return NULL
    put_array(frame, plan.tensors, flat.memory, itemsize(given))
    run_kernel(kernel, plan.tensors + 1, size, frame)
    result = new_tensor(flat, shape, dtype_of(given))
    if result is not NULL and recorded and not record(plan.node, result, arguments, False, False, owned):
        return withdrawn(result)
    return result
