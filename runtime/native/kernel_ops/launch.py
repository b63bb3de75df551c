"""Ops with kernels of their own: the plan for the layouts and arguments of a call is looked up, and run."""

from __future__ import annotations

from ...kernels.llvm.native_code.element_kinds import BFLOAT16, INT32, INTEGERS, is_complex, is_half, is_whole
from ...kernels.llvm.native_code.element_kinds import BOOL as BOOLS
from ...kernels.llvm.native_code.memory import bits, load
from ...kernels.llvm.native_code.structs import Items, Struct, room
from ...kernels.llvm.native_code.typed import NULL, New, cast, native, new
from ...pool.scheduler import smaller
from .. import c_functions as c
from ..elementwise.broadcast import has_layout
from ..elementwise.forward import lies_elsewhere, on_device
from ..graph.recording import RecordPlan, record
from ..interned import (
    bool_,
    cpu,
    device_functions,
    false,
    float_type,
    int32,
    int64,
    int_type,
    list_type,
    none,
    outdated_type,
    size_type,
    text_type,
    true,
    tuple_type,
)
from ..kernel_calls import Arguments
from ..layout import Array, Dict, DType, Float, List, Object, Tensor, Tuple
from ..references import Owned, begin, item, own, own_new, put_item, release_all, retain, size
from ..tensors import is_int_or_ints, is_tensor, is_tensor_anywhere, kind_of_number, not_handled, records, withdrawn
from .calls import MOST_OPERANDS, CallPlan, Operands, note_none, note_operand, run_plan

TENSOR, OPTIONAL, INDEX, RAW, LIST, INDICES, INT, BOOL, DIMS, TEXT = (ord(letter) for letter in "TOIRLJnbds")
TENSORS = (TENSOR, OPTIONAL, INDEX, RAW)
NULLABLE = (OPTIONAL, RAW)
KEEPING = (INDEX, RAW)  # their dtypes
MOST_INDICES = 4  # in a list
MINUS_ZERO = -(2**63)  # the bits of -0.0


class KernelOpPlan(Struct):
    found: Dict  # the plans found, or NULL: there are none on the host
    found_bfloat16: Dict  # those for this dtype
    found_float16: Dict
    found_bool: Dict
    found_whole: Dict  # those for integers
    found_complex: Dict  # or NULL: it does not take complex numbers
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
    letters: Items[int] = room(MOST_OPERANDS)


@native
def put_layout(key: Tuple, index: int, thing: Object) -> None:
    """Make shape and strides of a tensor, or None twice for None, parts of a key."""
    tensor, there = cast(Tensor, thing), thing is not none
    put_item(key, index, retain(tensor.shape if there else none))
    put_item(key, index + 1, retain(tensor.strides if there else none))


@native
def may_be_key(value: Object) -> bool:
    """Whether a value is told apart by a key: -0.0 is equal to 0.0."""
    return value.type is not float_type or bits(cast(Float, value).value) != MINUS_ZERO


@native
def takes(letter: int, argument: Object) -> bool:
    """Whether an argument that is no tensor has the type that a letter stands for: what is equal to it will not do."""
    kind = argument.type
    if argument is none:
        return True
    if letter == INT:
        return kind is int_type
    if letter == BOOL:
        return argument is true or argument is false
    if letter == TEXT:
        return kind is text_type
    if letter == DIMS:
        return is_int_or_ints(argument)
    return kind is int_type or (kind is float_type and may_be_key(argument))


@native
def is_index(tensor: Tensor, place: Object) -> bool:
    """Whether a tensor has indices of int64, or, contiguous on the host, of int32, or is such a mask of bools."""
    if tensor.dtype is int64:
        return True
    return place is cpu and tensor.strides is none and (tensor.dtype is int32 or tensor.dtype is bool_)


@native
def is_operand(thing: Object, letter: int, dtype: Object, place: Object) -> bool:
    """Whether a tensor of a device may be read: indices are such, others of one dtype (NULL: not known yet), but for
    those that may have any."""
    if not is_tensor_anywhere(thing) or cast(Tensor, thing).device is not place:
        return False
    if cast(Tensor, thing).fn.type is outdated_type:
        return False
    own_dtype = cast(Tensor, thing).dtype
    if letter == INDEX:
        return is_index(cast(Tensor, thing), place)
    return own_dtype is dtype or dtype is NULL or letter == RAW


