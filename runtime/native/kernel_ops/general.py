"""Running a plan of calls, one after the other, on operands that have been noted in a frame.

The operands of a kernel are memory from the first element of a tensor on, whatever its strides: the plan knows them,
and how many elements it reads of each. Who calls owns their arrays."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, Constants, call_with_constants, put_array
from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import BOOL, COMPLEX, INT32, INTEGERS, KINDS, is_half, itemsize, part_kind, parts
from ...compiler.language.structs import Items, Struct, capacity, length
from ...device.threads.job import STEP, Job
from ...device.threads.scheduler import share
from ...device.threads.sweep import run_step_alone
from ..objects import c_api as c
from ..objects.interned import job, none
from ..objects.kernel_call import LONG, job_for, kernel_address
from ..objects.layout import Array, Object, Tensor, Tuple
from ..objects.references import Owned, item, own, put_item, retain, size, swap_item, tuple_of_none
from ..objects.tensors import dtype_of, elements, holds_kind, kind_of_number, new_flat, new_tensor

MAX_OPERANDS = 64
MAX_RESULTS = 6
MAX_READ_OPERANDS = 9  # operands of one call
MAX_TABLES = 6


class KernelTable(Struct):
    resolver: Object
    kernels: Items[int] = capacity(KINDS)


class Call(Struct):
    kernel: KernelTable
    operands: int  # how many; their numbers, ~k for output k of a call before
    which: Items[int] = capacity(MAX_READ_OPERANDS)
    results: int  # how many; the numbers of the outputs that they are, and of their elements
    outputs: Items[int] = capacity(MAX_RESULTS)
    sizes: Items[int] = capacity(MAX_RESULTS)
    counted: Items[int] = capacity(MAX_RESULTS)  # k + 1: the last number in output k is the size that stands as 0
    extent: int  # how many rows, or the like, threads may share, 0 for none; parts begin at multiples of `unit`
    unit: int
    position: int  # of the ints that say where a part begins and ends
    tile_rows: int  # rows that one thread does at a time, going through them to and fro; 0: all at once
    work: int  # how much there is to do, if that is more than the first operand and the first result are large
    tables: int  # how many; their addresses, and how many whole numbers they have
    table_memory: Items[int] = capacity(MAX_TABLES)
    table_sizes: Items[int] = capacity(MAX_TABLES)
    constants: Items[Constants] = capacity(1)


class CallPlan(Struct):
    calls: int  # how many
    results: int  # how many outputs, those that only calls use among them
    halves: int  # bit i: output i is a 16-bit float where the operands are; all others are float32 then
    singles: int  # bit i: operand i is float32 where the others are 16-bit floats
    integers: int  # bit i: output i is of int64
    masks: int  # bit i: output i is of bool
    int32s: int  # bit i: output i is of int32
    complexes: int  # bit i: output i has complex numbers
    read_extent: Items[int] = capacity(MAX_OPERANDS)  # elements that are read, from the first to the last
    steps: Items[Call] = capacity(1)  # the first of the calls; the others follow


class Number(Struct):
    value: int


class Operand(Struct):
    memory: int
    elements: int
    itemsize: int


class Operands(Struct):
    items: Items[Operand] = capacity(MAX_OPERANDS)


@native
def note_operand(plan: CallPlan, operands: Operands, index: int, tensor: Tensor, kind: int, owned: Owned) -> bool:
    """The operand's memory is owned; False where it is shorter than the plan takes it, or no longer of a kind."""
    flat, first = tensor.flat, 0
    if flat is none:
        flat, first = tensor.storage, c.as_int(tensor.offset)
    if kind_of_number(tensor.dtype) != kind or not holds_kind(flat, kind):
        return False
    if elements(flat) - first < plan.read_extent[index]:
        return False
    operand = operands.items[index]
    operand.memory = own(owned, flat).memory + first * itemsize(kind)
    operand.elements = plan.read_extent[index] * parts(kind)
    operand.itemsize = itemsize(part_kind(kind))
    return True


@native
def note_none(operands: Operands, index: int, kind: int) -> None:
    operand = operands.items[index]
    operand.memory = 0
    operand.elements = 0
    operand.itemsize = itemsize(kind)


@native
def put_operands(call: Call, operands: Operands, results: Tuple, frame: CallFrame) -> None:
    for i in range(call.operands):
        number = call.which[i]
        if number < 0:
            made = cast(Tensor, item(results, -1 - number))
            flat = made.flat
            kind = kind_of_number(made.dtype)
            put_array(frame, i, flat.memory, itemsize(part_kind(kind)))
            frame.size[i] = elements(flat) * parts(kind)
        else:
            operand = operands.items[number]
            put_array(frame, i, operand.memory, operand.itemsize)
            frame.size[i] = operand.elements


