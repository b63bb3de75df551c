"""Random numbers: words of a generator's stream, and the kernels that make numbers of them (draw_loops.py)."""

from __future__ import annotations

from ...kernels.cpu.filling.draw_loops import FEW_PLACES, UNIT
from ...kernels.llvm.native_code.kernel_calls import MOST_NUMBERS, CallFrame, Constants, put_array
from ...kernels.llvm.native_code.memory import bits, load, store
from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import NULL, New, cast, native, new
from .. import c_functions as c
from ..interned import default_generator, generator_type, int64, none
from ..kernel_calls import found_kernel, run_filling
from ..layout import Array, Generator, Object
from ..references import Owned
from ..tensors import elements
from .elements import BOOL, DOUBLE, SINGLE, WHOLE, Number, read_number
from .series import is_near
from .wanted import NOWHERE, CreationPlan, Draws, Wanted, make_row, memory_for

FOUR_BYTES, WHOLE_FROM_HERE = 2.0**32, 2.0**52  # what is added to the latter is rounded to a whole number
ALL_ONES = 2**32 - 1
WORK = 2  # of a number, compared with that of adding two


@native
def advance(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """advance(words, count): the position that a generator's words hold, which moves on."""
    words = cast(Array, arguments[0]).memory
    before = load(words, 8)
    store(words, 8, before + c.as_int(arguments[1]))
    return c.new_int(before)


@native
def generator_of(thing: Object) -> Generator:
    """The generator of an argument; NULL for what is none."""
    if thing is none:
        return default_generator
    return cast(Generator, thing if thing.type is generator_type else NULL)


@native
def take(generator: Generator, count: int, constants: Constants) -> bool:
    """Put the seed and the first of the next `count` words into a call; nothing runs between reading and writing."""
    if generator.words is NULL:  # of a generator that `__new__` alone has made
        return False
    words = generator.words.memory
    constants.ints[0] = load(words, 0)
    constants.ints[1] = load(words, 8)
    store(words, 8, constants.ints[1] + count)
    return True


@native
def drawn(draws: Draws, generator: Generator, flat: Array, itemsize: int, constants: Constants) -> bool:
    """Fill an array with random numbers; `constants` has the numbers and ints of the call. False for an error."""
    kernel, count = found_kernel(draws.kernels, 0, draws.resolver), elements(flat)
    if kernel == 0 or not take(generator, (count + 1) >> 1 if draws.halves else count, constants):
        return False
    frame, behind = new(CallFrame), 2 + draws.more
    put_array(frame, 0, flat.memory, itemsize)
    frame.size[0] = count
    constants.ints[behind] = 0
    constants.ints[behind + 1] = count
    return run_filling(kernel, frame, constants, behind, WORK * count, UNIT) == 0


@native
def copy_constants(source: Constants, target: Constants) -> None:
    """Numbers, and the ints behind seed and position."""
    for i in range(MOST_NUMBERS):
        target.numbers[i] = source.numbers[i]
    target.ints[2] = source.ints[2]


@native
def fractions(plan: CreationPlan, arguments: Items[Object], wanted: Wanted, owned: Owned) -> Array:
    """An array of numbers that the plan's kernels draw, owned; NULL where that is for the general path."""
    generator, form = generator_of(arguments[plan.generator]), wanted.element.form
    if generator is NULL or form not in (SINGLE, DOUBLE):
        return cast(Array, NULL)
    flat, constants = memory_for(wanted, owned), new(Constants)
    draws = plan.draws[form == DOUBLE]
    if flat is NULL:
        return flat
    copy_constants(draws.constants[0], constants)
    if plan.value != NOWHERE and not put_normal(arguments[plan.value], arguments[plan.value + 1], constants):
        return cast(Array, NULL)
    return flat if drawn(draws, generator, flat, wanted.element.size, constants) else cast(Array, NULL)


@native
def put_normal(first: Object, second: Object, constants: Constants) -> bool:
    """Write a mean and a standard deviation into the numbers of a call; False where the general path has something to
    say about them."""
    mean, deviation = new(Number), new(Number)
    if not (read_number(first, mean) and read_number(second, deviation)):
        return False
    constants.numbers[0] = bits(mean.real)
    constants.numbers[1] = bits(deviation.real)
    return deviation.real >= 0.0


@native
def integers(plan: CreationPlan, arguments: Items[Object], wanted: Wanted, owned: Owned) -> Array:
    """An array of integers in [low, high), owned; NULL where that is for the general path."""
    generator, low, high = generator_of(arguments[plan.generator]), new(Number), new(Number)
    if generator is NULL or wanted.grad or wanted.element.ours is not int64:
        return cast(Array, NULL)
    if not read_bounds(arguments[plan.value], arguments[plan.value + 1], low, high):
        return cast(Array, NULL)
    flat, constants = memory_for(wanted, owned), new(Constants)
    if flat is NULL:
        return flat
    constants.ints[2] = low.whole
    constants.ints[3] = high.whole - low.whole
    return flat if drawn(plan.draws[0], generator, flat, 8, constants) else cast(Array, NULL)


@native
def permutation(plan: CreationPlan, arguments: Items[Object], wanted: Wanted, owned: Owned) -> Array:
    """An array of the numbers below another one in random order, owned; NULL where that is for the general path."""
    generator, number = generator_of(arguments[plan.generator]), new(Number)
    if generator is NULL or wanted.grad or wanted.element.ours is not int64:
        return cast(Array, NULL)
    if not read_number(arguments[plan.value], number) or number.rank != WHOLE:
        return cast(Array, NULL)
    if number.whole < 0 or number.whole > 1 << FEW_PLACES or not make_row(number.whole, wanted, owned):
        return cast(Array, NULL)
    flat = memory_for(wanted, owned)
    if flat is NULL:
        return flat
    return flat if drawn(plan.draws[0], generator, flat, 8, new(Constants)) else cast(Array, NULL)


@native
def threshold(loss: float) -> int:
    """What half a word is at least with the probability 1 - `loss`: `threshold` of kernels/cpu/filling/draws.py."""
    nearest = int(loss * FOUR_BYTES + WHOLE_FROM_HERE - WHOLE_FROM_HERE)  # to an even one where two are as near
    return nearest if nearest < ALL_ONES else ALL_ONES


@native
def survivors(plan: CreationPlan, arguments: Items[Object], wanted: Wanted, owned: Owned) -> Array:
    """An array of bools that are False with a probability, owned; NULL where that is for the general path."""
    generator, loss = generator_of(arguments[plan.generator]), new(Number)
    if generator is NULL or wanted.grad or wanted.element.form != BOOL:
        return cast(Array, NULL)
    if not read_number(arguments[plan.value], loss) or not (loss.real >= 0.0 and loss.real <= 1.0):
        return cast(Array, NULL)
    flat, constants = memory_for(wanted, owned), new(Constants)
    if flat is NULL:
        return flat
    constants.ints[2] = threshold(loss.real)
    return flat if drawn(plan.draws[0], generator, flat, 1, constants) else cast(Array, NULL)


@native
def read_bounds(first: Object, last: Object, low: Number, high: Number) -> bool:
    """Read the bounds of integers, of which the first may be left out; False where there are none between."""
    low.rank = WHOLE
    low.whole = 0
    if last is none:  # one number is the upper bound
        last = first
    elif not read_number(first, low):
        return False
    if not read_number(last, high):
        return False
    ints = low.rank == WHOLE and high.rank == WHOLE
    return ints and is_near(low) and is_near(high) and low.whole < high.whole
