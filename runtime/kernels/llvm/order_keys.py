"""Intrinsics of keys: signed integers of 32 or 64 bits that are in order as numbers of any kind are.

Of integers and bools a key is the number itself. Of floats its bits, turned round where the number is negative: so -0
is as 0, and every nan greatest.
"""

from __future__ import annotations

from typing import Any

from . import for_numba


def width_of(kind: Any) -> int:
    """The bits of a key of a kind of numbers."""
    from numba import types

    return 64 if kind in (types.float64, types.int64, types.uint64) else 32


@for_numba
def order_key(context: Any, number: Any) -> Any:
    """order_key(number): its key."""
    from llvmlite import ir
    from numba import types

    width = width_of(number)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(number, types.Float):
            return float_key(builder, builder.bitcast(args[0], ir.IntType(width)))
        extended = builder.sext if isinstance(number, types.Integer) and number.signed else builder.zext
        return args[0] if args[0].type.width == width else extended(args[0], ir.IntType(width))

    return types.Integer.from_bitwidth(width, True)(number), code


def float_key(builder: Any, bits: Any) -> Any:
    """The key of the bits of a float."""
    kind, width = bits.type, bits.type.width
    every, infinity = kind((1 << width - 1) - 1), kind(0x7F800000 if width == 32 else 0x7FF0000000000000)
    size = builder.and_(bits, every)
    bits = builder.select(builder.icmp_signed("==", size, kind(0)), size, bits)
    flipped_bits = builder.xor(bits, builder.and_(builder.ashr(bits, kind(width - 1)), every))
    return builder.select(builder.icmp_signed(">", size, infinity), every, flipped_bits)


@for_numba
def max_key(context: Any, number: Any) -> Any:
    """max_key(number): the greatest key of numbers of its kind."""
    from llvmlite import ir
    from numba import types

    width = width_of(number)
    largest = ir.IntType(width)((1 << width - 1) - 1)
    return types.Integer.from_bitwidth(width, True)(number), lambda context, builder, signature, args: largest
