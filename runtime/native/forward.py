"""An element-wise op on tensors of one shape and native dtype, and numbers: launch.

Tensors are contiguous, or small: then those whose elements lie apart are copied (apart.py).
"""

from __future__ import annotations

from ..kernels.llvm.element_kinds import BFLOAT16, BOOL, FLOATS, INTEGERS, KINDS, is_half, itemsize
from ..kernels.llvm.kernel_calls import CallFrame, call_native, put_array
from ..kernels.llvm.memory import single_bits
from ..kernels.llvm.structs import Items, Struct, room
from ..kernels.llvm.typed import NULL, New, address_of, cast, native, new
from . import c_functions as c
from .apart import count_of, spread, together
from .broadcast import broadcast
from .graph.recording import RecordPlan, record
from .interned import bool_, cpu, device_functions, float_type, int_type, none, outdated_type, true
from .kernel_calls import EXACT, MAGNITUDE, Arguments, Size, found_kernel, is_exact, put_object, run_kernel
from .layout import Array, Dict, DType, Float, Object, Tensor, Tuple
from .order import Order, begin_order, in_order, note_steps, ordered, sort_order
from .promotion import UNKNOWN, brought_to, kind_of_result
from .references import Owned, begin, own, release_all
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
    withdrawn,
)

KERNELS = 4 * KINDS
UNFIT, DOUBLE = -1, 1
# The bits of inf, and of the largest numbers of other kinds.
INFINITY = 0x7FF0000000000000
MOST_SINGLE, MOST_BFLOAT16, MOST_FLOAT16 = 0x47EFFFFFE0000000, 0x47EFE00000000000, 0x40EFFC0000000000


class ForwardPlan(Struct):
    """The plan of an element-wise op."""

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
    positive: int  # whether of int64 only with a positive number in the place of the second tensor
    resolver: Object  # finds kernels: see plans.py
    node: RecordPlan  # NULL without one
    differentiable: int  # bit i: tensor i
    name: Object  # of the in-place form
    rows: Dict  # the rows found, NULL where the op does not run by rows
    device: Dict  # the launches found, for tensors of a device
    # For each kind: for tensors, for a number as the second, and for a number or a repeated operand as the
    # first, and as the second, that is no mask.
    kernels: Items[int] = room(KERNELS)


class Prepared(Struct):
    """What `prepared` has found, all of it owned."""

    shape: Tuple  # of the tensor that leads
    dtype: DType
    size: int
    lead: Array  # its elements
    first: Array  # those of the first operand
    spreads: int  # whether masks are brought into this shape
    turned: int  # whether the result is to lie in an order other than that of rows
    order: Order  # that, where it does


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
def array_of(thing: Object, kind: int, place: int, ready: Prepared, gathers: bool, owned: Owned) -> Array:
    """The flat array of an operand, owned, or one of its elements brought together; NULL where it does not fit.

    `place` is its number among the tensors, of those that are none.
    """
    if ready.turned:
        if not is_tensor(thing) or cast(Tensor, thing).fn.type is outdated_type:
            return cast(Array, NULL)
        if not same(cast(Tensor, thing).shape, ready.shape) and not (ready.spreads and kind == BOOL):
            return cast(Array, NULL)
        return ordered(cast(Tensor, thing), kind, ready.order, place, ready.size, owned)
    if fits(thing, kind, ready.dtype, ready.shape, ready.size):
        return own(owned, cast(Tensor, thing).flat)
    if not gathers or not is_tensor(thing):
        return cast(Array, NULL)
    tensor = cast(Tensor, thing)
    if tensor.fn.type is outdated_type:
        return cast(Array, NULL)
    if not same(tensor.shape, ready.shape):
        return spread(tensor, kind, ready.shape, owned) if ready.spreads and kind == BOOL else cast(Array, NULL)
    flat = together(tensor, kind, owned)
    return flat if flat is not NULL and elements(flat) == ready.size else cast(Array, NULL)


@native
def note_lead(plan: ForwardPlan, lead: Tensor, ready: Prepared, gathers: bool, owned: Owned) -> bool:
    """Note and own shape and array of the tensor that leads; False where it has to be contiguous and is not."""
    ready.dtype, ready.shape = lead.dtype, own(owned, lead.shape)  # owned: to find a kernel, Python may run
    kind = kind_of(lead.dtype)
    if kind < 0 or not plan.computed >> kind & 1 or lead.fn.type is outdated_type:
        return False
    if ready.turned:
        ready.size = count_of(lead.shape)
        return True
    if lead.flat is not none:
        flat = own(owned, lead.flat)
    else:
        flat = together(lead, kind, owned) if gathers else cast(Array, NULL)
    if flat is NULL:
        return False
    ready.lead, ready.size = flat, elements(flat)
    return True


