"""Which of 64 or 16 numbers hold a comparison, as bits of one integer: a few that do are found among many at once."""

from __future__ import annotations

from typing import Any

from . import for_numba

LANES = 64  # numbers that are compared
LINEAR_SEARCH_LANES = 16  # numbers that are compared at a time where one after the other is searched for


@for_numba
def not_below(context: Any, row: Any, start: Any, bound: Any) -> Any:
    """not_below(row, start, bound): bit i is row[start + i] >= bound, for the 64 integers from `start` on."""
    return _compared(row, ">=", LANES)


@for_numba
def count_not_below(context: Any, row: Any, start: Any, bound: Any) -> Any:
    """count_not_below(row, start, bound): bit i is row[start + i] >= bound, for 16 numbers; bit 16 is set."""
    return _compared(row, ">=", LINEAR_SEARCH_LANES)


@for_numba
def count_above(context: Any, row: Any, start: Any, bound: Any) -> Any:
    """count_above(row, start, bound): bit i is row[start + i] > bound, for 16 numbers; bit 16 is set."""
    return _compared(row, ">", LINEAR_SEARCH_LANES)


def _compared(row: Any, relation: str, lanes: int) -> Any:
    """The bits of a comparison of so many neighbours with a number, which nan does not hold; behind them one is set."""
    from llvmlite import ir
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = builder.gep(context.make_array(row)(context, builder, args[0]).data, [args[1]])
        kind = ir.VectorType(first.type.pointee, lanes)
        each = builder.insert_element(ir.Constant(kind, ir.Undefined), args[2], ir.IntType(32)(0))
        every = builder.shuffle_vector(each, each, ir.Constant(ir.VectorType(ir.IntType(32), lanes), None))
        numbers = builder.load(builder.bitcast(first, kind.as_pointer()), align=row.dtype.bitwidth // 8)
        if isinstance(row.dtype, types.Float):
            holds = builder.fcmp_ordered(relation, numbers, every)
        else:
            compare = builder.icmp_signed if row.dtype.signed else builder.icmp_unsigned
            holds = compare(relation, numbers, every)
        bits = builder.bitcast(holds, ir.IntType(lanes))
        word = ir.IntType(LANES)
        return bits if lanes == LANES else builder.or_(builder.zext(bits, word), word(1 << lanes))

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
