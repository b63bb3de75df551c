"""Random numbers: words of a generator's stream, and the kernels that make numbers of them, new or in place."""

from __future__ import annotations

from ...compiler.language.call_abi import MAX_NUMBERS, CallFrame, Constants, put_array
from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.memory import bits, load, number_of, single_bits, single_of, store
from ...compiler.language.structs import Items, Struct, capacity
from ...kernels.cpu.random_loops import SHUFFLE_BITS_THRESHOLD, UNIT
from ..elementwise.inplace import awaited, count_write
from ..objects import c_api as c
from ..objects.interned import default_generator, generator_type, int64, none, outdated_type, true
from ..objects.kernel_call import kernel_address, run_filling
from ..objects.layout import Array, Generator, Object, Tensor
from ..objects.references import Owned, own, owning, retain
from ..objects.tensors import elements, holds_kind, is_tensor, kind_of, not_handled, records, refused
from .arguments import NOWHERE, CreationPlan, CreationRequest, Sampler, make_row, memory_for, watched
from .dtypes import BOOL, DOUBLE, INTEGER_KIND, SINGLE, Number, read_number
from .ranges import is_small

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
    """`constants` has the numbers and ints of the call. False for an error."""
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
    for i in range(MAX_NUMBERS):
        target.numbers[i] = source.numbers[i]
    target.ints[2] = source.ints[2]


@native
def sampled(
    sampler: Sampler, generator: Generator, request: CreationRequest, constants: Constants, owned: Owned
) -> Array:
    flat = memory_for(request, owned)
    done = flat is not NULL and fill_samples(sampler, generator, flat, request.element.size, constants)
    return flat if done else cast(Array, NULL)


