"""Numbers in a row, ones on a diagonal, one number everywhere: in the same steps as creation/ranges.py."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, Constants, put_array
from ...compiler.language.functions import NULL, cast, native, new
from ...compiler.language.memory import bits, single_bits, store, store_half
from ...compiler.language.structs import Items, Struct, capacity
from ...device.threads.job import ALTERNATING_ELEMENTS, SECTION, SLICE
from ...device.threads.scheduler import smaller
from ...device.threads.sweep import sweep_direction
from ...kernels.cpu.allocate_and_fill import FILL_ELEMENTS_THRESHOLD
from ..objects import c_api as c
from ..objects.interned import int64, int_type, job, none
from ..objects.kernel_call import LONG, kernel_address, run_filling, run_kernel
from ..objects.layout import Array, Object
from ..objects.references import Owned
from . import dtypes
from .arguments import (
    NOWHERE,
    CreationPlan,
    CreationRequest,
    Sampler,
    default_element,
    find_shape,
    make_row,
    make_shape,
    memory_for,
)
from .dtypes import DOUBLE, FRACTION, INTEGER, SINGLE, Number, Pattern, fill, fits_floats, put_number, read_number
from .nested import inferred

LARGE_BYTES = 2**60  # integers up to here are added without a thought


class Sides(Struct):
    items: Items[int] = capacity(2)


@native
def write_real(memory: int, position: int, form: int, real: float) -> None:
    if form == SINGLE:
        store_half(memory + 4 * position, single_bits(real))
    else:
        store(memory, 8 * position, bits(real))


@native
def is_small(number: Number) -> bool:
    """Whether a number is an integer that is far from overflowing."""
    return number.rank < FRACTION and number.int_value < LARGE_BYTES and number.int_value > -LARGE_BYTES


@native
def integers_between(first: Number, last: Number, step: Number) -> int:
    """-1 where the general path says what is wrong."""
    if not (is_small(first) and is_small(last) and is_small(step)) or step.int_value == 0:
        return -1
    distance = last.int_value - first.int_value
    if (distance < 0 and step.int_value > 0) or (distance > 0 and step.int_value < 0):
        return -1
    return -(-distance // step.int_value)


@native
def reals_between(request: CreationRequest, first: Number, last: Number, step: Number) -> int:
    """-1 where the general path says what is wrong."""
    element = request.element
    if step.real == 0.0 or not (fits_floats(element, first.real) and fits_floats(element, last.real)):
        return -1
    distance = last.real - first.real
    times = distance / step.real
    if distance * step.real < 0.0 or not (
        fits_floats(element, step.real) and times >= 0.0 and times < FILL_ELEMENTS_THRESHOLD
    ):
        return -1
    int_value = int(times)
    return int_value + (int_value < times)


@native
def read_three(arguments: Items[Object], first: Number, last: Number, step: Number) -> bool:
    """Read the numbers of `arange`: of two bounds the first may be left out."""
    start, end = arguments[0], arguments[1]
    alone = end is none
    if alone:
        first.rank = 0
        first.int_value = 0
        first.real = 0.0
    elif start is none or not read_number(start, first):
        return False
    return read_number(start if alone else end, last) and read_number(arguments[2], step)


@native
def arange(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    first, last, step = new(Number), new(Number), new(Number)
    if not read_three(arguments, first, last, step):
        return cast(Array, NULL)
    int_value = max(max(first.rank, last.rank), step.rank) < FRACTION
    if request.element is NULL:
        request.element = dtypes.element_of(plan.elements, cast(Object, int64)) if int_value else default_element(plan)
    form = request.element.form
    if form == INTEGER and int_value:
        count = integers_between(first, last, step)
    else:
        count = reals_between(request, first, last, step) if form in (SINGLE, DOUBLE) else -1
    if count < 0 or not make_row(count, request, owned):
        return cast(Array, NULL)
    flat = memory_for(request, owned)
    if flat is NULL:
        return flat
    if form != INTEGER:
        write_steps(flat.memory, form, first.real, step.real, count)
    elif request.element.size < 8 or count >> 1 < job.large:  # to write is half the work of adding
        write_integers(flat.memory, request.element.size, first.int_value, step.int_value, count)
    elif not write_batch(plan.sampler[0], flat.memory, first.int_value, step.int_value, count):
        return cast(Array, NULL)
    return flat


@native
def write_batch(writer: Sampler, memory: int, first: int, step: int, count: int) -> bool:
    kernel = kernel_address(writer.kernels, 0, writer.resolver)
    if kernel == 0:
        return False
    frame, constants = new(CallFrame), new(Constants)
    put_array(frame, 0, memory, 8)
    frame.size[0] = count
    constants.ints[0] = first
    constants.ints[1] = step
    constants.ints[2] = 0  # the range
    constants.ints[3] = count
    return run_filling(kernel, frame, constants, 2, count >> 1, SLICE) == 0


@native
def write_integers(memory: int, size: int, first: int, step: int, count: int) -> None:
    """Integers a step apart: those of eight bytes in a loop of their own, which becomes vector code."""
    if size == 8:
        for i in range(count):
            store(memory, 8 * i, first + i * step)
        return
    pattern = new(Pattern)
    for i in range(count):
        pattern.first = first + i * step
        dtypes.write_element(memory, i, size, pattern)


@native
def write_steps(memory: int, form: int, first: float, step: float, count: int) -> None:
    if form == SINGLE:
        for i in range(count):
            store_half(memory + 4 * i, single_bits(first + step * i))
    else:
        for i in range(count):
            store(memory, 8 * i, bits(first + step * i))


@native
def linspace(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    first, last, steps = new(Number), new(Number), new(Number)
    if arguments[2].type is not int_type or not read_number(arguments[2], steps):
        return cast(Array, NULL)
    if not (read_number(arguments[0], first) and read_number(arguments[1], last)):
        return cast(Array, NULL)
    element, count = request.element, steps.int_value
    if (
        count < 0
        or count >= FILL_ELEMENTS_THRESHOLD
        or not (fits_floats(element, first.real) and fits_floats(element, last.real))
    ):
        return cast(Array, NULL)
    if element.form not in (SINGLE, DOUBLE) or not make_row(count, request, owned):
        return cast(Array, NULL)
    flat = memory_for(request, owned)
    if flat is not NULL and count == 1:
        write_real(flat.memory, 0, element.form, first.real)
    elif flat is not NULL:
        write_line(flat.memory, element.form, first.real, last.real, count)
    return flat


@native
def write_line(memory: int, form: int, first: float, last: float, count: int) -> None:
    """Numbers at equal distances, each half counted from its own end."""
    step = (last - first) / (count - 1)
    for i in range(count >> 1):
        write_real(memory, i, form, first + step * i)
    for i in range(count >> 1, count):
        write_real(memory, i, form, last - step * (count - 1 - i))


@native
def eye(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    rows, columns, one, pattern = new(Number), new(Number), new(Number), new(Pattern)
    other = arguments[0] if arguments[1] is none else arguments[1]
    if arguments[0].type is not int_type or other.type is not int_type:
        return cast(Array, NULL)
    if not (read_number(arguments[0], rows) and read_number(other, columns)):
        return cast(Array, NULL)
    lengths = new(Sides).items
    lengths[0] = rows.int_value
    lengths[1] = columns.int_value
    if not make_shape(lengths, 2, request, owned):
        return cast(Array, NULL)
    flat, size = memory_for(request, owned), request.element.size
    if flat is NULL:
        return flat
    one.rank = FRACTION
    one.real = 0.0
    put_number(request.element, one, pattern)
    fill(flat.memory, request.count, size, pattern)
    one.real = 1.0
    put_number(request.element, one, pattern)
    shorter = rows.int_value if rows.int_value < columns.int_value else columns.int_value
    for i in range(shorter):
        dtypes.write_element(flat.memory, i * (columns.int_value + 1), size, pattern)
    return flat


LAZY = 32 << 20  # bytes of zeros from which the general path has them from the operating system


@native
def number_of(plan: CreationPlan, arguments: Items[Object], number: Number) -> bool:
    """The number that all elements are: the plan's, or an argument, which also gives the dtype of `full`."""
    if plan.value != NOWHERE:
        return read_number(arguments[plan.value], number)
    number.rank = dtypes.INTEGER_KIND
    number.int_value = plan.constant
    number.real = number.int_value
    return True


