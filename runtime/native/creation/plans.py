"""The plans of creation functions as words, and the unit of native code that reads them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from ... import random
from ...creation.drawing import range_of
from ...creation.fast import Creation
from ...kernels.cpu.filling import draw_loops as loops
from ...kernels.cpu.filling.fills import fill
from ...kernels.cpu.filling.progressions import whole_steps
from ...kernels.llvm.native_code.element_kinds import BOOL as BOOL_KIND
from ...kernels.llvm.native_code.element_kinds import INTEGERS as INTEGER_KIND
from ...kernels.llvm.native_code.kernel_calls import Constants
from ...kernels.llvm.native_code.structs import length
from ...kernels.llvm.native_code.units import Unit
from ...namespace import op
from ...pool.calls import kernel_address
from ...tensor import dtypes
from ..builtins import builtin, ready, version
from ..plans import address, array_of, memory, resolver
from . import create, refill
from .draws import advance
from .elements import (
    BFLOAT,
    BOOL,
    COMPLEX,
    DOUBLE,
    DOUBLE_COMPLEX,
    HALF,
    INTEGER,
    SINGLE,
    Element,
    Elements,
)
from .refill import RefillPlan
from .wanted import ANY, MOST, CreationPlan, Draws

UNIT = Unit("creation", (create.create, refill.refill, advance), version, ready)
FILLS = {
    "nothing": create.NOTHING,
    "number": create.ONE_NUMBER,
    "uniform": create.FRACTIONS,
    "normal": create.FRACTIONS,
    "integers": create.INTEGERS,
    "survivors": create.SURVIVORS,
    "arange": create.ARANGE,
    "linspace": create.LINSPACE,
    "eye": create.EYE,
    "data": create.DATA,
    "permutation": create.PERMUTATION,
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
        least=0 if limits is None else limits.min if kind.is_signed else -limits.max,
        most=0 if limits is None else limits.max,
        largest=0.0 if floats is None else floats.max,
    )


@functools.cache
def elements() -> int:
    """The address of the table of all dtypes, the most usual ones first."""
    return memory(Elements.pack(items=np.concatenate([element(kind) for kind in FORMS])))


def creation_plan(creation: Creation) -> np.ndarray:
    letters = creation.letters
    places = {name: letters.find(letter) for name, letter in zip(PLACES, "gLSs", strict=True)}
    plan = CreationPlan.pack(
        fill=FILLS[creation.fill],
        **places,
        value=letters.find("v"),
        constant=creation.value,
        most=ANY if creation.fill in ("nothing", "number", *DRAWN) else MOST,
        usual=not creation.inferred,
        options=len(letters),
        elements=elements(),
    )
    if creation.fill == "number":
        put_writer(plan[CreationPlan.word("draws") :])
    put_drawn(plan[CreationPlan.word("draws") :], creation)
    return plan


def put_writer(words: np.ndarray) -> None:
    """Write what repeats a word into a plan: as float64, of which it copies the bits."""
    kinds = [types.float64[::1], types.float64]
    words[: length(Draws)] = Draws.pack(
        resolver=resolver(words[Draws.word("kernels") :], lambda _: kernel_address(fill, kinds))
    )


def refill_plan(creation: Creation) -> np.ndarray:
    """The plan of a function for `refill`, which counts as a copy of what was drawn."""
    plan = RefillPlan.pack(numbers=REFILLED[creation.fill], name=address("copy_"))
    put_drawn(plan[RefillPlan.word("draws") :], creation)
    return plan


REFILLED = {
    "uniform": refill.UNIFORM,
    "normal": refill.NORMAL,
    "exponential": refill.EXPONENTIAL,
    "trials": refill.TRIALS,
}
PLACES = ("generator", "like", "sizes", "size")
Drawn = tuple[Any, int, list[int], list[float]]  # a loop, a kind, its ints and numbers


def _uniform() -> list[Drawn]:
    single, double = range_of(dtypes.float32, 0.0, 1.0), range_of(dtypes.float64, 0.0, 1.0)
    return [
        (loops.uniform_floats, 0, [single.mask], [single.low, single.width, single.top]),
        (loops.uniform_doubles, 1, [], [double.low, double.width, double.top]),
    ]


def _normal() -> list[Drawn]:
    return [
        (loops.normal_floats, 0, [], [0.0, 1.0]),
        (loops.normal_doubles, 1, [], [0.0, 1.0]),
    ]


def _exponential() -> list[Drawn]:
    return [(loops.exponential_floats, 0, [], [1.0]), (loops.exponential_doubles, 1, [], [1.0])]


def _trials() -> list[Drawn]:
    return [(loops.successes, kind, [], [0.5]) for kind in (0, 1)]


def _integers() -> list[Drawn]:
    return [(loops.whole_numbers, INTEGER_KIND, [0, 0], [])]


def _permutation() -> list[Drawn]:
    return [(loops.shuffled, INTEGER_KIND, [], [])]


def _survivors() -> list[Drawn]:
    return [(loops.survivors, BOOL_KIND, [0], [])]


DRAWN: dict[str, Callable[[], list[Drawn]]] = {
    "uniform": _uniform,
    "normal": _normal,
    "exponential": _exponential,
    "trials": _trials,
    "integers": _integers,
    "survivors": _survivors,
    "permutation": _permutation,
}
WRITTEN: dict[str, Callable[[], list[Drawn]]] = DRAWN | {"arange": lambda: [(whole_steps, INTEGER_KIND, [], [])]}


def put_drawn(words: np.ndarray, creation: Creation) -> None:
    """Write what draws or counts the numbers of a creation function into its plan, kind by kind."""
    for number, drawn in enumerate(WRITTEN.get(creation.fill, list)()):
        put_draws(words[number * length(Draws) : (number + 1) * length(Draws)], *drawn)


def put_draws(draws: np.ndarray, loop: Any, kind: int, ints: list[int], numbers: list[float]) -> None:
    def find(_: int) -> int:
        given = [types.int64] * (2 + len(ints)) + [types.float64] * len(numbers) + [types.int64] * 2
        return kernel_address(loop, [array_of(kind), *given])

    draws[:] = Draws.pack(
        resolver=resolver(draws[Draws.word("kernels") :], find),
        constants=Constants.pack(ints=[0, 0, *ints], numbers=np.array(numbers, np.float64)),
        more=len(ints),
        halves=kind in (0, BOOL_KIND) and loop is not loops.successes,
    )


@functools.cache
def let_draw() -> None:
    """Before native code draws: what Python draws moves a generator on in one step, too."""
    random.advance_by(builtin(UNIT, advance, np.zeros(1, np.int64), "The position in a stream, which is advanced."))


def general_path_of(creation: Creation) -> Callable[..., Any] | None:
    """The public function, called with the arguments of `create`; None where it gives other elements each time."""
    if creation.fill in ("nothing", *DRAWN):
        return None

    def call(*arguments: Any) -> Any:
        given, options = arguments[: len(creation.letters)], arguments[len(creation.letters) :]
        named = dict(zip(("dtype", "device", "requires_grad"), options, strict=False))
        positional: list[Any] = []
        for letter, argument in zip(creation.letters, given, strict=True):
            if letter == "S":
                positional += argument
            elif letter == "s" and "S" in creation.letters:
                named["size"] = argument
            else:
                positional.append(argument)
        return getattr(op, creation.name)(*positional, **named)

    return call


def launch_of(creation: Creation) -> Any:
    if creation.fill in DRAWN:
        let_draw()
    if "T" in creation.letters:
        doc = f"{creation.name} of a small contiguous tensor; None for others."
        return builtin(UNIT, refill.refill, refill_plan(creation), doc)
    doc = f"{creation.name} of usual arguments; None for others."
    return builtin(UNIT, create.create, creation_plan(creation), doc)