@native
def is_number(thing: Object) -> bool:
    """Whether an operand is a number of Python's."""
    return thing.type is float_type or thing.type is int_type


@native
def leading(plan: ForwardPlan, arguments: Items[Object]) -> int:
    """The number of the tensor that says of what shape and dtype the others are."""
    may_follow = plan.chooses and plan.lead > 0  # the first argument is a tensor
    return plan.lead + 1 if may_follow and is_number(arguments[plan.lead]) else plan.lead


@native
def has_number(kind: int, number: Object, word: int) -> bool:
    """Whether a number, of which the bits as float64 are given, is inf, nan, or no larger than what a kind can have."""
    size, most = word & MAGNITUDE, MOST_SINGLE
    if is_half(kind):
        most = MOST_BFLOAT16 if kind == BFLOAT16 else MOST_FLOAT16
    if number.type is int_type and most > EXACT:
        most = EXACT  # larger ones may have been rounded to what just fits
    return kind == DOUBLE or size <= most or size >= INFINITY


@native
def stands_for_tensor(plan: ForwardPlan, i: int, kind: int, frame: CallFrame, thing: Object) -> bool:
    """Put the number in the place of a tensor into the frame, as the kernel takes it; False where there may be none."""
    if plan.takes_number:
        fit = i == 1 and put_object(frame, 0, thing) and is_exact(kind, thing, frame.numbers[0])
        return fit and (kind != INTEGERS or not plan.positive or frame.numbers[0] > 0)
    if kind >= FLOATS or not plan.chooses or plan.masks >> i & 1 or not put_object(frame, 0, thing):
        return False
    if not has_number(kind, thing, frame.numbers[0]):
        return False
    if kind != DOUBLE:
        value = cast(Float, thing).value if thing.type is float_type else c.as_double(thing)
        frame.numbers[0] = single_bits(value)
    return True


@native
def prepared(
    plan: ForwardPlan, arguments: Items[Object], frame: CallFrame, ready: Prepared, gathers: bool, owned: Owned
) -> int:
    """Put the operands into the frame, and own them; gives the number of the kernel that takes them, or UNFIT.

    `gathers`: small tensors whose elements lie apart are copied.
    """
    lead, arrays, variant = leading(plan, arguments), 0, 0
    thing = arguments[lead]
    if not is_tensor(thing) or not note_lead(plan, cast(Tensor, thing), ready, gathers, owned):
        return UNFIT
    kernel, ready.spreads = kind_of(ready.dtype), int(plan.alike == 0)
    for i in range(plan.tensors):
        kind = BOOL if plan.masks >> i & 1 else kernel
        leads = i == lead and not ready.turned and cast(Tensor, thing).flat is none
        flat = ready.lead if leads else array_of(arguments[i], kind, arrays, ready, gathers, owned)
        if flat is not NULL:
            put_array(frame, arrays, flat.memory, itemsize(kind))
            arrays += 1
        elif variant == 0 and stands_for_tensor(plan, i, kernel, frame, arguments[i]):
            variant = 1 if plan.takes_number else 2 + i - plan.lead
        else:
            return UNFIT
        if i == 0:
            ready.first = flat
    for i in range(plan.numbers):
        number, place = arguments[plan.tensors + i], int(variant > 0) + i
        if not put_object(frame, place, number) or not is_exact(kernel, number, frame.numbers[place]):
            return UNFIT
        if plan.fitting and not has_number(kernel, number, frame.numbers[place]):
            return UNFIT
    if kernel == INTEGERS and plan.positive and variant != 1:
        return UNFIT
    return kernel + KINDS * variant


@native
def needs_graph(plan: ForwardPlan, arguments: Items[Object]) -> int:
    """Whether the op is recorded: a tensor requires grad, and the thread records; -1 where an error is set."""
    for i in range(plan.tensors):
        if plan.differentiable >> i & 1 and not is_number(arguments[i]) and cast(Tensor, arguments[i]).rg is true:
            return records()
    return 0