@native
def dtype_of_all(tensors: Tuple, place: Object) -> DType:
    """The dtype of all tensors in a tuple; NULL where there is another thing, none, or too many."""
    count, dtype = size(tensors), cast(DType, NULL)
    if count < 1 or count > MOST_OPERANDS:
        return NULL
    for i in range(count):
        if not is_operand(item(tensors, i), TENSOR, dtype, place):
            return NULL
        dtype = cast(Tensor, item(tensors, i)).dtype
    return dtype


@native
def are_indices(indices: Tuple, place: Object) -> bool:
    """Whether a tuple has indices on the host, masks, or None for some of them, and not too many."""
    count = size(indices)
    if count < 1 or count > MOST_INDICES or place is not cpu:
        return False
    for i in range(count):
        index = item(indices, i)
        if index is not none and not is_operand(index, INDEX, NULL, place):
            return False
    return True


@native
def common_dtype(plan: KernelOpPlan, given: Arguments, place: Object) -> DType:
    """The dtype of the operands, which lie on one device, a native one on the host; NULL where one does not fit."""
    dtype = cast(DType, NULL)
    for i in range(plan.operands):
        letter, argument = plan.letters[i], given.items[i]
        if argument is none and letter in NULLABLE:
            continue
        if letter == LIST:
            dtype = dtype_of_all(cast(Tuple, argument), place)
            if dtype is NULL:
                return NULL
        elif letter == INDICES:
            if not are_indices(cast(Tuple, argument), place):
                return NULL
        elif letter in TENSORS:
            if not is_operand(argument, letter, dtype, place):
                return NULL
            tensor = cast(Tensor, argument)
            if plan.refused >> i & 1 and tensor.rg is true:
                return NULL
            if letter != INDEX and letter != RAW:
                dtype = tensor.dtype
        elif not takes(letter, argument):
            return NULL
    kind = kind_of_number(dtype)
    known = kind >= 0 and (not is_complex(kind) or plan.found_complex is not NULL)
    fits = place is not cpu or known  # what is launched on a device is looked up by the dtype
    return dtype if dtype is not NULL and fits else cast(DType, NULL)


@native
def leading_of(plan: KernelOpPlan, arguments: Items[Object]) -> Object:
    """The first argument, or the first item of the list that it is, borrowed."""
    first = arguments[0]
    if plan.letters[0] == LIST and first.type is list_type and c.list_size(cast(List, first)) > 0:
        return c.list_item(cast(List, first), 0)
    if plan.letters[0] == LIST and first.type is tuple_type and size(cast(Tuple, first)) > 0:
        return item(cast(Tuple, first), 0)
    return first


@native
def items_of(given: Arguments) -> Tuple:
    """The tensors in the list that the first argument is."""
    return cast(Tuple, given.items[0])


@native
def listed_operands(plan: KernelOpPlan, given: Arguments) -> int:
    """How many tensors are in the list that the first argument is, 0 where it is none."""
    return size(items_of(given)) if plan.letters[0] == LIST else 0


@native
def is_told_by_dtype(index: Object) -> bool:
    """Whether an index, or None, is a contiguous mask of bools, or one of int32, on the host."""
    if index is none or cast(Tensor, index).device is not cpu or cast(Tensor, index).strides is not none:
        return False
    return cast(Tensor, index).dtype is bool_ or cast(Tensor, index).dtype is int32


@native
def put_index(key: Tuple, at: int, index: Object) -> None:
    """Make shape and strides of an index parts of a key: a mask, or one of int32, has its dtype in the place of the
    strides, as it is contiguous."""
    if is_told_by_dtype(index):
        put_item(key, at, retain(cast(Tensor, index).shape))
        put_item(key, at + 1, retain(cast(Tensor, index).dtype))
    else:
        put_layout(key, at, index)


@native
def put_layouts(key: Tuple, place: int, tensors: Tuple) -> int:
    """Make shapes and strides of indices in a tuple parts of a key, from a place on; the place behind them."""
    for i in range(size(tensors)):
        put_index(key, place + 2 * i, item(tensors, i))
    return place + 2 * size(tensors)


