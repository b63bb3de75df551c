"""An element-wise op on two tensors that broadcast, or are strided, row by row."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame
from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import BOOL, KINDS, itemsize
from ...compiler.language.structs import Items, Struct, capacity
from ...device.threads.job import ROWS
from ...device.threads.scheduler import share
from ...device.threads.strided_loop import RowOperands, Rows, run_rows, spreads
from ...device.threads.sweep import run_rows_alone
from ..objects import c_api as c
from ..objects.interned import job, none, outdated_type
from ..objects.kernel_call import LONG, is_exact, job_for, kernel_address, put_object
from ..objects.layout import Array, Dict, Object, Tensor, Tuple
from ..objects.loop_nest import set_layout
from ..objects.references import Owned, item, own, own_new, put_item, retain
from ..objects.strided import count_of
from ..objects.tensors import any_kind_of, dtype_of, elements, holds_kind, is_tensor, new_flat, new_tensor, not_handled
from .operands import KERNELS, ForwardPlan, has_number
from .scalars import is_constant

MAX_ARGUMENTS_CACHED = 16
VARIANTS = 2  # the number of the kernel for a repeated first operand, in groups of kinds; that for the second follows


@native
def key_of(first: Tensor, second: Tensor) -> New[Tuple]:
    key = c.new_tuple(4)
    if key is not NULL:
        put_item(key, 0, retain(first.shape))
        put_item(key, 1, retain(first.strides))
        put_item(key, 2, retain(second.shape))
        put_item(key, 3, retain(second.strides))
    return key


@native
def has_layout(tensor: Tensor, key: Tuple, position: int) -> bool:
    shape, strides = item(key, position), item(key, position + 1)
    # The key holds both, so no others can have their addresses.
    return tensor.shape is shape and tensor.strides is strides


@native
def memory_of(tensor: Tensor, kind: int, read_extent: int, owned: Owned) -> int:
    """The address of a tensor's first element; 0 where its memory, which is owned, ends before `reach` elements."""
    flat, first = tensor.flat, 0
    if flat is none:
        flat, first = tensor.storage, c.as_int(tensor.offset)  # strided: the rows tell how far it reaches
    is_of_kind = tensor.dtype is dtype_of(kind) and holds_kind(flat, kind)
    if not is_of_kind or elements(flat) - first < read_extent:
        return 0
    return own(owned, flat).memory + first * itemsize(kind)


@native
def may_broadcast(one: Object, other: Object, computed: int) -> bool:
    if not is_tensor(one) or not is_tensor(other):
        return False
    first, second = cast(Tensor, one), cast(Tensor, other)
    if first.grad_fn.type is outdated_type or second.grad_fn.type is outdated_type:
        return False
    kind = any_kind_of(first.dtype)
    return first.dtype is second.dtype and kind >= 0 and computed >> kind & 1 == 1


@native
def may_have_rows(cached_rows: Dict, computed: int, first: Object, second: Object, owned: Owned) -> bool:
    if cached_rows is NULL or not may_broadcast(first, second, computed) or count_of(cast(Tensor, first).shape) < LONG:
        return False
    key = own_new(owned, key_of(cast(Tensor, first), cast(Tensor, second)))
    if key is NULL:
        c.clear_error()
        return False
    return c.dict_item(cached_rows, key) is NULL


class CachedRows(Struct):
    given: Items[Object] = capacity(MAX_ARGUMENTS_CACHED)  # two tensors, which may be one, and numbers
    single: int  # whether it is one
    numbers: int
    with_number: int  # whether the first of these stands for the second tensor, for which there is a kernel
    key: Tuple
    entry: Tuple  # the rows, shape and strides of the result
    rows: Rows
    kind: int
    kernel: int
    row_entry: int  # and its entry for rows


@native
def set_arguments(plan: ForwardPlan, arguments: Items[Object], result: CachedRows) -> None:
    """Note two tensors and the op's numbers; a single tensor stands in both places."""
    result.with_number = int(plan.tensors == 2 and plan.takes_number != 0 and is_constant(arguments[1]))
    result.single = int(plan.tensors == 1) | result.with_number
    result.numbers = plan.numbers + result.with_number
    result.given[0] = arguments[0]
    for i in range(1, 2 + result.numbers):
        result.given[i] = arguments[i - result.single]


