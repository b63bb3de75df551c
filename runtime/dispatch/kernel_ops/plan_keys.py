"""Plans of kernels for calls: found once for layouts and other arguments, and kept under keys of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import copysign, prod
from typing import Any

from ...kernels.compile.machine import pair_products
from ...kernels.cpu.dtypes.half_plans import INDEX, INT32, MASK
from ...kernels.cpu.movement.gathering import gathered
from ...kernels.cpu.plan import Layout, Mask, Narrow, Plan, takes_complex
from ...tensor.devices import CPU
from ...tensor.dtypes import bfloat16, bool_, dtype, int32, int64
from ...tensor.shapes import Size

MAX_CACHED_PLANS = 4096  # plans of one op; then it forgets all of them
MAX_INDICES = 4  # in a list
HUGE = 2**28  # elements of a result: the general path says in words where there is no room for so many


def plan_of(
    find: Callable[..., Plan | None],
    known: Sequence[Any],
    operands: Sequence[Any],
    arg_kinds: str,
    outputs: int,
    in_pairs: bool = False,
) -> Plan | None:
    """The plan for layouts and other arguments, of copies where there is none for operands as they lie.

    Such copies are float32: `in_pairs`, products are for the general path, which copies elements as they are stored.
    None also where its tables or its results may not fit into memory: then the general path says so.
    """
    try:
        plan = find(*known)
        if plan is None and not takes_complex(find):
            plan = gathered(find, known, operands, arg_kinds, outputs)
            if in_pairs and plan is not None and any(step.pairs is not None for step in plan):
                return None
    except (MemoryError, OverflowError):
        return None
    if plan is None or any(prod(shape) >= HUGE for step in plan for _, shape in step.results):
        return None
    return plan


def table_of(op: Any, computed: dtype, tables: str = "found") -> dict[Any, Any]:
    """Where an op keeps the plans for tensors of a dtype: integers have the same ones, however many bits they have."""
    kind = {"c": "complex", "i": "integer"}.get(computed.kind, computed.name)
    value: dict[Any, Any] = getattr(op, tables if computed.native else f"{tables}_{kind}")
    return value


def is_in_pairs(computed: dtype) -> bool:
    """Whether calls on tensors of a dtype may multiply pairs of elements by instructions of the processor."""
    return computed is bfloat16 and bool(pair_products())


def plan_for(result: dict[Any, Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """The plan that is kept under a key, which `make` gives where there is none yet."""
    plan = result.get(key, result)  # another thread may make the op forget its plans at any time
    if plan is result:
        plan = make()
        if len(result) >= MAX_CACHED_PLANS:
            result.clear()
        result[key] = plan
    return plan


def may_be_key(values: Sequence[Any]) -> bool:
    """Whether values are told apart by a key: -0.0 is equal to 0.0."""
    return not any(value.__class__ is float and not value and copysign(1, value) < 0 for value in values)


def are_indices(arg_kind: str, argument: Any, on_host: bool) -> bool:
    """Whether an argument that is an index, or a list of them, is of int64; on the host it may be a contiguous one of
    int32, or a mask. Lists are of the host alone; what keeps its dtype and may be left out is an index there."""
    if arg_kind == "J":
        is_short = on_host and 1 <= len(argument) <= MAX_INDICES
        return is_short and all(index is None or is_index(index) for index in argument)
    if arg_kind == "R" and on_host:
        return argument is None or is_index(argument)
    return arg_kind != "I" or argument._dtype is int64 or (on_host and is_index(argument))


def is_index(tensor: Any) -> bool:
    """Whether a tensor of the host has indices of int64, or, contiguous, of int32, or is a mask of some dimensions."""
    return tensor._dtype is int64 or type(layout_of_index(tensor)) is not Layout


def layout_of_index(tensor: Any) -> Layout:
    """The layout of an index, in the class that says of what dtype it is: of a mask, or of int32, a contiguous one."""
    if tensor._strides is None and tensor._device is CPU:
        if tensor._dtype is bool_ and tensor._shape:
            return Mask(tensor._shape, None)
        if tensor._dtype is int32:
            return Narrow(tensor._shape, None)
    return Layout(tensor._shape, tensor._strides)


def as_known(arg_kind: str, argument: Any) -> Any:
    """An argument as a plan is found by it: layouts in the place of tensors."""
    if arg_kind == "J":
        return tuple([None if t is None else layout_of_index(t) for t in argument])
    if arg_kind == "L":
        return tuple([Layout(t._shape, t._strides, halves=are_halves(t._dtype)) for t in argument])
    if arg_kind not in "TOIR" or argument is None:
        return argument
    own = argument._dtype
    if arg_kind == "I" or (arg_kind == "R" and own in (bool_, int32)):
        return layout_of_index(argument)
    return Layout(argument._shape, argument._strides, own.kind == "c", are_halves(own))


def are_halves(own: dtype) -> bool:
    """Whether elements are 16-bit floats, for which plans are rewritten."""
    return own.planned and not own.native


def parts_of_key(arg_kind: str, argument: Any) -> tuple[Any, ...]:
    """The parts of a key that stand for an argument; of a mask, or an index of int32, its dtype is in the place of
    strides."""
    if arg_kind == "L":
        return tuple([part for t in argument for part in parts_of_key("O", t)])
    if arg_kind == "J":
        return tuple([part for t in argument for part in parts_of_key("I", t)])
    if arg_kind in "TOIR":
        if argument is None:
            return None, None
        type_known = arg_kind in "IR" and argument._dtype in (bool_, int32) and argument._device is CPU
        return argument._shape, argument._dtype if type_known else argument._strides
    if arg_kind == "d" and type(argument) in (list, Size):
        return (tuple(argument),)
    return (argument,)


def operand_arg_kinds(arg_kinds: str, layouts: Sequence[Any]) -> str:
    """What plans read of operands: what keeps its dtype is an index or a mask, and all others are of one dtype."""
    kinds = [*arg_kinds.replace("O", "T")]
    for i, known in enumerate(layouts):
        if kinds[i] in "IR":
            masks = isinstance(known, Mask) or (kinds[i] == "R" and known is None)
            kinds[i] = MASK if masks else INT32 if isinstance(known, Narrow) else INDEX
    return "".join(kinds)
