"""An intrinsic for running sums: eight neighbours at once, each plus those before it, in three steps."""

from __future__ import annotations

from typing import Any

from . import for_numba

LANES = 8


@for_numba
def running_eight(context: Any, x: Any, out: Any, at: Any, base: Any) -> Any:
    """running_eight(x, out, at, base): out[at + i] = base + x[at] + ... + x[at + i] for i < 8; gives the last of them.

    The arrays are of floats, the sums of float64: each result is rounded once.
    """
    from numba import types

    if x.dtype not in (types.float32, types.float64) or x.layout != "C" or out.layout != "C":
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        stored, wide = (ir.VectorType(kind, LANES) for kind in (context.get_data_type(x.dtype), ir.DoubleType()))
        source, target = (
            builder.bitcast(builder.gep(context.make_array(kind)(context, builder, array).data, [args[2]]), pointer)
            for kind, array, pointer in zip(signature.args, args[:2], [stored.as_pointer()] * 2, strict=False)
        )
        align = context.get_abi_sizeof(stored.element)  # as an element: rows may begin anywhere
        loaded = builder.load(source, align=align)
        sums = loaded if stored == wide else builder.fpext(loaded, wide)
        for step in (1, 2, 4):
            sums = builder.fadd(sums, shifted(builder, sums, step))
        sums = builder.fadd(sums, spread(builder, args[3], wide))
        builder.store(sums if stored == wide else builder.fptrunc(sums, stored), target, align=align)
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
