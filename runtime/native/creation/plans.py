"""The plans of creation functions as words, and the builtin function that reads them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from ...compiler.language.call_abi import Constants
from ...compiler.language.functions import NULL, New, atomic_xchg, cast, native, new
from ...compiler.language.memory import BOOL as BOOL_KIND
from ...compiler.language.memory import INTEGERS as INTEGER_KIND
from ...compiler.language.structs import Items, length
from ...compiler.native_unit import Unit
from ...device.threads.call_record import kernel_address
from ...kernels.cpu import random_loops as loops
from ...kernels.cpu.allocate_and_fill import fill, integer_steps
from ...namespace import op
from ...ops.creation.fast_calls import Creation
from ...ops.creation.random import range_of
from ...tensor import dtypes, generator
from ..objects import c_api as c
from ..objects.interned import int64, true
from ..objects.layout import Array, Object
from ..objects.references import Owned, owning, retain
from ..objects.tensors import new_tensor, not_handled, refused
from ..plans.builtins import builtin, ready, version
from ..plans.op_plans import address, array_of, memory, resolver
from . import fill_random
from .arguments import (
    ANY,
    MAX_SERIAL_ELEMENTS,
    NOWHERE,
    CreationPlan,
    CreationRequest,
    Sampler,
    default_element,
    find_shape,
    memory_for,
    note_options,
    watched,
)
from .dtypes import BFLOAT, BOOL, COMPLEX, DOUBLE, DOUBLE_COMPLEX, HALF, INTEGER, SINGLE, Element, Elements, element_of
from .fill_random import RefillPlan, advance, fractions, integers, permutation, survivors
from .nested import data
from .ranges import arange, eye, linspace, one_number

# what is written
NOTHING, ONE_NUMBER, FRACTIONS, INTEGERS, SURVIVORS, ARANGE, LINSPACE, EYE, DATA, PERMUTATION = range(10)


@native
def of_shape(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    if not find_shape(plan, arguments, request, owned):
        return cast(Array, NULL)
    if plan.fill == FRACTIONS:
        return fractions(plan, arguments, request, owned)
    if plan.fill == SURVIVORS:
        return survivors(plan, arguments, request, owned)
    return integers(plan, arguments, request, owned) if plan.fill == INTEGERS else memory_for(request, owned)


@native
def array_for(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    what = plan.fill
    if request.element is NULL and what in (INTEGERS, PERMUTATION):
        request.element = element_of(plan.elements, cast(Object, int64))
    elif request.element is NULL and plan.uses_default_dtype:
        request.element = default_element(plan)
    if what == ONE_NUMBER:
        return one_number(plan, arguments, request, owned)
    if what == ARANGE:
        return arange(plan, arguments, request, owned)
    if what == LINSPACE:
        return linspace(plan, arguments, request, owned)
    if what == EYE:
        return eye(plan, arguments, request, owned)
    if what == PERMUTATION:
        return permutation(plan, arguments, request, owned)
    return data(plan, arguments, request, owned) if what == DATA else of_shape(plan, arguments, request, owned)


@owning(CreationPlan)
def create(plan: CreationPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    request = new(CreationRequest)
    if watched(plan.generator != NOWHERE or plan.like != NOWHERE):
        return not_handled()
    flat = cast(Array, NULL)
    if note_options(plan, arguments, count, request):
        flat = array_for(plan, arguments, request, owned)
    if flat is NULL or (request.grad and request.element.form in (INTEGER, BOOL)):
        return refused()
    result = new_tensor(retain(flat), request.shape, request.element.ours)
    if request.grad and result is not NULL:
        c.release(atomic_xchg(result, "requires_grad", retain(true)))
    return result


UNIT = Unit("creation", (create, fill_random.refill, advance), version, ready)
FILLS = {
    "nothing": NOTHING,
    "number": ONE_NUMBER,
    "uniform": FRACTIONS,
    "normal": FRACTIONS,
    "integers": INTEGERS,
    "survivors": SURVIVORS,
    "arange": ARANGE,
    "linspace": LINSPACE,
    "eye": EYE,
    "data": DATA,
    "permutation": PERMUTATION,
}
FORMS = {
    dtypes.float32: SINGLE,
    dtypes.int64: INTEGER,
    dtypes.bool_: BOOL,
    dtypes.float64: DOUBLE,
    dtypes.bfloat16: BFLOAT,
    dtypes.float16: HALF,
    dtypes.int32: INTEGER,
    dtypes.uint8: INTEGER,
    dtypes.int16: INTEGER,
    dtypes.int8: INTEGER,
    dtypes.complex64: COMPLEX,
    dtypes.complex128: DOUBLE_COMPLEX,
}


def element(kind: dtypes.dtype) -> np.ndarray:
    """What native code knows of a dtype; negative numbers wrap around in uint8."""
    limits = dtypes.iinfo(kind) if kind.kind == "i" else None
    floats = dtypes.finfo(kind) if kind.kind in "fc" else None
    return Element.pack(
        ours=address(kind),
        numpy=address(kind.np),
        size=kind.itemsize,
        form=FORMS[kind],
        min_value=0 if limits is None else limits.min if kind.is_signed else -limits.max,
        max_value=0 if limits is None else limits.max,
        largest=0.0 if floats is None else floats.max,
    )


@functools.cache
def elements() -> int:
    return memory(Elements.pack(items=np.concatenate([element(kind) for kind in FORMS])))


def creation_plan(creation: Creation) -> np.ndarray:
    arg_kinds = creation.arg_kinds
    option_positions = {name: arg_kinds.find(arg_kind) for name, arg_kind in zip(OPTION_KINDS, "gLSs", strict=True)}
    plan = CreationPlan.pack(
        fill=FILLS[creation.fill],
        **option_positions,
        value=arg_kinds.find("v"),
        constant=creation.value,
        max_value=ANY if creation.fill in ("nothing", "number", *SAMPLER_LOOPS) else MAX_SERIAL_ELEMENTS,
        uses_default_dtype=not creation.inferred,
        options=len(arg_kinds),
        elements=elements(),
    )
    if creation.fill == "number":
        slot_values, kinds = plan[CreationPlan.word("sampler") :], [types.float64[::1], types.float64]
        # What repeats a word is compiled for float64, of which it copies the bits.
        writer = resolver(slot_values[Sampler.word("kernels") :], lambda _: kernel_address(fill, kinds))
        slot_values[: length(Sampler)] = Sampler.pack(resolver=writer)
    set_samplers(plan[CreationPlan.word("sampler") :], creation)
    return plan


REFILLED = {
    "uniform": fill_random.UNIFORM,
    "normal": fill_random.NORMAL,
    "exponential": fill_random.EXPONENTIAL,
    "trials": fill_random.TRIALS,
}
OPTION_KINDS = ("generator", "like", "sizes", "size")
SamplerLoop = tuple[Any, int, list[int], list[float]]  # a loop, a kind, its ints and numbers


_single, _double = range_of(dtypes.float32, 0.0, 1.0), range_of(dtypes.float64, 0.0, 1.0)
SAMPLER_LOOPS: dict[str, list[SamplerLoop]] = {
    "uniform": [
        (loops.uniform_floats, 0, [_single.mask], [_single.low, _single.width, _single.top]),
        (loops.uniform_doubles, 1, [], [_double.low, _double.width, _double.top]),
    ],
    "normal": [(loops.normal_floats, 0, [], [0.0, 1.0]), (loops.normal_doubles, 1, [], [0.0, 1.0])],
    "exponential": [(loops.exponential_floats, 0, [], [1.0]), (loops.exponential_doubles, 1, [], [1.0])],
    "trials": [(loops.successes, kind, [], [0.5]) for kind in (0, 1)],
    "integers": [(loops.random_integers, INTEGER_KIND, [0, 0], [])],
    "survivors": [(loops.survivors, BOOL_KIND, [0], [])],
    "permutation": [(loops.shuffled, INTEGER_KIND, [], [])],
}
WRITTEN = SAMPLER_LOOPS | {"arange": [(integer_steps, INTEGER_KIND, [], [])]}


def set_samplers(slot_values: np.ndarray, creation: Creation) -> None:
    for number, sampler_loop in enumerate(WRITTEN.get(creation.fill, ())):
        set_sampler(slot_values[number * length(Sampler) : (number + 1) * length(Sampler)], *sampler_loop)


def set_sampler(sampler: np.ndarray, loop: Any, kind: int, ints: list[int], numbers: list[float]) -> None:
    def find(_: int) -> int:
        value = [types.int64] * (2 + len(ints)) + [types.float64] * len(numbers) + [types.int64] * 2
        return kernel_address(loop, [array_of(kind), *value])

    sampler[:] = Sampler.pack(
        resolver=resolver(sampler[Sampler.word("kernels") :], find),
        constants=Constants.pack(ints=[0, 0, *ints], numbers=np.array(numbers, np.float64)),
        more=len(ints),
        halves=kind in (0, BOOL_KIND) and loop is not loops.successes,
    )


@functools.cache
def let_draw() -> None:
    """What Python draws moves a generator on in one step, too."""
    generator.advance_by(builtin(UNIT, advance, np.zeros(1, np.int64), "The position in a stream, which is advanced."))


def general_path_of(creation: Creation) -> Callable[..., Any] | None:
    """The public function, called with the arguments of `create`; None where it gives other elements each time."""
    if creation.fill in ("nothing", *SAMPLER_LOOPS):
        return None

    def call(*arguments: Any) -> Any:
        value, options = arguments[: len(creation.arg_kinds)], arguments[len(creation.arg_kinds) :]
        named = dict(zip(("dtype", "device", "requires_grad"), options, strict=False))
        positional: list[Any] = []
        for arg_kind, argument in zip(creation.arg_kinds, value, strict=True):
            if arg_kind == "S":
                positional += argument
            elif arg_kind == "s" and "S" in creation.arg_kinds:
                named["size"] = argument
            else:
                positional.append(argument)
        return getattr(op, creation.name)(*positional, **named)

    return call


def launch_of(creation: Creation) -> Any:
    if creation.fill in SAMPLER_LOOPS:
        let_draw()
    if "T" in creation.arg_kinds:
        doc = f"{creation.name} of a small contiguous tensor; None for others."
        plan = RefillPlan.pack(numbers=REFILLED[creation.fill], name=address("copy_"))
        set_samplers(plan[RefillPlan.word("sampler") :], creation)
        return builtin(UNIT, fill_random.refill, plan, doc)
    doc = f"{creation.name} of usual arguments; None for others."
    return builtin(UNIT, create, creation_plan(creation), doc)
