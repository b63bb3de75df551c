"""Calling the kernels of element-wise ops: what is prepared in a frame, and the call, alone or with other threads."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, Constants, call_elementwise, call_with_constants
from ...compiler.language.functions import NULL, New, Stolen, address_of, cast, native, new
from ...compiler.language.memory import BOOL, INTEGERS, bits, holds, is_integral
from ...compiler.language.structs import Items, Struct, capacity
from ...device.threads.job import FLAT, SLICE, STEP, Job
from ...device.threads.pack import StridedOperand
from ...device.threads.scheduler import compare_and_swap, is_worth_sharing, read, share, write
from ...device.threads.sweep import run_flat_alone
from . import c_api as c
from .interned import float_type, int_type, job, start_workers
from .layout import Float, Object

# The bits of a float64 without its sign, and those of 2**53.
MAGNITUDE, EXACT = 2**63 - 1, 0x4340000000000000
LONG = 4096  # elements from which other threads may run meanwhile: to release and acquire the GIL costs 0.1 us


class Arguments(Struct):
    items: Items[Object] = capacity(16)


class Size(Struct):
    items: Items[int] = capacity(1)


@native
def call_with(function: Object, first: Object, second: Object) -> New[Object]:
    """function(first, second), or function(first) where `second` is NULL."""
    value = new(Arguments)
    value.items[0] = first
    value.items[1] = second
    return c.call(function, value.items, 1 + int(second is not NULL), 0)


@native
def call_method(obj: Object, name: Object, first: Object, second: Object) -> New[Object]:
    """obj.name(first, second), of fewer arguments where these are NULL."""
    value = new(Arguments)
    value.items[0] = obj
    value.items[1] = first
    value.items[2] = second
    return c.call_method(name, value.items, 1 + int(first is not NULL) + int(second is not NULL), 0)


@native
def succeeded(answer: Stolen[Object]) -> bool:
    """Release what a call gave; False where that is NULL, and an error is set."""
    c.release(answer)
    return answer is not NULL


@native
def put_object(frame: CallFrame, index: int, number: Object) -> bool:
    """Make a Python float or int the kernel's number `index`; False for others, and for ints beyond all floats."""
    if number.type is float_type:
        frame.numbers[index] = bits(cast(Float, number).value)
        return True
    if number.type is not int_type:
        return False
    value = c.as_double(number)
    if value == -1.0 and c.error_set() is not NULL:
        c.clear_error()
        return False
    frame.numbers[index] = bits(value)
    return True


@native
def is_exact(kind: int, number: Object, word: int) -> bool:
    """Whether a kernel may be given a number as float64: an int that an integer kind has, none for bools."""
    if not is_integral(kind):
        return kind != BOOL
    if number.type is not int_type or word & MAGNITUDE > EXACT:
        return False
    return kind == INTEGERS or holds(kind, c.as_int(number))


@native
def job_for(work: int) -> Job:
    """The job, which this thread has acquired, if its work is large enough and no other thread has it; else NULL."""
    if work < job.large or compare_and_swap(job.owned, 0, 1) == 0:  # never waits: who has the job may wait for the GIL
        return NULL
    if read(job.workers) == 0:
        c.release(c.call(start_workers, new(Arguments).items, 0, 0))
        c.clear_error()  # who could not start all computes with those that there are
        if read(job.workers) == 0:
            write(job.owned, 0)
            return NULL
    if not is_worth_sharing(job, work):
        write(job.owned, 0)
        return NULL
    job.work = work
    return job


@native
def run_kernel(kernel: int, arrays: int, elements: int, frame: CallFrame) -> None:
    """Run a kernel on what is in the frame, of which the caller owns the arrays: other threads may run meanwhile."""
    if elements < LONG:
        call_elementwise(kernel, arrays, elements, frame)
    else:
        run_packing(kernel, arrays, elements, frame, cast(StridedOperand, NULL))


@native
def run_packing(kernel: int, arrays: int, elements: int, frame: CallFrame, strided: StridedOperand) -> None:
    """`run_kernel`, where an operand may be strided and is packed into the memory of the result."""
    acquired = job_for(elements)
    state = c.release_gil()
    if acquired is NULL:
        run_flat_alone(job, kernel, arrays, elements, frame, strided)
    else:
        share(acquired, FLAT, kernel, arrays, elements, SLICE, address_of(frame), address_of(strided))
    c.acquire_gil(state)


@native
def run_filling(kernel: int, frame: CallFrame, constants: Constants, position: int, work: int, unit: int) -> int:
    """Ranges of the array, owned by the caller, stand at `position`; threads begin at multiples of `unit`."""
    count = frame.size[0]
    if count < LONG:
        return call_with_constants(kernel, 1, frame, constants)
    acquired = job_for(work)
    state = c.release_gil()
    if acquired is NULL:
        status = call_with_constants(kernel, 1, frame, constants)
    else:
        acquired.position = position
        status = share(acquired, STEP, kernel, 1, count, unit, address_of(frame), address_of(constants))
    c.acquire_gil(state)
    return status


@native
def kernel_address(table: Items[int], number: int, resolver: Object) -> int:
    """The address of kernel `number` of a table; asked of `resolver` where it is not there yet, 0 where that fails."""
    if table[number] == 0:  # once for each dtype: to compile may take a second
        count_object = c.new_int(number)
        if count_object is NULL:
            return 0
        c.release(call_with(resolver, count_object, NULL))
        c.release(count_object)
    return table[number]
