"""Intrinsics for one 16-bit float: an integer of 16 bits in arrays of NumPy, whose types numba does not know."""

from __future__ import annotations

from typing import Any

from .. import for_numba


@for_numba
def as_single(context: Any, bits: Any, half: Any) -> Any:
    """as_single(bits, half): the float32 of the bits of a "bfloat16" or "float16"."""
    from numba import types

    from ...compile.half_bits import widened

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return widened(builder, args[0], half.literal_value)

    return types.float32(types.uint16, half), code


@for_numba
def as_half(context: Any, number: Any, half: Any) -> Any:
    """as_half(number, half): the bits of the nearest one to a float32."""
    from numba import types

    from ...compile.half_bits import narrowed

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return narrowed(builder, args[0], half.literal_value)

    return types.uint16(types.float32, half), code