@native
def kind_of_output(plan: CallPlan, output: int, value: int) -> int:
    if plan.integers >> output & 1:
        return INTEGERS
    if plan.masks >> output & 1:
        return BOOL
    if plan.int32s >> output & 1:
        return INT32
    if plan.complexes >> output & 1:
        return COMPLEX + part_kind(value)
    value = part_kind(value)
    return 0 if is_half(value) and not plan.halves >> output & 1 else value


@native
def last_number(counts: Tensor) -> int:
    flat = counts.flat
    position = flat.memory + itemsize(INTEGERS) * (elements(flat) - 1)
    return cast(Number, position).value


@native
def with_count(shape: Tuple, count: int) -> New[Tuple]:
    """A shape with another size in the place of the one that is 0: `check_capacity` sees to it that there is one."""
    number = c.new_int(count)
    result = cast(Tuple, NULL) if number is NULL else c.new_tuple(size(shape))
    if result is NULL:
        c.release(number)
        return result
    for i in range(size(shape)):
        counted = c.as_int(item(shape, i)) == 0
        put_item(result, i, retain(number if counted else item(shape, i)))
    c.release(number)
    return result


@native
def new_result(call: Call, i: int, kind: int, results: Tuple, shapes: Tuple) -> New[Object]:
    shape, count = cast(Tuple, item(shapes, 1 + call.outputs[i])), call.sizes[i]
    if call.counted[i]:
        number = last_number(cast(Tensor, item(results, call.counted[i] - 1)))
        shape, count = with_count(shape, number), count * number
    else:
        retain(shape)
    if shape is NULL:
        return NULL
    flat = new_flat(count, kind)
    made = cast(Object, NULL) if flat is NULL else new_tensor(flat, shape, dtype_of(kind))
    c.release(shape)
    return made


@native
def put_results(plan: CallPlan, call: Call, results: Tuple, shapes: Tuple, value: int, frame: CallFrame) -> bool:
    for i in range(call.results):
        output = call.outputs[i]
        kind = kind_of_output(plan, output, value)
        if item(results, output) is none:  # else an earlier call has made it, and this one fills another part
            made = new_result(call, i, kind, results, shapes)
            if made is NULL:
                return False
            c.release(swap_item(results, output, made))
        result = cast(Tensor, item(results, output))
        put_array(frame, call.operands + i, result.flat.memory, itemsize(part_kind(kind)))
        frame.size[call.operands + i] = elements(result.flat) * parts(kind)
    return True


@native
def run_call(plan: CallPlan, call: Call, operands: Operands, results: Tuple, shapes: Tuple, kind: int) -> bool:
    frame, table = new(CallFrame), call.kernel
    put_operands(call, operands, results, frame)
    kernel = kernel_address(table.kernels, part_kind(kind), table.resolver)
    if kernel == 0 or not put_results(plan, call, results, shapes, kind, frame):
        return False
    for i in range(call.tables):  # which are owned as the plan is
        put_array(frame, call.operands + call.results + i, call.table_memory[i], 8)
        frame.size[call.operands + call.results + i] = call.table_sizes[i]
    arrays, constants = call.operands + call.results + call.tables, call.constants[0]
    # What writes to an operand says itself how much it does: there may be little in a large tensor.
    work = max(frame.size[0] + frame.size[call.operands], call.work) if call.results else call.work
    if work < LONG:  # too little to release the GIL for
        return call_with_constants(kernel, arrays, frame, constants) == 0
    acquired = cast(Job, NULL)
    if call.extent > call.unit:
        acquired = job_for(work)
    state = c.release_gil()  # operands, results and the plan, with its tables, are owned
    if acquired is NULL and call.tile_rows:
        status = run_step_alone(job, kernel, arrays, frame, constants, call.position, call.extent, call.tile_rows)
    elif acquired is NULL:
        status = call_with_constants(kernel, arrays, frame, constants)
    else:
        acquired.position = call.position
        more = address_of(constants)
        status = share(acquired, STEP, kernel, arrays, call.extent, call.unit, address_of(frame), more)
    c.acquire_gil(state)
    return status == 0


@native
def run_plan(result: Tuple, outputs: int, kind: int, operands: Operands) -> New[Tuple]:
    """The results in a tuple, with None for those that the plan does not make; NULL where a call fails.

    `result` is (words of the plan, the shape of each result, ...). What calls make for each other is released."""
    plan = cast(CallPlan, cast(Array, item(result, 0)).memory)
    results = tuple_of_none(plan.results)
    if results is NULL:
        return NULL
    for i in range(plan.calls):
        call = cast(Call, address_of(plan.steps) + CALL_BYTES * i)
        if not run_call(plan, call, operands, results, result, kind):
            c.release(results)
            return NULL
    if plan.results == outputs:
        return results
    own_results = c.part_of_tuple(results, 0, outputs)  # a new tuple: one that others have seen may not be cut
    c.release(results)
    return own_results


CALL_BYTES = 8 * length(Call)
