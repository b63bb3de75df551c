"""Intrinsics for numba kernels that work with addresses, which are compiled once, however their operands lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...compiler.jit import for_numba
from .intrinsics import constant_number
from .vectors import LINE


@for_numba
def address(context: Any, array: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        return builder.ptrtoint(data, context.get_value_type(types.int64))

    return types.int64(array), code


@for_numba
def row_at(context: Any, like: Any, start: Any, count: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _array_at(context, builder, signature.return_type, args[1], args[2:], ())

    return types.Array(like, 1, "C")(like, start, count), code


@for_numba
def part_of(context: Any, array: Any, start: Any, count: Any) -> Any:
    """part_of(array, start, count): of a contiguous one; does not keep the memory alive, which costs more."""
    from numba import types

    if array.layout != "C":
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        full = context.make_array(array)(context, builder, args[0]).data
        first = builder.ptrtoint(builder.gep(full, [args[1]]), context.get_value_type(types.int64))
        return _array_at(context, builder, signature.return_type, first, args[2:], ())

    return array.copy(ndim=1, layout="C", readonly=False)(array, start, count), code


@for_numba
def offset_of(context: Any, part: Any, between: Any, times: Any, outer: Any) -> Any:
    """Where a part begins, in elements: parts are `between` apart, and `times` of them `outer`."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number, step, count, further = args
        before = builder.block
        inner_offset = builder.mul(number, step)
        with builder.if_then(builder.icmp_signed(">=", number, count)):  # else nothing is divided
            outer_offset = builder.mul(builder.sdiv(number, count), further)
            outer_offset = builder.add(outer_offset, builder.mul(builder.srem(number, count), step))
            divided = builder.block
        element_pointer = builder.phi(inner_offset.type)
        element_pointer.add_incoming(inner_offset, before)
        element_pointer.add_incoming(outer_offset, divided)
        return element_pointer

    return types.int64(types.int64, types.int64, types.int64, types.int64), code


@for_numba
def matrix_at(context: Any, like: Any, start: Any, rows: Any, columns: Any, row: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _array_at(context, builder, signature.return_type, args[1], args[2:4], args[4:])

    return types.Array(like, 2, "A")(like, start, rows, columns, row), code


@for_numba
def empty_row(context: Any, like: Any, count: Any) -> Any:
    """empty_row(like, count): a new row, not filled; for np.empty numba compiles three functions."""
    from numba import types

    kind = types.Array(types.unliteral(like), 1, "C")

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _new_array(context, builder, kind, args[1:])

    return kind(like, types.int64), code


@for_numba
def clear(context: Any, array: Any) -> Any:
    from numba import types
    from numba.core import cgutils

    if array.layout != "C":
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        full = context.make_array(array)(context, builder, args[0])
        cgutils.memset(builder, full.data, builder.mul(full.nitems, full.itemsize), 0)
        return context.get_dummy_value()

    return types.void(array), code


@for_numba
def zero_row(context: Any, like: Any, count: Any) -> Any:
    from numba import types
    from numba.core import cgutils

    kind = types.Array(types.unliteral(like), 1, "C")

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = _new_array(context, builder, kind, args[1:])
        array = context.make_array(kind)(context, builder, made)
        cgutils.memset(builder, array.data, builder.mul(args[1], array.itemsize), 0)
        return made

    return kind(like, types.int64), code


@for_numba
def empty_matrix(context: Any, like: Any, rows: Any, columns: Any) -> Any:
    from numba import types

    kind = types.Array(types.unliteral(like), 2, "C")

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _new_array(context, builder, kind, args[1:])

    return kind(like, types.int64, types.int64), code


@constant_number
def item_size(context: Any, like: Any) -> int:
    size: int = context.get_abi_sizeof(context.get_data_type(like))
    return size


@for_numba
def call_at(context: Any, kernel: Any, arguments: Any) -> Any:
    """Call the kernel at an address with a tuple of arguments, of whose types it is; whoever calls keeps it alive."""
    from numba import types
    from numba.core import cgutils

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention, kinds = context.call_conv, signature.args[1].types
        values = cgutils.unpack_tuple(builder, args[1], len(kinds))
        passed = convention._get_arg_packer(kinds).as_arguments(builder, values)  # borrowed: no reference is counted
        kind = convention.get_function_type(types.none, kinds)
        result, error = (cgutils.alloca_once(builder, argument.pointee) for argument in kind.args[:2])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [result, error, *passed])
        return context.get_dummy_value()

    return types.void(kernel, arguments), code


@for_numba
def call_c(context: Any, function: Any, arguments: Any) -> Any:
    from numba import types
    from numba.core import cgutils

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        values = cgutils.unpack_tuple(builder, args[1], len(arguments))
        kind = ir.FunctionType(ir.VoidType(), [value.type for value in values])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), values)
        return context.get_dummy_value()

    return types.void(types.int64, arguments), code


def _new_array(context: Any, builder: Any, kind: Any, shape: Sequence[Any]) -> Any:
    from numba import types

    element = context.get_data_type(kind.dtype)
    row = builder.mul(shape[-1], context.get_constant(types.intp, context.get_abi_sizeof(element)))
    align = context.get_constant(types.uint32, LINE)  # a vector may be as wide, and takes longer across two lines
    size = builder.mul(shape[0], row) if kind.ndim == 2 else row
    owner = context.nrt.meminfo_alloc_aligned(builder, size, align)
    start = builder.ptrtoint(context.nrt.meminfo_data(builder, owner), context.get_value_type(types.int64))
    return _array_at(context, builder, kind, start, shape, [row][: kind.ndim - 1], owner)


def _array_at(
    context: Any, builder: Any, kind: Any, start: Any, shape: Sequence[Any], strides: Sequence[Any], owner: Any = None,
) -> Any:  # fmt: skip
    """An array over memory that somebody else keeps, or that an owner does; the last dimension is contiguous."""
    from numba import types
    from numba.np.arrayobj import populate_array

    from ...compiler.passes.float16 import stored

    array = context.make_array(kind)(context, builder)
    element = context.get_data_type(stored(kind))
    item = context.get_constant(types.intp, context.get_abi_sizeof(element))
    data = builder.inttoptr(start, element.as_pointer())
    # Without meminfo the array owns nothing, and nothing is counted: the caller holds the memory.
    populate_array(array, data=data, shape=shape, strides=[*strides, item], itemsize=item, meminfo=owner)
    return array._getvalue()
