"""Forward mode through a custom Function: its static method `jvp` gives the outputs' tangents, level by level.

forward computes on plain values: tensors that it is given have no tangents while it runs. While `jvp` runs for one
level, they have those of the levels around it, so that levels nest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...errors import GraphError, type_name
from ...tensor.base import TensorBase
from ..engine.match_input import fit
from ..forward.tangents import below, levels_of, set_tangent, tangent_at, write_tangents, zeros_if_missing
from .context import FunctionCtx, is_among, tensors_in

_OUTERMOST = -1
_MISSING = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."


@contextmanager
def without_tangents(values: Sequence[Any], level: int = _OUTERMOST) -> Iterator[None]:
    """Inside, tensors have only the tangents of levels around this one."""
    held = [(v, v._tangent) for v in values if isinstance(v, TensorBase) and v._tangent is not None]
    for tensor, tangents in held:
        tensor._tangent = {outer: t for outer, t in tangents.items() if outer < level} or None
    try:
        yield
    finally:
        for tensor, tangents in held:
            tensor._tangent = tangents


def push_forward(jvp: Any, ctx: FunctionCtx, args: tuple[Any, ...], outputs: Any, results: tuple[Any, ...]) -> None:
    for result in tensors_in(results):
        if result._tangent is not None and not is_among(result, args):
            result._tangent = None  # forward computed it from a tensor that it was not given
    tensors = tensors_in(args)
    for level in levels_of(tensors):
        if jvp is None:
            raise NotImplementedError(_MISSING)
        along = [_tangent_of(a, level, ctx.materialize_grads) for a in args]
        with without_tangents((*tensors, *tensors_in(results)), level):
            value = _call(jvp, ctx, along, len(results))
        for index, (result, tangent) in enumerate(zip(results, value, strict=True)):
            if tangent is not None:
                _check(tangent, result, index, ctx, outputs[index])
                _check_memory(tangent, result, tensors, level)
                _give(tangent, result, level, written=is_among(result, args))
            elif is_among(result, args) and isinstance(result, TensorBase):
                _drop(result, level)


def _tangent_of(argument: Any, level: int, materialize: bool) -> Any:
    """The tangent that jvp gets for an argument of forward; None for other values than floating-point tensors."""
    if not isinstance(argument, TensorBase) or argument._dtype.kind not in "fc":
        return None
    tangent = tangent_at(argument, level)
    return zeros_if_missing(tangent, argument) if materialize else tangent


def _call(jvp: Any, ctx: FunctionCtx, along: Sequence[Any], count: int) -> tuple[Any, ...]:
    ctx._forward_saved = ctx.saved_for_forward or ()
    try:
        value = jvp(ctx, *along)
    finally:
        del ctx._forward_saved
    return padded_tuple(value, count)


def padded_tuple(value: Any, count: int) -> tuple[Any, ...]:
    """The return value of jvp as a tuple with a tangent, or None, for each output."""
    result = value if isinstance(value, tuple) else (value,)
    if len(result) != count:
        raise GraphError(
            f"Function's jvp returned an invalid number of forward gradients (expected {count} but got {len(result)})"
        )
    return result


def _check(tangent: Any, result: Any, index: int, ctx: FunctionCtx, output: Any) -> None:
    """A tangent must be a tensor like the differentiable output that it is for."""
    if not isinstance(tangent, TensorBase):
        raise GraphError(f"expected Variable or None (got {type_name(tangent)}) for grad output {index}.")
    tensor = isinstance(result, TensorBase) and result._dtype.kind in "fc"
    if not tensor or is_among(output, ctx.non_differentiable):
        raise GraphError(
            f"Function's jvp returned a gradient at position {index}, but the corresponding forward output is not a "
            "differentiable Tensor. You should return None at that position instead."
        )
    if tangent._shape != result._shape:
        raise GraphError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(result._shape)} while the given forward gradient is of size "
            f"{list(tangent._shape)}."
        )
    if tangent._dtype.kind == "c" and result._dtype.kind != "c":
        raise GraphError(f"Function's jvp returned a complex tangent at position {index} for a real output")


def _check_memory(tangent: Any, result: Any, inputs: list[Any], level: int) -> None:
    if is_among(result, inputs):
        held = tangent_at(result, level)
        if held is not None and held is not tangent:
            raise GraphError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
                "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
            )
        return
    held = next((tangent_at(x, level) for x in inputs if _looks_into(result, x)), None)
    if held is not None and tangent._base is None:
        raise GraphError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    if held is not None and tangent._storage is not held._storage:
        raise GraphError(
            "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
        )


def _looks_into(view: Any, source: Any) -> bool:
    return view._base is not None and (view._base is source or view._base is source._base)


def _give(tangent: Any, result: Any, level: int, written: bool) -> None:
    before = result._tangent
    tangent = fit(tangent, (result._shape, result._dtype))
    if tangent._tangent is not None and max(tangent._tangent) >= level:
        tangent = below(tangent, level)
    set_tangent(result, level, tangent)
    if written and (before is None or level not in before):
        write_tangents(result, before)


def _drop(result: Any, level: int) -> None:
    result._tangent = {other: t for other, t in (result._tangent or {}).items() if other != level} or None
