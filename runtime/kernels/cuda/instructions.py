"""Instructions that only a GPU has, made for its compiler as `scalar/intrinsics.py` makes the primitives of all."""

from __future__ import annotations

from typing import Any

from ..scalar.intrinsics import Target


def bfloat16_bits(target: Target) -> Any:
    """The bits of the nearest bfloat16: sm_80 and later have an instruction for that."""

    def bfloat16_bits(context: Any, x: Any) -> Any:
        from llvmlite import ir

        def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
            convert = ir.FunctionType(ir.IntType(16), [ir.FloatType()])
            return builder.call(ir.InlineAsm(convert, "cvt.rn.bf16.f32 $0, $1;", "=h,f"), arguments)

        return target.signature(target.types.uint16, target.types.float32), code

    return bfloat16_bits
