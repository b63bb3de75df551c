"""Random numbers: words of a generator's stream, and the kernels that make numbers of them (draw_loops.py)."""

from __future__ import annotations

from ...kernels.cpu.filling.draw_loops import SHUFFLE_BITS_THRESHOLD, UNIT
from ...kernels.llvm.native_code.kernel_calls import MAX_NUMBERS, CallFrame, Constants, put_array
from ...kernels.llvm.native_code.memory import bits, load, store
from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import NULL, New, cast, native, new
from .. import c_functions as c
from ..interned import default_generator, generator_type, int64, none
from ..kernel_calls import kernel_address, run_filling
from ..layout import Array, Generator, Object
from ..references import Owned
from ..tensors import elements
from .elements import BOOL, DOUBLE, INTEGER_KIND, SINGLE, Number, read_number
from .series import is_small
from .wanted import NOWHERE, CreationPlan, CreationRequest, Sampler, make_row, memory_for

FOUR_BYTES, INTEGRAL_FROM = 2.0**32, 2.0**52  # what is added to the latter is rounded to a whole number
ALL_ONES = 2**32 - 1
WORK = 2  # of a number, compared with that of adding two


@native
def advance(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """advance(words, count): the position that a generator's words hold, which moves on."""
    seed_and_offset = cast(Array, arguments[0]).memory
    before = load(seed_and_offset, 8)
    store(seed_and_offset, 8, before + c.as_int(arguments[1]))
    return c.new_int(before)


@native
def generator_of(obj: Object) -> Generator:
    """The generator of an argument; NULL for what is none."""
    if obj is none:
        return default_generator
    return cast(Generator, obj if obj.type is generator_type else NULL)


@native
def take(generator: Generator, count: int, constants: Constants) -> bool:
    """Put the seed and the first of the next `count` words into a call; nothing runs between reading and writing."""
    if generator.seed_and_offset is NULL:  # of a generator that `__new__` alone has made
        return False
    seed_and_offset = generator.seed_and_offset.memory
    constants.ints[0] = load(seed_and_offset, 0)
    constants.ints[1] = load(seed_and_offset, 8)
    store(seed_and_offset, 8, constants.ints[1] + count)
    return True


@native
def fill_samples(sampler: Sampler, generator: Generator, flat: Array, itemsize: int, constants: Constants) -> bool:
    """Fill an array with random numbers; `constants` has the numbers and ints of the call. False for an error."""
    kernel, count = kernel_address(sampler.kernels, 0, sampler.resolver), elements(flat)
    if kernel == 0 or not take(generator, (count + 1) >> 1 if sampler.halves else count, constants):
        return False
    frame, behind = new(CallFrame), 2 + sampler.more
    put_array(frame, 0, flat.memory, itemsize)
    frame.size[0] = count
    constants.ints[behind] = 0
    constants.ints[behind + 1] = count
    return run_filling(kernel, frame, constants, behind, WORK * count, UNIT) == 0


@native
def copy_constants(source: Constants, target: Constants) -> None:
    """Numbers, and the ints behind seed and position."""
    for i in range(MAX_NUMBERS):
        target.numbers[i] = source.numbers[i]
    target.ints[2] = source.ints[2]


@native
def fractions(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    """An array of numbers that the plan's kernels draw, owned; NULL where that is for the general path."""
    generator, form = generator_of(arguments[plan.generator]), request.element.form
    if generator is NULL or form not in (SINGLE, DOUBLE):
        return cast(Array, NULL)
    flat, constants = memory_for(request, owned), new(Constants)
    sampler = plan.sampler[form == DOUBLE]
    if flat is NULL:
        return flat
    copy_constants(sampler.constants[0], constants)
    if plan.value != NOWHERE and not put_normal(arguments[plan.value], arguments[plan.value + 1], constants):
        return cast(Array, NULL)
    return flat if fill_samples(sampler, generator, flat, request.element.size, constants) else cast(Array, NULL)


@native
def put_normal(first: Object, second: Object, constants: Constants) -> bool:
    """Write a mean and a standard deviation into the numbers of a call; False where the general path has something to
    say about them."""
    mean, std = new(Number), new(Number)
    if not (read_number(first, mean) and read_number(second, std)):
        return False
    constants.numbers[0] = bits(mean.real)
    constants.numbers[1] = bits(std.real)
    return std.real >= 0.0


@native
def integers(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    """An array of integers in [low, high), owned; NULL where that is for the general path."""
    generator, low, high = generator_of(arguments[plan.generator]), new(Number), new(Number)
    if generator is NULL or request.grad or request.element.ours is not int64:
        return cast(Array, NULL)
    if not read_bounds(arguments[plan.value], arguments[plan.value + 1], low, high):
        return cast(Array, NULL)
    flat, constants = memory_for(request, owned), new(Constants)
    if flat is NULL:
        return flat
    constants.ints[2] = low.int_value
    constants.ints[3] = high.int_value - low.int_value
    return flat if fill_samples(plan.sampler[0], generator, flat, 8, constants) else cast(Array, NULL)


@native
def permutation(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    """An array of the numbers below another one in random order, owned; NULL where that is for the general path."""
    generator, number = generator_of(arguments[plan.generator]), new(Number)
    if generator is NULL or request.grad or request.element.ours is not int64:
        return cast(Array, NULL)
    if not read_number(arguments[plan.value], number) or number.rank != INTEGER_KIND:
        return cast(Array, NULL)
    if (
        number.int_value < 0
        or number.int_value > 1 << SHUFFLE_BITS_THRESHOLD
        or not make_row(number.int_value, request, owned)
    ):
        return cast(Array, NULL)
    flat = memory_for(request, owned)
    if flat is NULL:
        return flat
    return flat if fill_samples(plan.sampler[0], generator, flat, 8, new(Constants)) else cast(Array, NULL)


@native
def threshold(loss: float) -> int:
    """What half a word is at least with the probability 1 - `loss`: `threshold` of kernels/cpu/filling/draws.py."""
    nearest = int(loss * FOUR_BYTES + INTEGRAL_FROM - INTEGRAL_FROM)  # to an even one where two are as near
    return nearest if nearest < ALL_ONES else ALL_ONES


@native
def survivors(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    """An array of bools that are False with a probability, owned; NULL where that is for the general path."""
    generator, loss = generator_of(arguments[plan.generator]), new(Number)
    if generator is NULL or request.grad or request.element.form != BOOL:
        return cast(Array, NULL)
    if not read_number(arguments[plan.value], loss) or not (loss.real >= 0.0 and loss.real <= 1.0):
        return cast(Array, NULL)
    flat, constants = memory_for(request, owned), new(Constants)
    if flat is NULL:
        return flat
    constants.ints[2] = threshold(loss.real)
    return flat if fill_samples(plan.sampler[0], generator, flat, 1, constants) else cast(Array, NULL)


@native
def read_bounds(first: Object, last: Object, low: Number, high: Number) -> bool:
    """Read the bounds of integers, of which the first may be left out; False where there are none between."""
    low.rank = INTEGER_KIND
    low.int_value = 0
    if last is none:  # one number is the upper bound
        last = first
    elif not read_number(first, low):
        return False
    if not read_number(last, high):
        return False
    ints = low.rank == INTEGER_KIND and high.rank == INTEGER_KIND
    return ints and is_small(low) and is_small(high) and low.int_value < high.int_value