@native
def key_of(plan: KernelOpPlan, given: Arguments) -> New[Tuple]:
    """The key under which plans are kept: shape and strides of each tensor, and the other arguments."""
    listed, place, length = listed_operands(plan, given), 0, plan.operands + plan.tensors
    for i in range(plan.operands):
        if plan.letters[i] == LIST or plan.letters[i] == INDICES:
            length += 2 * size(cast(Tuple, given.items[i])) - 1
    key = c.new_tuple(length)
    if key is NULL:
        return NULL
    for i in range(plan.operands):
        letter, argument = plan.letters[i], given.items[i]
        if letter == LIST:
            for j in range(listed):
                put_layout(key, place, item(items_of(given), j))
                place += 2
        elif letter == INDICES:
            place = put_layouts(key, place, cast(Tuple, argument))
        elif letter in KEEPING:
            put_index(key, place, argument)
            place += 2
        elif letter in TENSORS:
            put_layout(key, place, argument)
            place += 2
        else:
            put_item(key, place, retain(argument))
            place += 1
    return key


@native
def note_index(
    calls: CallPlan, operands: Operands, number: int, index: Object, key: Tuple, at: int, owned: Owned
) -> bool:
    """Note and own the memory of an index, or a mask; False where it has another layout than stands in the key."""
    if index is none:
        note_none(operands, number, INTEGERS)
        return True
    tensor, told = cast(Tensor, index), item(key, at + 1)
    if told is not bool_ and told is not int32:
        return has_layout(tensor, key, at) and note_operand(calls, operands, number, tensor, INTEGERS, owned)
    fits = tensor.shape is item(key, at) and tensor.flat is not none
    return fits and note_operand(calls, operands, number, tensor, BOOLS if told is bool_ else INT32, owned)


@native
def note_indices(
    calls: CallPlan, operands: Operands, first: int, indices: Tuple, key: Tuple, place: int, owned: Owned
) -> bool:
    """Note and own the memory of indices in a tuple as operands from `first` on; False where one has another layout."""
    for i in range(size(indices)):
        if not note_index(calls, operands, first + i, item(indices, i), key, place + 2 * i, owned):
            return False
    return True


@native
def note_operands(
    plan: KernelOpPlan, given: Arguments, kind: int, key: Tuple, found: Tuple, operands: Operands, owned: Owned
) -> bool:
    """Note and own the memory of all operands; False where one no longer has the layout that stands in the key."""
    calls, place = cast(CallPlan, cast(Array, item(found, 0)).memory), 0
    for j in range(listed_operands(plan, given)):
        tensor = cast(Tensor, item(items_of(given), j))
        if not has_layout(tensor, key, 2 * j) or not note_operand(calls, operands, j, tensor, kind, owned):
            return False
        place += 2
    for i in range(plan.operands):
        letter, argument = plan.letters[i], given.items[i]
        if letter in KEEPING:
            if not note_index(calls, operands, i, argument, key, place, owned):
                return False
            place += 2
        elif letter in TENSORS:
            if argument is none:
                note_none(operands, i, kind)
            else:
                tensor = cast(Tensor, argument)
                if not has_layout(tensor, key, place) or not note_operand(calls, operands, i, tensor, kind, owned):
                    return False
            place += 2
        elif letter == INDICES:
            indices, first = cast(Tuple, argument), plan.operands - 1  # behind all tensors
            if not note_indices(calls, operands, first, indices, key, place, owned):
                return False
            place += 2 * size(indices)
        elif letter != LIST:
            place += 1
    return True


@native
def looked_up(plans: Dict, key: Tuple) -> Tuple:
    """The plan for a key, borrowed; NULL where there is none."""
    found = c.dict_item(plans, key)
    c.clear_error()  # of a key that cannot be one
    return cast(Tuple, NULL if found is none else found)


@native
def recorded(plan: KernelOpPlan, found: Tuple, behind: int, result: Object, given: Arguments, owned: Owned) -> bool:
    """Put the result into the graph if it belongs there; False where an error is set.

    Arguments that are no tensors are recorded as they were checked, also those of an op that this one calls: what was
    found has them from place `behind` on.
    """
    needs = False
    for j in range(listed_operands(plan, given)):
        needs = needs or cast(Tensor, item(items_of(given), j)).rg is true
    for i in range(plan.operands):
        letter, argument = plan.letters[i], given.items[i]
        if letter in TENSORS and argument is not none and plan.differentiable >> i & 1:
            needs = needs or cast(Tensor, argument).rg is true
    for i in range(plan.recorded):
        letter = plan.letters[i]
        if letter not in TENSORS and letter != LIST and letter != INDICES:
            given.items[i] = item(found, behind + i)
    state = records() if needs and plan.node is not NULL else 0
    return state == 0 or (state == 1 and record(plan.node, result, given.items, False, False, owned))


