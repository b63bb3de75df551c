"""An element-wise op on two tensors that broadcast, or lie apart in memory, row by row: see runtime/kernels/rows.py."""

from __future__ import annotations

from ...kernels.llvm.native_code.element_kinds import BOOL, KINDS, itemsize
from ...kernels.llvm.native_code.kernel_calls import CallFrame
from ...kernels.llvm.native_code.structs import Items, Struct, room
from ...kernels.llvm.native_code.typed import NULL, New, address_of, cast, native, new
from ...pool.layout import ROWS
from ...pool.rows import RowOperands, Rows, run_rows, spreads
from ...pool.scheduler import share
from ...pool.turning import run_rows_alone
from .. import c_functions as c
from ..interned import job, none, outdated_type
from ..kernel_calls import LONG, Size, found_kernel, is_exact, job_for, put_object
from ..layout import Array, Dict, Object, Tensor, Tuple
from ..references import Owned, item, own, own_new, put_item, retain
from ..tensors import any_kind_of, dtype_of, elements, holds_kind, is_tensor, new_flat, new_tensor, not_handled
from .apart import count_of
from .constants import is_constant
from .forward import KERNELS, ForwardPlan, has_number
from .order import lay

MOST_GIVEN = 16
VARIANTS = 2  # the number of the kernel for a repeated first operand, in groups of kinds; that for the second follows


@native
def key_of(first: Tensor, second: Tensor) -> New[Tuple]:
    """The shapes and strides by which rows are found."""
    key = c.new_tuple(4)
    if key is not NULL:
        put_item(key, 0, retain(first.shape))
        put_item(key, 1, retain(first.strides))
        put_item(key, 2, retain(second.shape))
        put_item(key, 3, retain(second.strides))
    return key


@native
def has_layout(tensor: Tensor, key: Tuple, place: int) -> bool:
    """Whether a tensor still has the shape and the strides that stand at a place of a key."""
    shape, strides = item(key, place), item(key, place + 1)
    # The key holds both, so no others can have their addresses.
    return tensor.shape is shape and tensor.strides is strides


@native
def memory_of(tensor: Tensor, kind: int, reach: int, owned: Owned) -> int:
    """The address of a tensor's first element; 0 where its memory, which is owned, ends before `reach` elements."""
    flat, first = tensor.flat, 0
    if flat is none:
        flat, first = tensor.storage, c.as_int(tensor.offset)  # strided: the rows tell how far it reaches
    is_of_kind = tensor.dtype is dtype_of(kind) and holds_kind(flat, kind)
    if not is_of_kind or elements(flat) - first < reach:
        return 0
    return own(owned, flat).memory + first * itemsize(kind)


@native
def may_broadcast(one: Object, other: Object, computed: int) -> bool:
    """Whether both are tensors of one dtype that kernels take, and their places in a graph are known."""
    if not is_tensor(one) or not is_tensor(other):
        return False
    first, second = cast(Tensor, one), cast(Tensor, other)
    if first.fn.type is outdated_type or second.fn.type is outdated_type:
        return False
    kind = any_kind_of(first.dtype)
    return first.dtype is second.dtype and kind >= 0 and computed >> kind & 1 == 1


@native
def may_have_rows(found_rows: Dict, computed: int, first: Object, second: Object, owned: Owned) -> bool:
    """Whether two tensors of many elements may lie in rows, which Python finds, and has not looked for yet."""
    if found_rows is NULL or not may_broadcast(first, second, computed) or count_of(cast(Tensor, first).shape) < LONG:
        return False
    key = own_new(owned, key_of(cast(Tensor, first), cast(Tensor, second)))
    if key is NULL:
        c.clear_error()
        return False
    return c.dict_item(found_rows, key) is NULL


@native
def put_numbers(numbers: int, kind: int, arguments: Items[Object], first: int, frame: CallFrame) -> bool:
    """Put the op's numbers behind `first` others; False where one is none, or not exactly what a kernel is given."""
    fit = True
    for i in range(numbers):
        number = arguments[2 + i]
        fit = fit and put_object(frame, first + i, number) and is_exact(kind, number, frame.numbers[first + i])
    return fit