@native
def fractions(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    generator, form = generator_of(arguments[plan.generator]), request.element.form
    if generator is NULL or form not in (SINGLE, DOUBLE):
        return cast(Array, NULL)
    sampler, constants = plan.sampler[form == DOUBLE], new(Constants)
    copy_constants(sampler.constants[0], constants)
    if plan.value != NOWHERE and not put_normal(arguments[plan.value], arguments[plan.value + 1], constants):
        return cast(Array, NULL)
    return sampled(sampler, generator, request, constants, owned)


@native
def put_normal(first: Object, second: Object, constants: Constants) -> bool:
    """Write mean and std into the numbers of a call; False where the general path has something to say about them."""
    mean, std = new(Number), new(Number)
    if not (read_number(first, mean) and read_number(second, std)):
        return False
    constants.numbers[0] = bits(mean.real)
    constants.numbers[1] = bits(std.real)
    return std.real >= 0.0


@native
def integers(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    generator, low, high = generator_of(arguments[plan.generator]), new(Number), new(Number)
    if generator is NULL or request.grad or request.element.ours is not int64:
        return cast(Array, NULL)
    if not read_bounds(arguments[plan.value], arguments[plan.value + 1], low, high):
        return cast(Array, NULL)
    constants = new(Constants)
    constants.ints[2] = low.int_value
    constants.ints[3] = high.int_value - low.int_value
    return sampled(plan.sampler[0], generator, request, constants, owned)


@native
def permutation(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    generator, number = generator_of(arguments[plan.generator]), new(Number)
    if generator is NULL or request.grad or request.element.ours is not int64:
        return cast(Array, NULL)
    if not read_number(arguments[plan.value], number) or number.rank != INTEGER_KIND:
        return cast(Array, NULL)
    last = number.int_value
    if last < 0 or last > 1 << SHUFFLE_BITS_THRESHOLD or not make_row(last, request, owned):
        return cast(Array, NULL)
    return sampled(plan.sampler[0], generator, request, new(Constants), owned)


@native
def threshold(loss: float) -> int:
    """What half a word is at least with the probability 1 - `loss`: `threshold` of kernels/cpu/random_loops.py."""
    nearest = int(loss * FOUR_BYTES + INTEGRAL_FROM - INTEGRAL_FROM)  # to an even one where two are as near
    return nearest if nearest < ALL_ONES else ALL_ONES


@native
def survivors(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    generator, loss = generator_of(arguments[plan.generator]), new(Number)
    if generator is NULL or request.grad or request.element.form != BOOL:
        return cast(Array, NULL)
    if not read_number(arguments[plan.value], loss) or not (loss.real >= 0.0 and loss.real <= 1.0):
        return cast(Array, NULL)
    constants = new(Constants)
    constants.ints[2] = threshold(loss.real)
    return sampled(plan.sampler[0], generator, request, constants, owned)


@native
def read_bounds(first: Object, last: Object, low: Number, high: Number) -> bool:
    """Read the bounds of integers, of which the first may be left out."""
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


UNIFORM, NORMAL, EXPONENTIAL, TRIALS = range(4)
JUST_BELOW_ZERO = 1 - 2**63  # the bits of the greatest float64 below 0
SINGLE_BELOW_ZERO = 2**31 + 1


class RefillPlan(Struct):
    numbers: int  # UNIFORM: the bounds; NORMAL: mean and standard deviation; EXPONENTIAL: the rate; TRIALS: the chance
    name: Object  # of the op that counts as the writer
    sampler: Items[Sampler] = capacity(2)  # by kinds


@native
def below(number: float) -> float:
    pattern = bits(number)
    if number == 0.0:
        return number_of(JUST_BELOW_ZERO)
    return number_of(pattern - 1 if number > 0.0 else pattern + 1)


@native
def single_below(number: float) -> float:
    pattern = single_bits(number)
    if number == 0.0:
        return single_of(SINGLE_BELOW_ZERO)
    return single_of(pattern - 1 if number > 0.0 else pattern + 1)


@native
def largest_value(low: float, high: float, kind: int) -> float:
    """The greatest number of a kind below `high`, if it is not below `low`: `range_of` in ops/creation/random.py."""
    if kind == 0:
        rounded, min_value = single_of(single_bits(high)), single_of(single_bits(low))
        top = single_below(rounded) if rounded >= high else rounded
    else:
        top, min_value = below(high), low
    return top if top > min_value else min_value


@native
def put_numbers(plan: RefillPlan, first: float, second: float, kind: int, constants: Constants) -> bool:
    """A rate or a chance stands alone in the call; False where the general path has something to say about it."""
    distance = second - first
    if first - first != 0.0 or distance - distance != 0.0:
        return False
    constants.numbers[0] = bits(first)
    if plan.numbers == TRIALS:
        return first >= 0.0 and first <= 1.0
    if plan.numbers == EXPONENTIAL:
        constants.numbers[0] = bits(1.0 / first) if first > 0.0 else 0
        return first > 0.0
    if plan.numbers == NORMAL:
        constants.numbers[1] = bits(second)
        return second >= 0.0
    constants.numbers[1] = bits(distance)
    constants.numbers[2] = bits(largest_value(first, second, kind))
    return distance >= 0.0


@native
def may_be_written(tensor: Tensor) -> bool:
    if tensor.flat is none or tensor.grad_fn.type is outdated_type or awaited(tensor):
        return False
    kind = kind_of(tensor.dtype)
    return kind in (0, 1) and holds_kind(tensor.flat, kind)


@owning(RefillPlan)
def refill(plan: RefillPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    """refill(tensor, number, number, generator): the tensor"""
    if watched(True) or not is_tensor(arguments[0]):
        return not_handled()
    tensor = cast(Tensor, arguments[0])
    first, second, constants = new(Number), new(Number), new(Constants)
    generator = generator_of(arguments[3])
    if generator is NULL or not (read_number(arguments[1], first) and read_number(arguments[2], second)):
        return not_handled()
    recorded = records() if tensor.requires_grad is true else 0
    if recorded != 0 or not may_be_written(tensor):
        return not_handled() if recorded >= 0 else cast(Object, NULL)
    kind, flat = kind_of(tensor.dtype), own(owned, tensor.flat)
    sampler = plan.sampler[kind]
    copy_constants(sampler.constants[0], constants)
    if not put_numbers(plan, first.real, second.real, kind, constants):
        return not_handled()
    # The write is counted, and then done.
    if kernel_address(sampler.kernels, 0, sampler.resolver) == 0 or not count_write(tensor, plan.name):
        return cast(Object, NULL)
    return retain(tensor) if fill_samples(sampler, generator, flat, 8 if kind else 4, constants) else refused()
