"""Intrinsics for extremes, and where they first are, in lanes side by side. nan is more extreme than all numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...compiler.jit import for_numba
from .prefix_scan import LANES, Eights, constant, lane, shuffled, splat

GROUPS = 4  # of eight lanes of a row: so none waits for the comparison before
TILE_LANES = GROUPS * LANES
HALVES = [4, 5, 6, 7], [2, 3], [1]  # the lanes that the first ones are joined with in three steps


@for_numba
def argmax_of_row(context: Any, x: Any, steps: Any) -> Any:
    """The greatest of the first 32 `steps` elements, and where it first is; fewer than 2^31 steps."""
    return _in_row(x, ">")


@for_numba
def argmin_of_row(context: Any, x: Any, steps: Any) -> Any:
    return _in_row(x, "<")


@for_numba
def argmax_of_columns(context: Any, x: Any, at: Any, along: Any, stride: Any, values: Any, positions: Any) -> Any:
    """Of eight columns from place `at` on, whose rows are `apart`, the greatest and its first row."""
    return _down(x, values, positions, ">")


@for_numba
def argmin_of_columns(context: Any, x: Any, at: Any, along: Any, stride: Any, values: Any, positions: Any) -> Any:
    return _down(x, values, positions, "<")


def _in_row(x: Any, relation: str) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        read, steps = Eights(context, builder, x, args[0]), args[1]
        starts = [steps.type(group * LANES) for group in range(GROUPS)]
        result = minmax_of(builder, relation, read, starts, steps, steps.type(TILE_LANES))
        number = constant([TILE_LANES] * LANES)
        pairs = [
            (best, builder.add(builder.mul(step, number), constant(list(range(start, start + LANES)))))
            for start, (best, step) in zip(range(0, TILE_LANES, LANES), result, strict=True)
        ]
        first, *others = pairs
        for other in others:
            first = earlier(builder, relation, first, other)
        for positions in HALVES:
            behind = positions + list(range(len(positions), LANES))
            first = earlier(builder, relation, first, [shuffled(builder, each, behind) for each in first])
        best, position = (builder.extract_element(each, lane(0)) for each in first)
        numbers = read.number_of(best), builder.zext(position, steps.type)
        return context.make_tuple(builder, signature.return_type, numbers)

    return types.Tuple((x.dtype, types.int64))(x, types.int64), code


def _down(x: Any, values: Any, positions: Any, relation: str) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at, along, stride = args[1:4]
        kinds = zip((x, values, positions), (args[0], *args[4:]), strict=True)
        read, *written = (Eights(context, builder, *each) for each in kinds)
        ((best, number),) = minmax_of(builder, relation, read, [at], along, stride)
        written[0].store(best, at.type(0))
        written[1].store(builder.zext(number, written[1].vector), at.type(0))
        return context.get_dummy_value()

    return types.void(x, *[types.int64] * 3, values, positions), code


def minmax_of(
    builder: Any, relation: str, read: Eights, starts: Sequence[Any], count: Any, step: Any
) -> list[tuple[Any, Any]]:
    from numba.core import cgutils

    none = constant([0] * LANES)
    stored_vars = [[cgutils.alloca_once_value(builder, each) for each in (read.load(start), none)] for start in starts]
    with cgutils.for_range_slice(builder, count.type(1), count, count.type(1), count.type) as (i, _):
        number, further = splat(builder, builder.trunc(i, none.type.element)), builder.mul(i, step)
        for start, rooms in zip(starts, stored_vars, strict=True):
            new, (old, result) = read.load(builder.add(start, further)), map(builder.load, rooms)
            better = is_better(builder, relation, new, old)
            builder.store(builder.select(better, new, old), rooms[0])
            builder.store(builder.select(better, number, result), rooms[1])
    return [(builder.load(rooms[0]), builder.load(rooms[1])) for rooms in stored_vars]


def is_better(builder: Any, relation: str, new: Any, old: Any) -> Any:
    """In which lanes one is more extreme than another: so nan is than a number, and nothing than nan."""
    if hasattr(new.type.element, "width"):
        return builder.icmp_signed(relation, new, old)
    beaten = builder.fcmp_unordered(relation, new, old)
    return builder.and_(beaten, builder.fcmp_ordered("ord", old, old))


def earlier(builder: Any, relation: str, one: Any, other: Any) -> Any:
    (best, position), (new, at) = one, other
    alike = builder.not_(is_better(builder, relation, best, new))
    first = builder.and_(alike, builder.icmp_signed("<", at, position))
    replaces = builder.or_(is_better(builder, relation, new, best), first)
    return builder.select(replaces, new, best), builder.select(replaces, at, position)