@native
def launch_rows(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The result, recorded, for two tensors that broadcast or lie apart in memory, row by row; None as `launch`."""
    computed = plan.computed & ~(1 << INTEGERS) if plan.positive else plan.computed
    result = broadcast(
        plan.rows, plan.kernels, plan.resolver, plan.numbers, plan.gives_bool, computed, arguments, owned
    )
    if result is NULL or result is none:
        return result
    recorded = needs_graph(plan, arguments)
    if recorded < 0 or (recorded and not record(plan.node, result, arguments, False, True, owned)):
        return withdrawn(result)
    return result


@native
def launch_flat(
    plan: ForwardPlan, arguments: Items[Object], number: int, frame: CallFrame, ready: Prepared, owned: Owned
) -> New[Object]:
    """The result, recorded, for operands that are prepared."""
    kernel = found_kernel(plan.kernels, number, plan.resolver)
    recorded = needs_graph(plan, arguments)
    if kernel == 0 or recorded < 0:
        return NULL
    kind, size = BOOL if plan.gives_bool else number % KINDS, ready.size
    flat = new_flat(new(Size).items, size, kind)
    if flat is NULL:
        return NULL
    arrays = plan.tensors - int(number >= KINDS)
    put_array(frame, arrays, flat.memory, itemsize(kind))
    # May release the GIL: all arrays are owned, and the result is known to nobody.
    run_kernel(kernel, arrays + 1, size, frame)
    result = new_tensor(flat, ready.shape, dtype_of(kind))
    if result is not NULL and ready.turned and not in_order(result, ready.order):
        return withdrawn(result)
    if result is not NULL and recorded and not record(plan.node, result, arguments, number >= KINDS, False, owned):
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
def lie_in_order(plan: ForwardPlan, arguments: Items[Object], order: Order) -> bool:
    """Find the order in memory of a result; whether it is another than that of rows."""
    thing = arguments[leading(plan, arguments)]
    if not is_tensor(thing) or not begin_order(cast(Tensor, thing).shape, order):
        return False
    for i in range(plan.tensors):
        if is_tensor(arguments[i]) and not note_steps(cast(Tensor, arguments[i]), order):
            return False
    return sort_order(order)


@native
def launch_gathered(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The result, recorded, for small tensors of which some lie apart in memory; None as `launch`."""
    release_all(owned)
    begin(owned)
    frame, ready = new(CallFrame), new(Prepared)
    ready.order = new(Order)
    ready.turned = int(lie_in_order(plan, arguments, ready.order))
    number = prepared(plan, arguments, frame, ready, True, owned)
    return launch_flat(plan, arguments, number, frame, ready, owned) if number != UNFIT else not_handled()


@native
def launch_apart(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The result, recorded, for operands that broadcast, or of which some lie apart in memory; None as `launch`."""
    result = launch_rows(plan, arguments, owned) if plan.rows is not NULL else not_handled()
    if result is not none:
        return result
    c.release(result)
    return launch_gathered(plan, arguments, owned)


@native
def launch_alike(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The result, recorded, for operands of one dtype; None as `launch`."""
    frame, ready = new(CallFrame), new(Prepared)
    ready.turned = 0
    number = prepared(plan, arguments, frame, ready, False, owned)
    if number != UNFIT:
        return launch_flat(plan, arguments, number, frame, ready, owned)
    return launch_apart(plan, arguments, owned)


@native
def launch_promoted(plan: ForwardPlan, arguments: Items[Object]) -> New[Object]:
    """The result, recorded, for operands some of which are converted to the dtype of the others; None as `launch`."""
    kind = kind_of_result(plan.promotes, plan.tensors, plan.masks, arguments) if plan.promotes else UNKNOWN
    if kind < 0 or not plan.computed >> kind & 1:
        return not_handled()
    given, converted, owned = new(Arguments), new(Owned), new(Owned)
    for i in range(plan.tensors + plan.numbers):
        given.items[i] = arguments[i]
    begin(converted)
    begin(owned)
    if brought_to(kind, plan.tensors, plan.masks, plan.converts_bools, given.items, converted):
        result = launch_alike(plan, given.items, owned)
    else:
        result = not_handled() if c.error_set() is NULL else cast(Object, NULL)
    release_all(owned)
    release_all(converted)
    return result


@native
def launch(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The result of the op, recorded; None where the operands are for the general path."""
    plan, frame, ready, owned = cast(ForwardPlan, self.memory), new(CallFrame), new(Prepared), new(Owned)
    ready.turned = 0
    begin(owned)
    number = prepared(plan, arguments, frame, ready, False, owned)
    if number != UNFIT:
        result = launch_flat(plan, arguments, number, frame, ready, owned)
    elif lies_elsewhere(arguments[plan.lead]):
        result = on_device(device_functions.launch, self, arguments, count)
    else:
        result = launch_apart(plan, arguments, owned)
        if result is none:
            c.release(result)
            result = launch_promoted(plan, arguments)
    release_all(owned)
    return result
