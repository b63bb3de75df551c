"""An intrinsic for running sums: eight neighbours at once, each plus those before it, in three steps."""

from __future__ import annotations

from typing import Any

from . import for_numba

LANES = 8


@for_numba
def running_eights(context: Any, x: Any, out: Any, at: Any, stop: Any, base: Any) -> Any:
    """running_eights(x, out, at, stop, base): out[i] = base + x[at] + ... + x[i] for at <= i < stop, eight at a time;
    gives the last of them. There are a multiple of eight.

    The arrays are of floats, the sums of float64: each result is rounded once.
    """
    from numba import types

    if x.dtype not in (types.float32, types.float64) or x.layout != "C" or out.layout != "C":
        return None

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core import cgutils

        first, stop, base = args[2:]
        pair = zip(signature.args, args[:2], strict=False)
        source, target = (context.make_array(kind)(context, builder, array).data for kind, array in pair)
        # What came before is in all lanes, so that the next eight wait for one addition.
        total = cgutils.alloca_once_value(builder, spread(builder, base))
        step = first.type(LANES)
        with cgutils.for_range_slice(builder, first, stop, step, first.type) as (place, _):
            sums, before = prefixes(builder, eight_at(builder, source, place)), builder.load(total)
            store(builder, eight_at(builder, target, place), builder.fadd(sums, before))
            builder.store(builder.fadd(before, shuffled(builder, sums, [LANES - 1] * LANES)), total)
        return builder.extract_element(builder.load(total), lane(0))

    return types.float64(x, out, types.int64, types.int64, types.float64), code


def eight_at(builder: Any, start: Any, place: Any) -> Any:
    """The address of eight neighbours as a vector's."""
    from llvmlite import ir

    kind = ir.VectorType(start.type.pointee, LANES)
    return builder.bitcast(builder.gep(start, [place]), kind.as_pointer())


def prefixes(builder: Any, address: Any) -> Any:
    """Eight elements in float64, each with those before it."""
    from llvmlite import ir

    loaded, wide = builder.load(address, align=alignment(address)), ir.VectorType(ir.DoubleType(), LANES)
    sums = loaded if loaded.type == wide else builder.fpext(loaded, wide)
    # -0 changes no number that it is added to; to shift in 0, LLVM has an instruction that AMD is slow at.
    nothing = ir.Constant(wide, [-0.0] * LANES)
    for step in (1, 2, 4):
        places = [LANES + j - step if j >= step else j for j in range(LANES)]
        sums = builder.fadd(sums, builder.shuffle_vector(nothing, sums, constant(places)))
    return sums


def store(builder: Any, address: Any, sums: Any) -> None:
    """Write eight numbers, rounded."""
    stored = address.type.pointee
    rounded = sums if stored == sums.type else builder.fptrunc(sums, stored)
    builder.store(rounded, address, align=alignment(address))


def alignment(address: Any) -> int:
    """That of an element, in bytes: rows may begin anywhere."""
    from llvmlite import ir

    return 8 if address.type.pointee.element == ir.DoubleType() else 4


def spread(builder: Any, value: Any) -> Any:
    """A vector with the same number in all lanes."""
    from llvmlite import ir

    kind = ir.VectorType(value.type, LANES)
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, lane(0))
    return shuffled(builder, single, [0] * LANES)


def shuffled(builder: Any, vector: Any, places: list[int]) -> Any:
    """The lanes at these places."""
    return builder.shuffle_vector(vector, vector, constant(places))


def constant(places: list[int]) -> Any:
    """The constant that says where each lane comes from."""
    from llvmlite import ir

    return ir.Constant(ir.VectorType(ir.IntType(32), LANES), places)


def lane(number: int) -> Any:
    """The number of a lane."""
    from llvmlite import ir

    return ir.IntType(32)(number)
