"""Random numbers in the place of a tensor's elements: `uniform_`, `normal_`, `exponential_` and `bernoulli_`."""

from __future__ import annotations

from ...kernels.llvm.native_code.kernel_calls import Constants
from ...kernels.llvm.native_code.memory import bits, number_of, single_bits, single_of
from ...kernels.llvm.native_code.structs import Items, Struct, capacity
from ...kernels.llvm.native_code.typed import NULL, New, cast, native, new
from .. import c_functions as c
from ..elementwise.writing import awaited, count_write
from ..interned import none, outdated_type, true
from ..kernel_calls import kernel_address
from ..layout import Array, Generator, Object, Tensor
from ..references import Owned, begin, own, release_all, retain
from ..tensors import holds_kind, is_tensor, kind_of, not_handled, records
from .draws import copy_constants, fill_samples, generator_of
from .elements import Number, read_number
from .wanted import Sampler, watched

UNIFORM, NORMAL, EXPONENTIAL, TRIALS = range(4)
JUST_BELOW_ZERO = 1 - 2**63  # the bits of the greatest float64 below 0
SINGLE_BELOW_ZERO = 2**31 + 1


class RefillPlan(Struct):
    numbers: int  # UNIFORM: the bounds; NORMAL: mean and standard deviation; EXPONENTIAL: the rate; TRIALS: the chance
    name: Object  # of the op that counts as the writer
    sampler: Items[Sampler] = capacity(2)  # by kinds


@native
def below(number: float) -> float:
    """The next smaller float64."""
    pattern = bits(number)
    if number == 0.0:
        return number_of(JUST_BELOW_ZERO)
    return number_of(pattern - 1 if number > 0.0 else pattern + 1)


@native
def single_below(number: float) -> float:
    """The next smaller float32 of one."""
    pattern = single_bits(number)
    if number == 0.0:
        return single_of(SINGLE_BELOW_ZERO)
    return single_of(pattern - 1 if number > 0.0 else pattern + 1)


@native
def largest_value(low: float, high: float, kind: int) -> float:
    """The greatest number of a kind below `high`, if it is not below `low`: `range_of` in creation/drawing.py."""
    if kind == 0:
        rounded, min_value = single_of(single_bits(high)), single_of(single_bits(low))
        top = single_below(rounded) if rounded >= high else rounded
    else:
        top, min_value = below(high), low
    return top if top > min_value else min_value


@native
def put_numbers(plan: RefillPlan, first: float, second: float, kind: int, constants: Constants) -> bool:
    """The numbers of a call; False where the general path has something to say about them. A rate or a chance stands
    alone."""
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
    """Whether a tensor is contiguous, and nobody has to be asked or told before it is written to."""
    if tensor.flat is none or tensor.grad_fn.type is outdated_type or awaited(tensor):
        return False
    kind = kind_of(tensor.dtype)
    return kind in (0, 1) and holds_kind(tensor.flat, kind)


@native
def refilled(plan: RefillPlan, tensor: Tensor, arguments: Items[Object], owned: Owned) -> New[Object]:
    """The tensor, after it was written to; None where that is for the general path."""
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
    return written(sampler, generator, tensor, flat, kind, constants, plan.name)


@native
def written(
    sampler: Sampler, generator: Generator, tensor: Tensor, flat: Array, kind: int, constants: Constants, name: Object
) -> New[Object]:
    """The tensor, after the write was counted, and then done."""
    if kernel_address(sampler.kernels, 0, sampler.resolver) == 0 or not count_write(tensor, name):
        return cast(Object, NULL)
    if not fill_samples(sampler, generator, flat, 8 if kind else 4, constants):
        return not_handled() if c.error_set() is NULL else cast(Object, NULL)
    return retain(tensor)


@native
def refill(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """refill(tensor, number, number, generator): the tensor; None where the general path is to fill it."""
    if watched(True) or not is_tensor(arguments[0]):
        return not_handled()
    owned = new(Owned)
    begin(owned)
    result = refilled(cast(RefillPlan, self.memory), cast(Tensor, arguments[0]), arguments, owned)
    release_all(owned)
    return result