@native
def put_numbers(plan: ForwardPlan, result: CachedRows, first: int, frame: CallFrame) -> bool:
    """Put the op's numbers behind `first` others; False where the dtype does not have one, or not exactly."""
    fit = True
    for i in range(result.numbers):
        number = result.given[2 + i]
        fit = fit and put_object(frame, first + i, number) and is_exact(result.kind, number, frame.numbers[first + i])
        fit = fit and (not plan.fitting or has_number(result.kind, number, frame.numbers[first + i]))
    return fit


@native
def find_rows(plan: ForwardPlan, computed: int, frame: CallFrame, result: CachedRows, owned: Owned) -> int:
    """Note and own the rows of what is given: 1; 0 where they have not been found before, -1 where an error is set."""
    if not may_broadcast(result.given[0], result.given[1], computed):
        return 0
    first, second = cast(Tensor, result.given[0]), cast(Tensor, result.given[1])
    result.kind = any_kind_of(first.dtype)
    if result.kind == BOOL and (result.numbers or result.single):
        return 0  # a number beside bools is one of another dtype
    result.key = cast(Tuple, own_new(owned, key_of(first, second)))
    if result.key is NULL:
        return -1
    entry = c.dict_item(plan.rows, result.key)
    if entry is NULL or entry is none:
        return 0
    result.entry = cast(Tuple, own(owned, entry))  # which the table may forget
    result.rows = cast(Rows, cast(Array, item(result.entry, 0)).memory)
    in_rows = spreads(result.rows, result.kind, itemsize(result.kind))
    alone = 0 if in_rows else result.rows.repeated
    if not put_numbers(plan, result, int(alone > 0), frame):
        return 0
    number = result.kind + KINDS * (VARIANTS + alone - 1 if alone else result.with_number)
    result.kernel = kernel_address(plan.kernels, number, plan.resolver)
    result.row_entry = kernel_address(plan.kernels, KERNELS + number, plan.resolver) if result.kernel else 0
    return -1 if result.row_entry == 0 else 1


@native
def put_operands(result: CachedRows, operands: RowOperands, owned: Owned) -> bool:
    """Note where two tensors lie; False where they are no longer those whose rows were found: Python may have run."""
    first, second = cast(Tensor, result.given[0]), cast(Tensor, result.given[1])
    if not has_layout(first, result.key, 0) or not has_layout(second, result.key, 2):
        return False
    operands.rows, operands.entry = result.rows, result.row_entry
    operands.memory[0] = memory_of(first, result.kind, result.rows.read_extent[0], owned)
    operands.memory[1] = memory_of(second, result.kind, result.rows.read_extent[1], owned)
    operands.itemsize[0] = itemsize(result.kind)
    operands.itemsize[1] = itemsize(result.kind)
    operands.kind, operands.single = result.kind, result.single
    return operands.memory[0] != 0 and operands.memory[1] != 0


@native
def broadcast(plan: ForwardPlan, computed: int, match: CachedRows, owned: Owned) -> New[Object]:
    """The result on the tensors that are given, not recorded; None where these rows have not been found before."""
    frame, operands = new(CallFrame), new(RowOperands)
    known = find_rows(plan, computed, frame, match, owned)
    if known <= 0:
        return not_handled() if known == 0 else cast(Object, NULL)
    result_kind = BOOL if plan.gives_bool else match.kind
    flat = own_new(owned, new_flat(match.rows.elements, result_kind))
    if flat is NULL:
        return NULL
    if not put_operands(match, operands, owned):
        return not_handled()
    operands.memory[2], operands.result = flat.memory, 2
    operands.itemsize[2] = itemsize(result_kind)
    run_all_rows(match.kernel, operands, frame)
    result = new_tensor(retain(flat), cast(Tuple, item(match.entry, 1)), dtype_of(result_kind))
    strides = item(match.entry, 2)
    if result is not NULL and strides is not none:
        set_layout(result, retain(strides))
    return result


@native
def run_all_rows(kernel: int, operands: RowOperands, frame: CallFrame) -> None:
    count, elements_of_all = operands.rows.outer * operands.rows.inner, operands.rows.elements
    if elements_of_all < LONG:
        run_rows(kernel, operands, frame, 0, count)
        return
    acquired = job_for(elements_of_all)
    state = c.release_gil()  # from here to acquire_gil nothing of Python's is touched
    if acquired is NULL:
        run_rows_alone(job, kernel, operands, frame)
    else:
        share(acquired, ROWS, kernel, 0, count, 1, address_of(frame), address_of(operands))
    c.acquire_gil(state)