@native
def one_number(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    number, pattern = new(Number), new(Pattern)
    if not number_of(plan, arguments, number):
        return cast(Array, NULL)
    if request.element is NULL:
        request.element = inferred(plan, number.rank)
    if not put_number(request.element, number, pattern) or not find_shape(plan, arguments, request, owned):
        return cast(Array, NULL)
    all_zero = pattern.first == 0 and pattern.second == 0
    if all_zero and request.count * request.element.size > LAZY:
        return cast(Array, NULL)
    flat = memory_for(request, owned)
    if flat is NULL or write_all(plan.sampler[0], flat.memory, request.count, request.element.size, pattern):
        return flat
    return cast(Array, NULL)


@native
def write_all(writer: Sampler, memory: int, count: int, size: int, pattern: Pattern) -> bool:
    slot_values = count * size >> 3
    if slot_values >> 1 < job.large or size > 8:  # to write is half the work of adding
        write_alone(memory, count, size, pattern)
        return True
    kernel = kernel_address(writer.kernels, 0, writer.resolver)
    if kernel == 0:
        return False
    frame, done = new(CallFrame), slot_values * 8 // size
    frame.numbers[0] = dtypes.repeated(size, pattern)
    put_array(frame, 0, memory, 8)
    run_kernel(kernel, 1, slot_values, frame)
    write_alone(memory + done * size, count - done, size, pattern)
    return True


@native
def write_alone(memory: int, count: int, size: int, pattern: Pattern) -> None:
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
