"""One number in all places of a new tensor, by several threads where there are many."""

from __future__ import annotations

from ...kernels.llvm.native_code.kernel_calls import CallFrame, put_array
from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import NULL, cast, native, new
from ...pool.layout import ALTERNATING_ELEMENTS, SECTION
from ...pool.scheduler import smaller
from ...pool.turning import sweep_direction
from .. import c_functions as c
from ..interned import job
from ..kernel_calls import LONG, kernel_address, run_kernel
from ..layout import Array, Object
from ..references import Owned
from .elements import INTEGER_KIND, Number, Pattern, fill, put_number, read_number, repeated
from .nested import inferred
from .wanted import NOWHERE, CreationPlan, CreationRequest, Sampler, find_shape, memory_for

LAZY = 32 << 20  # bytes of zeros from which the general path has them from the operating system


@native
def number_of(plan: CreationPlan, arguments: Items[Object], number: Number) -> bool:
    """The number that all elements are: the plan's, or an argument, which also gives the dtype of `full`."""
    if plan.value != NOWHERE:
        return read_number(arguments[plan.value], number)
    number.rank = INTEGER_KIND
    number.int_value = plan.constant
    number.real = number.int_value
    return True


@native
def one_number(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    """An array of one number, owned; NULL where that is for the general path."""
    number, pattern = new(Number), new(Pattern)
    if not number_of(plan, arguments, number):
        return cast(Array, NULL)
    if request.element is NULL:
        request.element = inferred(plan, number.rank)
    if not put_number(request.element, number, pattern) or not find_shape(plan, arguments, request, owned):
        return cast(Array, NULL)
    if is_zero(pattern) and request.count * request.element.size > LAZY:
        return cast(Array, NULL)
    flat = memory_for(request, owned)
    if flat is NULL or write_all(plan.sampler[0], flat.memory, request.count, request.element.size, pattern):
        return flat
    return cast(Array, NULL)


@native
def is_zero(pattern: Pattern) -> bool:
    """Whether an element is 0 with all its bits."""
    return pattern.first == 0 and pattern.second == 0


@native
def write_all(writer: Sampler, memory: int, count: int, size: int, pattern: Pattern) -> bool:
    """Write one element of so many bytes to all places; False where an error is set."""
    slot_values = count * size >> 3
    if slot_values >> 1 < job.large or size > 8:  # to write is half the work of adding
        write_alone(memory, count, size, pattern)
        return True
    kernel = kernel_address(writer.kernels, 0, writer.resolver)
    if kernel == 0:
        return False
    frame, done = new(CallFrame), slot_values * 8 // size
    frame.numbers[0] = repeated(size, pattern)
    put_array(frame, 0, memory, 8)
    run_kernel(kernel, 1, slot_values, frame)
    write_alone(memory + done * size, count - done, size, pattern)
    return True


@native
def write_alone(memory: int, count: int, size: int, pattern: Pattern) -> None:
    """Write one element of so many bytes to all places; other threads may run meanwhile."""
    if count < LONG:
        fill(memory, count, size, pattern)
        return
    state = c.release_gil()
    fill_reverse_sweep(memory, count, size, pattern)
    c.acquire_gil(state)


@native
def fill_reverse_sweep(memory: int, count: int, size: int, pattern: Pattern) -> None:
    """The same, part by part where there is much: every second time from the last one on."""
    if count < ALTERNATING_ELEMENTS:
        fill(memory, count, size, pattern)
        return
    parts, back = (count + SECTION - 1) // SECTION, sweep_direction(job)
    for k in range(parts):
        first = (parts - 1 - k if back else k) * SECTION
        fill(memory + first * size, smaller(SECTION, count - first), size, pattern)
