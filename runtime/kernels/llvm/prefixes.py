"""An intrinsic for running sums: eight neighbours at once, each plus those before it, in three steps."""

from __future__ import annotations

from typing import Any

from . import for_numba

LANES = 8


@for_numba
def running_eight(context: Any, x: Any, out: Any, at: Any, base: Any) -> Any:
    """running_eight(x, out, at, base): out[at + i] = base + x[at] + ... + x[at + i] for i < 8; gives the last of them.

    The arrays are of float32, the sums of float64: each result is rounded once.
    """
    from numba import types

    if x.dtype != types.float32 or x.layout != "C" or out.layout != "C":
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        single, wide = (ir.VectorType(kind, LANES) for kind in (ir.FloatType(), ir.DoubleType()))
        source, target = (
            builder.bitcast(builder.gep(context.make_array(kind)(context, builder, array).data, [args[2]]), pointer)
            for kind, array, pointer in zip(signature.args, args[:2], [single.as_pointer()] * 2, strict=False)
        )
        sums = builder.fpext(builder.load(source, align=4), wide)  # aligned as an element: rows may begin anywhere
        for step in (1, 2, 4):
            sums = builder.fadd(sums, shifted(builder, sums, step))
        sums = builder.fadd(sums, spread(builder, args[3], wide))
        builder.store(builder.fptrunc(sums, single), target, align=4)
        return builder.extract_element(sums, ir.IntType(32)(LANES - 1))

    return types.float64(x, out, types.int64, types.float64), code


def shifted(builder: Any, vector: Any, step: int) -> Any:
    """Each lane's number that many lanes further on, zeros before them."""
    from llvmlite import ir

    places = [LANES + j - step if j >= step else j for j in range(LANES)]
    return builder.shuffle_vector(ir.Constant(vector.type, None), vector, lanes(places))


def spread(builder: Any, value: Any, kind: Any) -> Any:
    """A vector with the same number in all lanes."""
    from llvmlite import ir

    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(single, single, lanes([0] * LANES))


def lanes(places: list[int]) -> Any:
    """The constant that says where each lane comes from."""
    from llvmlite import ir

    return ir.Constant(ir.VectorType(ir.IntType(32), LANES), places)