@native
def take_arguments(plan: KernelOpPlan, arguments: Items[Object], given: Arguments, owned: Owned) -> bool:
    """Write down the arguments, of a list or Size its items as they are now in a tuple; False where that fails."""
    for i in range(plan.operands):
        given.items[i] = arguments[i]
        if plan.letters[i] == LIST or plan.letters[i] == INDICES:
            if arguments[i].type is list_type:
                given.items[i] = own_new(owned, c.as_tuple(cast(List, arguments[i])))
            elif arguments[i].type is not tuple_type:
                return False
            if given.items[i] is NULL:
                return False
        elif plan.letters[i] == DIMS:
            if arguments[i].type is list_type:
                given.items[i] = own_new(owned, c.as_tuple(cast(List, arguments[i])))
            elif arguments[i].type is size_type:  # all of it as a plain tuple
                whole = cast(Tuple, arguments[i])
                given.items[i] = own_new(owned, c.part_of_tuple(whole, 0, size(whole)))
            if given.items[i] is NULL:
                return False
    return True


@native
def table_for(native: Dict, bfloat16: Dict, float16: Dict, kind: int) -> Dict:
    """The table of plans for tensors of a kind."""
    if is_half(kind):
        return bfloat16 if kind == BFLOAT16 else float16
    return native


@native
def plans_for(plan: KernelOpPlan, kind: int) -> Dict:
    """The table of an op's plans for tensors of a kind."""
    if kind == BOOLS:
        return plan.found_bool
    if is_whole(kind):
        return plan.found_whole
    return table_for(plan.found, plan.found_bfloat16, plan.found_float16, kind)


@native
def may_be_found(ranks: int, arguments: Items[Object]) -> bool:
    """Whether plans have been looked for with first operands of so many dimensions (`pair_of_ranks`)."""
    if ranks == -1:
        return True
    if not is_tensor(arguments[0]) or not is_tensor(arguments[1]):
        return False
    first, second = size(cast(Tensor, arguments[0]).shape), size(cast(Tensor, arguments[1]).shape)
    return ranks >> (8 * smaller(first, 7) + smaller(second, 7)) & 1 == 1


@native
def launch_plan(plan: KernelOpPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The result, recorded, as `launch` gives it."""
    given, operands = new(Arguments), new(Operands)
    taken = take_arguments(plan, arguments, given, owned)
    dtype = common_dtype(plan, given, cpu) if taken else cast(DType, NULL)
    if dtype is NULL:
        return not_handled() if c.error_set() is NULL else NULL
    key = own_new(owned, key_of(plan, given))
    if key is NULL:
        return NULL
    kind = kind_of_number(dtype)
    found = looked_up(plan.found_complex if is_complex(kind) else plans_for(plan, kind), key)
    if found is NULL:
        return not_handled()
    own(owned, found)  # which the table may forget
    if not note_operands(plan, given, kind, key, found, operands, owned):
        return not_handled()
    results = own_new(owned, run_plan(found, plan.outputs, kind, operands))
    if results is NULL:
        return not_handled() if c.error_set() is NULL else NULL
    result = retain(item(results, 0) if plan.outputs == 1 else results)
    behind = 1 + cast(CallPlan, cast(Array, item(found, 0)).memory).results
    if not recorded(plan, found, behind, result, given, owned):
        return withdrawn(result)
    return result


@native
def launch(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The result, or a tuple of several, recorded; None where no plan has been found for layouts and arguments."""
    if lies_elsewhere(leading_of(cast(KernelOpPlan, self.memory), arguments)):
        return on_device(device_functions.launch_kernel_op, self, arguments, count)
    plan = cast(KernelOpPlan, self.memory)
    if plan.found is NULL or not may_be_found(load(plan.ranks, 0), arguments):
        return not_handled()
    owned = new(Owned)
    begin(owned)
    result = launch_plan(plan, arguments, owned)
    release_all(owned)
    return result