class FoundRows(Struct):
    """Rows that have been found before for two tensors, and the kernel that runs on them."""

    given: Items[Object] = room(MOST_GIVEN)  # two tensors, which may be one, and numbers
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
def put_given(plan: ForwardPlan, arguments: Items[Object], found: FoundRows) -> None:
    """Note two tensors and the op's numbers; a single tensor stands in both places."""
    found.with_number = int(plan.tensors == 2 and plan.takes_number != 0 and is_constant(arguments[1]))
    found.single = int(plan.tensors == 1) | found.with_number
    found.numbers = plan.numbers + found.with_number
    found.given[0] = arguments[0]
    for i in range(1, 2 + found.numbers):
        found.given[i] = arguments[i - found.single]


@native
def have_numbers(found: FoundRows, first: int, frame: CallFrame) -> bool:
    """Whether the dtype has all of the op's numbers, which stand behind `first` others."""
    fit = True
    for i in range(found.numbers):
        fit = fit and has_number(found.kind, found.given[2 + i], frame.numbers[first + i])
    return fit


@native
def find_rows(plan: ForwardPlan, computed: int, frame: CallFrame, found: FoundRows, owned: Owned) -> int:
    """Note the rows of what is given, owned, and put the op's numbers into the frame: 1; 0 where these rows have not
    been found before, -1 where an error is set."""
    if not may_broadcast(found.given[0], found.given[1], computed):
        return 0
    first, second = cast(Tensor, found.given[0]), cast(Tensor, found.given[1])
    found.kind = any_kind_of(first.dtype)
    if found.kind == BOOL and (found.numbers or found.single):
        return 0  # a number beside bools is one of another dtype
    found.key = cast(Tuple, own_new(owned, key_of(first, second)))
    if found.key is NULL:
        return -1
    entry = c.dict_item(plan.rows, found.key)
    if entry is NULL or entry is none:
        return 0
    found.entry = cast(Tuple, own(owned, entry))  # which the table may forget
    found.rows = cast(Rows, cast(Array, item(found.entry, 0)).memory)
    in_rows = spreads(found.rows, found.kind, itemsize(found.kind))
    alone = 0 if in_rows else found.rows.repeated
    if not put_numbers(found.numbers, found.kind, found.given, alone > 0, frame):
        return 0
    if plan.fitting and not have_numbers(found, alone > 0, frame):
        return 0
    number = found.kind + KINDS * (VARIANTS + alone - 1 if alone else found.with_number)
    found.kernel = found_kernel(plan.kernels, number, plan.resolver)
    found.row_entry = found_kernel(plan.kernels, KERNELS + number, plan.resolver) if found.kernel else 0
    return -1 if found.row_entry == 0 else 1


@native
def put_operands(found: FoundRows, operands: RowOperands, owned: Owned) -> bool:
    """Note where two tensors lie; False where they are no longer those whose rows were found: Python may have run."""
    first, second = cast(Tensor, found.given[0]), cast(Tensor, found.given[1])
    if not has_layout(first, found.key, 0) or not has_layout(second, found.key, 2):
        return False
    operands.rows, operands.entry = found.rows, found.row_entry
    operands.memory[0] = memory_of(first, found.kind, found.rows.reach[0], owned)
    operands.memory[1] = memory_of(second, found.kind, found.rows.reach[1], owned)
    operands.itemsize[0] = itemsize(found.kind)
    operands.itemsize[1] = itemsize(found.kind)
    operands.kind, operands.single = found.kind, found.single
    return operands.memory[0] != 0 and operands.memory[1] != 0


@native
def broadcast(plan: ForwardPlan, computed: int, found: FoundRows, owned: Owned) -> New[Object]:
    """The result on the tensors that are given, not recorded; None where these rows have not been found before."""
    frame, operands = new(CallFrame), new(RowOperands)
    known = find_rows(plan, computed, frame, found, owned)
    if known <= 0:
        return not_handled() if known == 0 else cast(Object, NULL)
    result_kind = BOOL if plan.gives_bool else found.kind
    flat = own_new(owned, new_flat(new(Size).items, found.rows.elements, result_kind))
    if flat is NULL:
        return NULL
    if not put_operands(found, operands, owned):
        return not_handled()
    operands.memory[2], operands.result = flat.memory, 2
    operands.itemsize[2] = itemsize(result_kind)
    run_all_rows(found.kernel, operands, frame)
    result = new_tensor(retain(flat), cast(Tuple, item(found.entry, 1)), dtype_of(result_kind))
    strides = item(found.entry, 2)
    if result is not NULL and strides is not none:
        lay(result, retain(strides))
    return result


@native
def run_all_rows(kernel: int, operands: RowOperands, frame: CallFrame) -> None:
    """Run the kernel on all rows; of many, other threads may do some, or may run meanwhile."""
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
