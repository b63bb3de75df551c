"""Rows in memory beside, for kernels that go over them several times: of 16-bit floats as float32, so that what is
computed has the order of float32; and rows that lie in several pieces. Others are not copied. And intrinsics for one
16-bit float."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...compiler.jit import for_numba
from .addresses import empty_row, part_of, row_at


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
def row_to_read(context: Any, array: Any, r: Any, n: Any, pieces: Any, beside: Any, buffer: Any) -> Any:
    """row_to_read(array, r, n, pieces, beside, buffer): row r, of n elements, which lie in `pieces` between those of
    `beside` rows. Its elements are in the buffer where they are widened, or are several pieces."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def gather() -> None:
            _copy_pieces(context, builder, (array, buffer), (args[0], args[5]), args[1:5], True)

        return _row(context, builder, (array, buffer), args, gather)

    return buffer(array, *[types.int64] * 4, buffer), code


@for_numba
def row_to_write(context: Any, array: Any, r: Any, n: Any, pieces: Any, beside: Any, buffer: Any) -> Any:
    """The elements to be filled of such a row, in the buffer where `write_row` rounds or parts them."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _row(context, builder, (array, buffer), args, lambda: None)

    return buffer(array, *[types.int64] * 4, buffer), code


@for_numba
def write_row(context: Any, array: Any, r: Any, row: Any, pieces: Any, beside: Any) -> Any:
    """The end of `row_to_write`: a row that lies in the buffer is written to the array."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        with builder.if_then(_in_buffer(context, builder, array, args[3])):
            n = context.make_array(row)(context, builder, args[2]).nitems
            _copy_pieces(context, builder, (array, row), (args[0], args[2]), (args[1], n, *args[3:]), False)
        return context.get_dummy_value()

    return types.void(array, types.int64, row, types.int64, types.int64), code


def _in_buffer(context: Any, builder: Any, array: Any, pieces: Any) -> Any:
    """Whether a row is in the buffer, not in the array."""
    from numba import types

    from ...compiler.passes.float16 import HalfArray

    if isinstance(array, HalfArray):
        return context.get_constant(types.boolean, True)
    return builder.icmp_signed("!=", pieces, context.get_constant(types.int64, 1))


def _row(context: Any, builder: Any, kinds: tuple[Any, Any], args: Any, fill: Callable[[], None]) -> Any:
    """The row in the array, or in the buffer, which is filled first: neither is kept alive by it."""
    from numba import types

    array, buffer = kinds
    in_buffer = _in_buffer(context, builder, array, args[3])
    first = builder.ptrtoint(context.make_array(buffer)(context, builder, args[5]).data, args[1].type)
    data = context.make_array(array)(context, builder, args[0]).data
    in_array = builder.ptrtoint(builder.gep(data, [builder.mul(args[1], args[2])]), args[1].type)
    with builder.if_then(in_buffer):
        fill()
    signature, code = row_at(context, array.dtype, types.int64, types.int64)
    return code(context, builder, signature, (None, builder.select(in_buffer, first, in_array), args[2]))


def _copy_pieces(
    context: Any, builder: Any, kinds: tuple[Any, Any], arrays: tuple[Any, Any], sizes: Sequence[Any], reads: bool
) -> None:
    """Copy the pieces of a row between an array and a contiguous row; `sizes`: r, n, pieces, beside."""
    from numba import types
    from numba.core import cgutils

    array, row = kinds
    r, n, pieces, beside = sizes
    size = builder.sdiv(n, pieces)
    step = builder.mul(beside, size)
    block = builder.mul(builder.sdiv(r, beside), builder.mul(beside, n))
    start = builder.add(block, builder.mul(builder.srem(r, beside), size))
    with cgutils.for_range(builder, pieces) as loop:
        at = builder.add(start, builder.mul(loop.index, step))
        piece = _part(context, builder, array, arrays[0], at, size)
        own = _part(context, builder, row, arrays[1], builder.mul(loop.index, size), size)
        if reads:
            context.compile_internal(builder, _copy, types.void(array, row), (piece, own))
        else:
            context.compile_internal(builder, _copy, types.void(row, array), (own, piece))


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
