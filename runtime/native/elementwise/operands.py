"""What the kernel of an element-wise op is given: tensors of one shape and native dtype, packed, and numbers."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, call_native, put_array
from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import BFLOAT16, BOOL, FLOATS, KINDS, bits, is_half, is_integral, itemsize, single_bits
from ...compiler.language.structs import Items, Struct, capacity
from ...device.threads.pack import StridedOperand, pack
from ..objects import c_api as c
from ..objects.interned import bool_, cpu, false, float_type, int_type, none, outdated_type, true
from ..objects.kernel_call import EXACT, MAGNITUDE, Arguments, is_exact, put_object
from ..objects.layout import Array, Dict, DType, Float, Object, Tensor, Tuple
from ..objects.loop_nest import Order, ordered
from ..objects.record import RecordPlan
from ..objects.references import Owned, own
from ..objects.strided import broadcast_to, count_of, strided_copy
from ..objects.tensors import (
    any_kind_of,
    elements,
    holds_kind,
    is_tensor,
    is_tensor_anywhere,
    not_handled,
    records,
    same,
)
from .promotion import NOTHING, UNKNOWN, brought_to, kind_of_result
from .scalars import are_positive, constant_array, is_bool, is_constant

KERNELS = 4 * KINDS
UNFIT, DOUBLE = -1, 1
LATER = 1 << 14  # elements from which one operand is packed block by block, when the kernel goes on with it
# The bits of inf, and of the largest numbers of other kinds.
INFINITY = 0x7FF0000000000000
MAX_F32, MAX_BF16, MAX_F16 = 0x47EFFFFFE0000000, 0x47EFE00000000000, 0x40EFFC0000000000
NONE, MASKS, ALL = range(3)  # operands that are brought into the shape of the one that leads


class ForwardPlan(Struct):
    tensors: int  # how many
    numbers: int
    masks: int  # bit i: tensor i is a mask of bools, of any dtype's op
    lead: int  # the number of the first tensor that is none
    gives_bool: int
    takes_number: int  # whether the second tensor may be a number
    chooses: int  # whether one of the first two tensors that are no masks may be a number, of their dtype
    fitting: int  # whether numbers have to be ones that the dtype has
    alike: int  # whether masks have the shape of the other tensors
    computed: int  # bit i: of kind i the op computes what its kernel does, and may run here
    promotes: int  # which operands are converted first: see promotion.py
    converts_bools: int  # whether bools are
    positive: int  # whether of integers only with positive numbers: in the second tensor, in its place, or beside it
    resolver: Object  # finds kernels: see plans.py
    node: RecordPlan  # NULL without one
    differentiable: int  # bit i: tensor i
    refused: int  # bit i: tensor i has no gradient though it might
    name: Object  # of the in-place form
    complexes: int  # whether complex tensors are computed, and may be here: see complexes.py
    gives_real: int  # whether of these it gives real numbers
    complex_resolver: Object
    complex_kernels: Items[int] = capacity(2)  # for either precision
    rows: Dict  # the rows found, NULL where the op does not run by rows
    device: Dict  # the launches found, for tensors of a device
    # For each kind: for tensors, for a number as the second, and for a number or a repeated operand as the
    # first, and as the second, that is no mask; and behind all of them their entries for rows.
    kernels: Items[int] = capacity(2 * KERNELS)


class Prepared(Struct):
    shape: Tuple  # of the tensor that leads
    dtype: DType
    size: int
    lead: Array  # its elements
    first: Array  # those of the first operand
    spreads: int  # which operands are brought into this shape: NONE, MASKS or ALL
    broadcasts: int  # whether one that is no mask has been
    permuted: int  # whether the result is to lie in an order other than that of rows
    order: Order  # that, where it does
    separate: StridedOperand  # where the elements of one operand lie that may be packed later; NULL for none
    into: Array  # the array for them, which the result is to have; NULL where they are not waited for


@native
def begin_prepared(ready: Prepared) -> None:
    """Begin with results in rows, for which every operand is packed before, and masks are brought into their shape."""
    ready.permuted, ready.separate, ready.into = 0, cast(StridedOperand, NULL), cast(Array, NULL)
    ready.spreads, ready.broadcasts = MASKS, 0


@native
def packed(tensor: Tensor, kind: int, position: int, ready: Prepared, owned: Owned) -> Array:
    """A flat array, owned, of the elements of an operand that lies apart, or for them; NULL where it does not fit."""
    now = new(StridedOperand)
    later = ready.separate is not NULL and ready.into is NULL and kind == any_kind_of(ready.dtype)
    strided_operand = ready.separate if later else now
    if ready.permuted:
        flat = ordered(tensor, kind, ready.order, position, ready.size, strided_operand, owned)
    else:
        flat = strided_copy(tensor, kind, strided_operand, owned)
    if flat is NULL:
        return flat
    if later and strided_operand.count >= LATER:
        ready.into = flat
    else:
        pack(strided_operand, flat.memory)
    return flat


@native
def fits(obj: Object, kind: int, dtype: DType, shape: Tuple, size: int) -> bool:
    if not is_tensor(obj):
        return False
    tensor = cast(Tensor, obj)
    return (
        tensor.flat is not none
        and tensor.grad_fn.type is not outdated_type
        and tensor.dtype is (bool_ if kind == BOOL else dtype)
        and same(tensor.shape, shape)
        and elements(tensor.flat) == size  # of the array: rule 3
        and holds_kind(tensor.flat, kind)
    )


@native
def may_broadcast(ready: Prepared, kind: int) -> bool:
    """Of two operands that are no masks, rows may do without."""
    if ready.spreads == ALL and kind != BOOL:
        ready.broadcasts = 1
    return ready.spreads == ALL or (ready.spreads == MASKS and kind == BOOL)


@native
def array_of(obj: Object, kind: int, position: int, ready: Prepared, gathers: bool, owned: Owned) -> Array:
    """The flat array of an operand, owned, or its elements packed; NULL: unfit. `position`: among the tensors."""
    if ready.permuted:
        if not is_tensor(obj) or cast(Tensor, obj).grad_fn.type is outdated_type:
            return cast(Array, NULL)
        if not same(cast(Tensor, obj).shape, ready.shape) and not may_broadcast(ready, kind):
            return cast(Array, NULL)
        return packed(cast(Tensor, obj), kind, position, ready, owned)
    if fits(obj, kind, ready.dtype, ready.shape, ready.size):
        return own(owned, cast(Tensor, obj).flat)
    if not gathers or not is_tensor(obj):
        return cast(Array, NULL)
    tensor = cast(Tensor, obj)
    if tensor.grad_fn.type is outdated_type:
        return cast(Array, NULL)
    if not same(tensor.shape, ready.shape):
        return broadcast_to(tensor, kind, ready.shape, owned) if may_broadcast(ready, kind) else cast(Array, NULL)
    flat = packed(tensor, kind, position, ready, owned)
    return flat if flat is not NULL and elements(flat) == ready.size else cast(Array, NULL)


@native
def note_lead(plan: ForwardPlan, lead: Tensor, ready: Prepared, gathers: bool, owned: Owned) -> bool:
    """Note and own shape and array of the tensor that leads; False where it has to be contiguous and is not."""
    ready.dtype, ready.shape = lead.dtype, own(owned, lead.shape)  # owned: to find a kernel, Python may run
    kind = any_kind_of(lead.dtype)
    if kind < 0 or not plan.computed >> kind & 1 or lead.grad_fn.type is outdated_type:
        return False
    if ready.permuted:
        ready.size = count_of(lead.shape)
        return True
    if lead.flat is not none:
        flat = own(owned, lead.flat)
    else:
        flat = packed(lead, kind, plan.lead, ready, owned) if gathers else cast(Array, NULL)
    if flat is NULL:
        return False
    ready.lead, ready.size = flat, elements(flat)
    return True


@native
def leading(plan: ForwardPlan, arguments: Items[Object]) -> int:
    """The number of the tensor that says of what shape and dtype the others are."""
    may_follow = plan.chooses and plan.lead > 0  # the first argument is a tensor
    return plan.lead + 1 if may_follow and is_constant(arguments[plan.lead]) else plan.lead


@native
def has_number(kind: int, number: Object, word: int) -> bool:
    """Whether a number, of which the bits as float64 are given, is inf, nan, or no larger than what a kind can have."""
    size, max_value = word & MAGNITUDE, MAX_F32
    if is_half(kind):
        max_value = MAX_BF16 if kind == BFLOAT16 else MAX_F16
    if number.type is int_type and max_value > EXACT:
        max_value = EXACT  # larger ones may have been rounded to what just fits
    return kind == DOUBLE or size <= max_value or size >= INFINITY


@native
def put_number(plan: ForwardPlan, kind: int, frame: CallFrame, position: int, number: Object) -> bool:
    """An op that gives bools of bools, whatever its number is, is given 1 for True, 0 for False."""
    if kind == BOOL and plan.fitting and plan.promotes == NOTHING:
        if number is true or number is false:
            frame.numbers[position] = bits(1.0 if number is true else 0.0)
            return True
        return put_object(frame, position, number)
    return put_object(frame, position, number) and is_exact(kind, number, frame.numbers[position])


@native
def stands_for_tensor(plan: ForwardPlan, i: int, kind: int, frame: CallFrame, obj: Object) -> bool:
    """Put the number in the place of a tensor into the frame, as the kernel takes it; False where there may be none."""
    if plan.takes_number:
        fit = i == 1 and put_object(frame, 0, obj) and is_exact(kind, obj, frame.numbers[0])
        return fit and (not is_integral(kind) or not plan.positive or frame.numbers[0] > 0)
    if kind >= FLOATS or not plan.chooses or plan.masks >> i & 1 or not put_object(frame, 0, obj):
        return False
    if not has_number(kind, obj, frame.numbers[0]):
        return False
    if kind != DOUBLE:
        value = cast(Float, obj).value if obj.type is float_type else c.as_double(obj)
        frame.numbers[0] = single_bits(value)
    return True


@native
def is_broadcast(plan: ForwardPlan, i: int, kind: int, obj: Object) -> bool:
    may_be_one = (plan.takes_number != 0 and i == 1) or (plan.chooses != 0 and plan.masks >> i & 1 == 0)
    fits = kind >= FLOATS and plan.positive == 0 and (plan.computed >> BOOL & 1 == 1 or not is_bool(obj))
    return may_be_one and fits and is_constant(obj)


@native
def are_allowed(plan: ForwardPlan, frame: CallFrame, variant: int, size: int, kind: int) -> bool:
    for i in range(plan.numbers):
        if frame.numbers[int(variant > 0) + i] <= 0:  # the bits of floats that are no more are no more either
            return False
    return plan.tensors < 2 or variant == 1 or are_positive(frame.memory[1], size, kind)


@native
def prepared(
    plan: ForwardPlan, arguments: Items[Object], frame: CallFrame, ready: Prepared, gathers: bool, owned: Owned
) -> int:
    """The operands are owned; gives the number of their kernel, or UNFIT. `gathers`: pack strided tensors."""
    lead, arrays, variant = leading(plan, arguments), 0, 0
    obj = arguments[lead]
    if not is_tensor(obj) or not note_lead(plan, cast(Tensor, obj), ready, gathers, owned):
        return UNFIT
    kernel = any_kind_of(ready.dtype)
    if plan.alike:
        ready.spreads = NONE
    for i in range(plan.tensors):
        kind = BOOL if plan.masks >> i & 1 else kernel
        leads = i == lead and not ready.permuted and cast(Tensor, obj).flat is none
        flat = ready.lead if leads else array_of(arguments[i], kind, arrays, ready, gathers, owned)
        if flat is not NULL:
            put_array(frame, arrays, flat.memory, itemsize(kind))
            arrays += 1
        elif variant == 0 and stands_for_tensor(plan, i, kernel, frame, arguments[i]):
            variant = 1 if plan.takes_number else 2 + i - plan.lead
        elif gathers and is_broadcast(plan, i, kernel, arguments[i]):
            flat = constant_array(kernel, arguments[i], ready.size, owned)
            if flat is NULL:
                return UNFIT
            put_array(frame, arrays, flat.memory, itemsize(kernel))
            arrays += 1
        else:
            return UNFIT
        if i == 0:
            ready.first = flat
    for i in range(plan.numbers):
        number, position = arguments[plan.tensors + i], int(variant > 0) + i
        if not put_number(plan, kernel, frame, position, number):
            return UNFIT
        if plan.fitting and not has_number(kernel, number, frame.numbers[position]):
            return UNFIT
    if is_integral(kernel) and plan.positive and not are_allowed(plan, frame, variant, ready.size, kernel):
        return UNFIT
    return kernel + KINDS * variant


@native
def needs_graph(plan: ForwardPlan, arguments: Items[Object]) -> int:
    """Whether the op is recorded: a tensor requires grad, and the thread records; -1 where an error is set."""
    for i in range(plan.tensors):
        if (
            plan.differentiable >> i & 1
            and not is_constant(arguments[i])
            and cast(Tensor, arguments[i]).requires_grad is true
        ):
            return records()
    return 0


@native
def asks_refused(plan: ForwardPlan, arguments: Items[Object]) -> bool:
    for i in range(plan.tensors):
        if (
            plan.refused >> i & 1
            and is_tensor_anywhere(arguments[i])
            and cast(Tensor, arguments[i]).requires_grad is true
        ):
            return True
    return False


@native
def is_on_other_device(obj: Object) -> bool:
    return is_tensor_anywhere(obj) and cast(Tensor, obj).device is not cpu


@native
def on_device(function: int, plan: int, arguments: Items[Object]) -> New[Object]:
    return not_handled() if function == 0 else cast(Object, call_native(function, plan, address_of(arguments), 0))


@native
def promoted(plan: ForwardPlan, arguments: Items[Object], value: Arguments, owned: Owned) -> bool:
    """Note the arguments, tensors converted to the dtype of the result; False as `brought_to`."""
    kind = kind_of_result(plan.promotes, plan.tensors, plan.masks, arguments) if plan.promotes else UNKNOWN
    if kind < 0 or not plan.computed >> kind & 1:
        return False
    for i in range(plan.tensors + plan.numbers):
        value.items[i] = arguments[i]
    return brought_to(kind, plan.tensors, plan.masks, plan.converts_bools, value.items, owned)
