"""Ops with kernels of their own: the plan for the layouts and arguments of a call is looked up, and run."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import BFLOAT16, INT32, INTEGERS, bits, is_complex, is_half, is_integral, load
from ...compiler.language.memory import BOOL as BOOLS
from ...compiler.language.structs import Items, Struct, capacity
from ...device.threads.scheduler import smaller
from ..elementwise.broadcast import has_layout
from ..elementwise.operands import is_on_other_device, on_device
from ..objects import c_api as c
from ..objects import interned
from ..objects.interned import bool_, cpu, float_type, int32, int_type, list_type, none, true, tuple_type
from ..objects.kernel_call import Arguments
from ..objects.layout import Array, Dict, DType, Float, List, Object, Tensor, Tuple
from ..objects.record import RecordPlan, record
from ..objects.references import Owned, item, own, own_new, owning, put_item, retain, size
from ..objects.tensors import (
    is_int_or_ints,
    is_tensor,
    is_tensor_anywhere,
    kind_of_number,
    not_handled,
    records,
    refused,
    withdrawn,
)
from .general import MAX_OPERANDS, CallPlan, Operands, note_none, note_operand, run_plan

TENSOR, OPTIONAL, INDEX, RAW, LIST, INDICES, INT, BOOL, DIMS, STRING = (ord(arg_kind) for arg_kind in "TOIRLJnbds")
TENSORS = (TENSOR, OPTIONAL, INDEX, RAW)
NULLABLE = (OPTIONAL, RAW)
KEEPING = (INDEX, RAW)  # their dtypes
MAX_INDICES = 4  # in a list
MINUS_ZERO = -(2**63)  # the bits of -0.0


class KernelOpPlan(Struct):
    cached: Dict  # the plans found, or NULL: there are none on the host
    cached_bfloat16: Dict  # those for this dtype
    cached_float16: Dict
    cached_bool: Dict
    cached_integer: Dict  # those for integers
    cached_complex: Dict  # or NULL: it does not take complex numbers
    ranks: int  # the address of a word with the pairs of ranks for which plans have been looked for, or -1 for all
    name: Object  # of the in-place form
    device: Dict  # by dtypes, what is launched for tensors of a device
    node: RecordPlan  # or NULL
    outputs: int
    differentiable: int  # bit i: operand i
    refused: int  # bit i: operand i has no gradient, and may not require one
    moves: int  # whether it writes elements of the second operand over those of the first
    tensors: int  # how many of the operands
    recorded: int  # how many arguments the node is made of
    operands: int  # how many, and a letter for each: see KernelOp
    arg_kinds: Items[int] = capacity(MAX_OPERANDS)


@native
def put_layout(key: Tuple, index: int, obj: Object) -> None:
    tensor, there = cast(Tensor, obj), obj is not none
    put_item(key, index, retain(tensor.shape if there else none))
    put_item(key, index + 1, retain(tensor.strides if there else none))


@native
def may_be_key(value: Object) -> bool:
    """Whether a value is told apart by a key: -0.0 is equal to 0.0."""
    return value.type is not float_type or bits(cast(Float, value).value) != MINUS_ZERO


@native
def takes(arg_kind: int, argument: Object) -> bool:
    """What is equal to a value of the type will not do."""
    kind = argument.type
    if argument is none:
        return True
    if arg_kind == INT:
        return kind is int_type
    if arg_kind == BOOL:
        return argument is true or argument is interned.false
    if arg_kind == STRING:
        return kind is interned.str_type
    if arg_kind == DIMS:
        return is_int_or_ints(argument)
    return kind is int_type or (kind is float_type and may_be_key(argument))


@native
def is_index(tensor: Tensor, position: Object) -> bool:
    """Whether a tensor has indices of int64, or, contiguous on the host, of int32, or is such a mask of bools."""
    if tensor.dtype is interned.int64:
        return True
    return position is cpu and tensor.strides is none and (tensor.dtype is int32 or tensor.dtype is bool_)


@native
def is_operand(obj: Object, arg_kind: int, dtype: Object, position: Object) -> bool:
    """Indices are int64, others of one dtype (NULL: not known yet), but for those that may have any."""
    if not is_tensor_anywhere(obj) or cast(Tensor, obj).device is not position:
        return False
    if cast(Tensor, obj).grad_fn.type is interned.outdated_type:
        return False
    own_dtype = cast(Tensor, obj).dtype
    if arg_kind == INDEX:
        return is_index(cast(Tensor, obj), position)
    return own_dtype is dtype or dtype is NULL or arg_kind == RAW


@native
def dtype_of_all(tensors: Tuple, position: Object) -> DType:
    count, dtype = size(tensors), cast(DType, NULL)
    if count < 1 or count > MAX_OPERANDS:
        return NULL
    for i in range(count):
        if not is_operand(item(tensors, i), TENSOR, dtype, position):
            return NULL
        dtype = cast(Tensor, item(tensors, i)).dtype
    return dtype


@native
def are_indices(indices: Tuple, position: Object) -> bool:
    count = size(indices)
    if count < 1 or count > MAX_INDICES or position is not cpu:
        return False
    for i in range(count):
        index = item(indices, i)
        if index is not none and not is_operand(index, INDEX, NULL, position):
            return False
    return True


@native
def common_dtype(plan: KernelOpPlan, value: Arguments, position: Object) -> DType:
    """The dtype of the operands, which lie on one device, a native one on the host; NULL where one does not fit."""
    dtype = cast(DType, NULL)
    for i in range(plan.operands):
        arg_kind, argument = plan.arg_kinds[i], value.items[i]
        if argument is none and arg_kind in NULLABLE:
            continue
        if arg_kind == LIST:
            dtype = dtype_of_all(cast(Tuple, argument), position)
            if dtype is NULL:
                return NULL
        elif arg_kind == INDICES:
            if not are_indices(cast(Tuple, argument), position):
                return NULL
        elif arg_kind in TENSORS:
            if not is_operand(argument, arg_kind, dtype, position):
                return NULL
            tensor = cast(Tensor, argument)
            if plan.refused >> i & 1 and tensor.requires_grad is true:
                return NULL
            if arg_kind != INDEX and arg_kind != RAW:
                dtype = tensor.dtype
        elif not takes(arg_kind, argument):
            return NULL
    kind = kind_of_number(dtype)
    known = kind >= 0 and (not is_complex(kind) or plan.cached_complex is not NULL)
    fits = position is not cpu or known  # what is launched on a device is looked up by the dtype
    return dtype if dtype is not NULL and fits else cast(DType, NULL)


@native
def leading_of(plan: KernelOpPlan, arguments: Items[Object]) -> Object:
    """The first argument, or the first item of the list that it is, borrowed."""
    first = arguments[0]
    if plan.arg_kinds[0] != LIST:
        return first
    if first.type is list_type and c.list_size(cast(List, first)) > 0:
        return c.list_item(cast(List, first), 0)
    return item(cast(Tuple, first), 0) if first.type is tuple_type and size(cast(Tuple, first)) > 0 else first


@native
def items_of(value: Arguments) -> Tuple:
    return cast(Tuple, value.items[0])


@native
def listed_operands(plan: KernelOpPlan, value: Arguments) -> int:
    return size(items_of(value)) if plan.arg_kinds[0] == LIST else 0


@native
def is_integer_index(index: Object) -> bool:
    if index is none or cast(Tensor, index).device is not cpu or cast(Tensor, index).strides is not none:
        return False
    return cast(Tensor, index).dtype is bool_ or cast(Tensor, index).dtype is int32


@native
def put_index(key: Tuple, at: int, index: Object) -> None:
    """A mask, or an index of int32, has its dtype in the place of the strides, as it is contiguous."""
    if is_integer_index(index):
        put_item(key, at, retain(cast(Tensor, index).shape))
        put_item(key, at + 1, retain(cast(Tensor, index).dtype))
    else:
        put_layout(key, at, index)


@native
def put_layouts(key: Tuple, position: int, tensors: Tuple) -> int:
    for i in range(size(tensors)):
        put_index(key, position + 2 * i, item(tensors, i))
    return position + 2 * size(tensors)


@native
def key_of(plan: KernelOpPlan, value: Arguments) -> New[Tuple]:
    listed, position, length = listed_operands(plan, value), 0, plan.operands + plan.tensors
    for i in range(plan.operands):
        if plan.arg_kinds[i] == LIST or plan.arg_kinds[i] == INDICES:
            length += 2 * size(cast(Tuple, value.items[i])) - 1
    key = c.new_tuple(length)
    if key is NULL:
        return NULL
    for i in range(plan.operands):
        arg_kind, argument = plan.arg_kinds[i], value.items[i]
        if arg_kind == LIST:
            for j in range(listed):
                put_layout(key, position + 2 * j, item(items_of(value), j))
            position += 2 * listed
        elif arg_kind == INDICES:
            position = put_layouts(key, position, cast(Tuple, argument))
        elif arg_kind in TENSORS:
            if arg_kind in KEEPING:
                put_index(key, position, argument)
            else:
                put_layout(key, position, argument)
            position += 2
        else:
            put_item(key, position, retain(argument))
            position += 1
    return key


@native
def note_index(
    calls: CallPlan, operands: Operands, number: int, index: Object, key: Tuple, at: int, owned: Owned
) -> bool:
    """Note and own the memory of an index, or a mask; False where it has another layout than stands in the key."""
    if index is none:
        note_none(operands, number, INTEGERS)
        return True
    tensor, expected_layout = cast(Tensor, index), item(key, at + 1)
    if expected_layout is not bool_ and expected_layout is not int32:
        return has_layout(tensor, key, at) and note_operand(calls, operands, number, tensor, INTEGERS, owned)
    fits = tensor.shape is item(key, at) and tensor.flat is not none
    return fits and note_operand(calls, operands, number, tensor, BOOLS if expected_layout is bool_ else INT32, owned)


@native
def note_indices(
    calls: CallPlan, operands: Operands, first: int, indices: Tuple, key: Tuple, position: int, owned: Owned
) -> bool:
    for i in range(size(indices)):
        if not note_index(calls, operands, first + i, item(indices, i), key, position + 2 * i, owned):
            return False
    return True


@native
def note_operands(
    plan: KernelOpPlan, value: Arguments, kind: int, key: Tuple, result: Tuple, operands: Operands, owned: Owned
) -> bool:
    """Note and own the memory of all operands; False where one no longer has the layout that stands in the key."""
    calls, position = cast(CallPlan, cast(Array, item(result, 0)).memory), 0
    for j in range(listed_operands(plan, value)):
        tensor = cast(Tensor, item(items_of(value), j))
        if not has_layout(tensor, key, 2 * j) or not note_operand(calls, operands, j, tensor, kind, owned):
            return False
        position += 2
    for i in range(plan.operands):
        arg_kind, argument = plan.arg_kinds[i], value.items[i]
        if arg_kind in TENSORS:
            tensor = cast(Tensor, argument)
            if arg_kind in KEEPING:
                if not note_index(calls, operands, i, argument, key, position, owned):
                    return False
            elif argument is none:
                note_none(operands, i, kind)
            elif not has_layout(tensor, key, position) or not note_operand(calls, operands, i, tensor, kind, owned):
                return False
            position += 2
        elif arg_kind == INDICES:
            indices, first = cast(Tuple, argument), plan.operands - 1  # behind all tensors
            if not note_indices(calls, operands, first, indices, key, position, owned):
                return False
            position += 2 * size(indices)
        elif arg_kind != LIST:
            position += 1
    return True


@native
def looked_up(plans: Dict, key: Tuple) -> Tuple:
    """The plan for a key, borrowed; NULL where there is none."""
    result = c.dict_item(plans, key)
    c.clear_error()  # of a key that cannot be one
    return cast(Tuple, NULL if result is none else result)


@native
def recorded(plan: KernelOpPlan, match: Tuple, behind: int, result: Object, value: Arguments, owned: Owned) -> bool:
    """Put the result into the graph if it belongs there; False: an error is set. `match[behind:]`: as checked."""
    needs = False
    for j in range(listed_operands(plan, value)):
        needs = needs or cast(Tensor, item(items_of(value), j)).requires_grad is true
    for i in range(plan.operands):
        arg_kind, argument = plan.arg_kinds[i], value.items[i]
        if arg_kind in TENSORS and argument is not none and plan.differentiable >> i & 1:
            needs = needs or cast(Tensor, argument).requires_grad is true
    for i in range(plan.recorded):
        arg_kind = plan.arg_kinds[i]
        if arg_kind not in TENSORS and arg_kind != LIST and arg_kind != INDICES:
            value.items[i] = item(match, behind + i)
    state = records() if needs and plan.node is not NULL else 0
    return state == 0 or (state == 1 and record(plan.node, result, value.items, False, False, owned))


@native
def take_arguments(plan: KernelOpPlan, arguments: Items[Object], value: Arguments, owned: Owned) -> bool:
    """Write down the arguments, of a list or Size its items as they are now in a tuple; False where that fails."""
    for i in range(plan.operands):
        value.items[i] = arguments[i]
        listed = plan.arg_kinds[i] == LIST or plan.arg_kinds[i] == INDICES
        if not listed and plan.arg_kinds[i] != DIMS:
            continue
        if arguments[i].type is list_type:
            value.items[i] = own_new(owned, c.as_tuple(cast(List, arguments[i])))
        elif listed and arguments[i].type is not tuple_type:
            return False
        elif arguments[i].type is interned.size_type:  # all of it as a plain tuple
            sizes = cast(Tuple, arguments[i])
            value.items[i] = own_new(owned, c.part_of_tuple(sizes, 0, size(sizes)))
        if value.items[i] is NULL:
            return False
    return True


@native
def table_for(native: Dict, bfloat16: Dict, float16: Dict, kind: int) -> Dict:
    if is_half(kind):
        return bfloat16 if kind == BFLOAT16 else float16
    return native


@native
def plans_for(plan: KernelOpPlan, kind: int) -> Dict:
    if kind == BOOLS:
        return plan.cached_bool
    if is_integral(kind):
        return plan.cached_integer
    return table_for(plan.cached, plan.cached_bfloat16, plan.cached_float16, kind)


@native
def may_be_cached(ranks: int, arguments: Items[Object]) -> bool:
    """Whether plans have been looked for with first operands of so many dimensions (`pair_of_ranks`)."""
    if ranks == -1:
        return True
    if not is_tensor(arguments[0]) or not is_tensor(arguments[1]):
        return False
    first, second = size(cast(Tensor, arguments[0]).shape), size(cast(Tensor, arguments[1]).shape)
    return ranks >> (8 * smaller(first, 7) + smaller(second, 7)) & 1 == 1


@native
def launch_plan(plan: KernelOpPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    arg, operands = new(Arguments), new(Operands)
    accepted = take_arguments(plan, arguments, arg, owned)
    dtype = common_dtype(plan, arg, cpu) if accepted else cast(DType, NULL)
    if dtype is NULL:
        return refused()
    key = own_new(owned, key_of(plan, arg))
    if key is NULL:
        return NULL
    kind = kind_of_number(dtype)
    value = looked_up(plan.cached_complex if is_complex(kind) else plans_for(plan, kind), key)
    if value is NULL:
        return not_handled()
    own(owned, value)  # which the table may forget
    if not note_operands(plan, arg, kind, key, value, operands, owned):
        return not_handled()
    results = own_new(owned, run_plan(value, plan.outputs, kind, operands))
    if results is NULL:
        return refused()
    result = retain(item(results, 0) if plan.outputs == 1 else results)
    behind = 1 + cast(CallPlan, cast(Array, item(value, 0)).memory).results
    if not recorded(plan, value, behind, result, arg, owned):
        return withdrawn(result)
    return result


@owning(KernelOpPlan)
def launch(plan: KernelOpPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    if is_on_other_device(leading_of(plan, arguments)):
        return on_device(interned.device_functions.launch_kernel_op, address_of(plan), arguments)
    if plan.cached is NULL or not may_be_cached(load(plan.ranks, 0), arguments):
        return not_handled()
    return launch_plan(plan, arguments, owned)
