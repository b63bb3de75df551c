"""Rows of 16-bit floats as float32, in memory beside, for kernels that go over them several times: so what is computed
has the order of float32. Other arrays are not copied. And intrinsics for one 16-bit float."""

from __future__ import annotations

from typing import Any

from ...compiler.jit import for_numba
from .addresses import empty_row, part_of


@for_numba
def buffer_for(context: Any, array: Any, count: Any) -> Any:
    """buffer_for(array, count): a row of `count` float32 where the array is of 16-bit floats, else an empty one."""
    from numba import types

    from ...compiler.passes.float16 import HalfArray

    kind = types.Array(array.dtype, 1, "C")

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not isinstance(array, HalfArray):
            return context.get_constant_null(kind)
        made, write = empty_row(context, array.dtype, types.int64)
        return write(context, builder, made, (context.get_constant(array.dtype, 0), args[1]))

    return kind(array, types.int64), code


@for_numba
def reading(context: Any, array: Any, start: Any, count: Any, buffer: Any) -> Any:
    """reading(array, start, count, room): elements from `start` on, in `room` where they are widened."""
    from numba import types

    from ...compiler.passes.float16 import HalfArray

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        part = _part(context, builder, array, args[0], args[1], args[2])
        if not isinstance(array, HalfArray):
            return part
        row = _beginning(context, builder, buffer, args[3], args[2])
        context.compile_internal(builder, _copy, types.void(array, buffer), (part, row))
        return row

    return buffer(array, types.int64, types.int64, buffer), code


@for_numba
def writing(context: Any, array: Any, start: Any, count: Any, buffer: Any) -> Any:
    """writing(array, start, count, room): elements to be filled, in `room` where `written` rounds them."""
    from numba import types

    from ...compiler.passes.float16 import HalfArray

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not isinstance(array, HalfArray):
            return _part(context, builder, array, args[0], args[1], args[2])
        return _beginning(context, builder, buffer, args[3], args[2])

    return buffer(array, types.int64, types.int64, buffer), code


@for_numba
def written(context: Any, array: Any, start: Any, row: Any) -> Any:
    """written(array, start, row): the end of `writing`: a row that lies beside the array is rounded into it."""
    from numba import types

    from ...compiler.passes.float16 import HalfArray

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(array, HalfArray):
            count = context.make_array(row)(context, builder, args[2]).nitems
            part = _part(context, builder, array, args[0], args[1], count)
            context.compile_internal(builder, _copy, types.void(row, array), (args[2], part))
        return context.get_dummy_value()

    return types.void(array, types.int64, row), code


def _part(context: Any, builder: Any, kind: Any, array: Any, start: Any, count: Any) -> Any:
    from numba import types

    signature, code = part_of(context, kind, types.int64, types.int64)
    return code(context, builder, signature, (array, start, count))


def _beginning(context: Any, builder: Any, kind: Any, buffer: Any, count: Any) -> Any:
    """The first elements of a room, which hold its memory: who has them may be the last to need it."""
    from numba import types

    part = context.make_array(kind)(
        context, builder, _part(context, builder, kind, buffer, context.get_constant(types.int64, 0), count)
    )
    part.meminfo = context.make_array(kind)(context, builder, buffer).meminfo
    context.nrt.incref(builder, kind, part._getvalue())
    return part._getvalue()


def _copy(source: Any, to: Any) -> None:
    for i in range(to.size):
        to[i] = source[i]


@for_numba
def as_single(context: Any, bits: Any, half: Any) -> Any:
    from numba import types

    from ...compiler.passes.float16 import widened

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return widened(builder, args[0], half.literal_value)

    return types.float32(types.uint16, half), code


@for_numba
def as_half(context: Any, number: Any, half: Any) -> Any:
    from numba import types

    from ...compiler.passes.float16 import narrowed

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return narrowed(builder, args[0], half.literal_value)

    return types.uint16(types.float32, half), code
