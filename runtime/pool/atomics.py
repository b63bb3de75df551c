"""Words that several threads read and write at the same time; each of these is one step for all of them."""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..kernels.llvm.structs import Atomic
from ..kernels.llvm.typed import WORD, Address, Word, word_at

CELL = Address(Atomic)
# A worker writes that it sleeps and then reads the cursor; who posts a job writes the cursor and then reads who sleeps.
# With a weaker order a processor may read before its write is seen by others, and both would miss each other.
ORDER = "seq_cst"
Call = tuple[str, tuple[int, ...]]  # a function of LLVM's, and its arguments
X86: list[Call] = [("llvm.x86.sse2.pause", ())]
ARM: list[Call] = [("llvm.aarch64.hint", (1,))]
PAUSES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}


def _place(builder: Any, cell: Any) -> Any:
    return word_at(builder, cell, WORD(0))


@intrinsic
def read(context: Any, cell: Any) -> Any:
    """read(cell): the word."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_place(builder, args[0]), ORDER, 8)

    return Word(CELL), build


@intrinsic
def write(context: Any, cell: Any, word: Any) -> Any:
    """write(cell, word)"""

    def build(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[1], _place(builder, args[0]), ORDER, 8)
        return target.get_dummy_value()

    return types.void(CELL, Word), build


@intrinsic
def add(context: Any, cell: Any, number: Any) -> Any:
    """add(cell, number): add to the word and return its value from before."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _place(builder, args[0]), args[1], ORDER)

    return Word(CELL, Word), build


@intrinsic
def compare_and_swap(context: Any, cell: Any, before: Any, after: Any) -> Any:
    """compare_and_swap(cell, before, after): write `after` if `before` stands there; 0 where it does not."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        done = builder.extract_value(builder.cmpxchg(_place(builder, args[0]), args[1], args[2], ORDER, ORDER), 1)
        return builder.zext(done, WORD)

    return Word(CELL, Word, Word), build


@intrinsic
def pause(context: Any) -> Any:
    """Tell the processor that this is a loop that waits."""

    def build(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        for name, numbers in PAUSES.get(platform.machine(), ()):
            given = [ir.Constant(ir.IntType(32), number) for number in numbers]
            kind = ir.FunctionType(ir.VoidType(), [number.type for number in given])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)
        return target.get_dummy_value()

    return types.void(), build
