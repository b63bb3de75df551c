"""Which of 64 numbers hold a comparison, as the bits of one integer: a few that do are found among many at once."""

from __future__ import annotations

from typing import Any

from . import for_numba

LANES = 64  # numbers that are compared


@for_numba
def not_below(context: Any, row: Any, start: Any, bound: Any) -> Any:
    """not_below(row, start, bound): bit i is row[start + i] >= bound, for the 64 integers from `start` on."""
    from llvmlite import ir
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.gep(context.make_array(row)(context, builder, args[0]).data, [args[1]])
        lanes = ir.VectorType(first.type.pointee, LANES)
        each = builder.insert_element(ir.Constant(lanes, ir.Undefined), args[2], ir.IntType(32)(0))
        every = builder.shuffle_vector(each, each, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None))
        numbers = builder.load(builder.bitcast(first, lanes.as_pointer()), align=row.dtype.bitwidth // 8)
        return builder.bitcast(builder.icmp_signed(">=", numbers, every), ir.IntType(LANES))

    return types.uint64(row, types.int64, row.dtype), code


@for_numba
def lowest_bit(context: Any, bits: Any) -> Any:
    """lowest_bit(bits): the number of the lowest bit that is set; 64 where none is."""
    from llvmlite import ir
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(0))

    return types.int64(types.uint64), code


@for_numba
def number_of_bits(context: Any, bits: Any) -> Any:
    """number_of_bits(bits): how many are set."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), code
