"""Intrinsics for a kernel's table of results: memory of the kernel's own, with a word that says how far it is."""

from __future__ import annotations

from typing import Any

from ...compiler.jit import for_numba
from .addresses import _array_at
from .intrinsics import of_integers
from .vectors import VectorLoops

COUNT = 1 << 16  # 16-bit floats


@for_numba
def table_slots(context: Any) -> Any:
    """table_slots(): the address of 65536 results of 16 bits, behind a line whose first word is `table_state`'s."""
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        known = builder.module.globals.get(NAME)
        if known is None:
            known = ir.GlobalVariable(builder.module, ir.ArrayType(ir.IntType(64), LINE + COUNT // 4), NAME)
            known.linkage, known.initializer, known.align = "internal", ir.Constant(known.value_type, None), 64
        return builder.ptrtoint(known, ir.IntType(64))

    return types.int64(), code


NAME, LINE = "table of results", 8


@for_numba
def state_at(context: Any, offset: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        return builder.load_atomic(builder.inttoptr(args[0], ir.IntType(64).as_pointer()), "acquire", 8)

    return types.int64(types.int64), code


@of_integers
def set_state(context: Any, builder: Any, offset: Any, word: Any) -> None:
    from llvmlite import ir

    builder.store_atomic(word, builder.inttoptr(offset, ir.IntType(64).as_pointer()), "release", 8)


@for_numba
def array_at(context: Any, like: Any, start: Any, count: Any) -> Any:
    from numba import types

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _array_at(context, builder, signature.return_type, args[1], args[2:], ())

    return like(like, types.int64, types.int64), code


@of_integers
def gathered(context: Any, builder: Any, numbers: Any, table: Any, to: Any, count: Any) -> None:
    from numba import types

    loops = VectorLoops(context, builder, types.float32, 1)

    def take(match: list[Any], offset: Any) -> None:
        # Atomic, so that LLVM reads one by one: vectors of 16-bit elements it puts together, which takes longer.
        results = [builder.load_atomic(_half_at(builder, table, number), "monotonic", 2) for number in match]
        for k, result in enumerate(results):
            builder.store(result, _half_at(builder, to, loops.plus(offset, k)))

    def take_word(offset: Any) -> None:
        start = builder.bitcast(_half_at(builder, numbers, offset), count.type.as_pointer())
        word = builder.load(start, align=2)  # how often memory is asked is what this takes
        shifted = [builder.lshr(word, count.type(16 * k)) for k in range(AT_ONCE)]
        take([builder.and_(each, count.type(COUNT - 1)) for each in shifted], offset)

    def take_one(offset: Any) -> None:
        take([builder.zext(builder.load(_half_at(builder, numbers, offset)), count.type)], offset)

    full = loops.largest_multiple(count, AT_ONCE)
    loops.loop(full, AT_ONCE, [], take_word)
    loops.loop(builder.sub(count, full), 1, [], lambda i: take_one(loops.plus(full, i)))


AT_ONCE = 4  # elements, in one word of 64 bits, the first in its lowest bits


def _half_at(builder: Any, start: Any, offset: Any) -> Any:
    from llvmlite import ir

    address = builder.add(start, builder.shl(offset, offset.type(1)))
    return builder.inttoptr(address, ir.IntType(16).as_pointer())
