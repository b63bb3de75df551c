"""Words that several threads read and write at the same time; each of these is one step for all of them."""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..kernels.llvm.memory import WORD, Word, word_at

ORDER = "seq_cst"
Call = tuple[str, tuple[int, ...]]  # a function of LLVM's, and its arguments
X86: list[Call] = [("llvm.x86.sse2.pause", ())]
ARM: list[Call] = [("llvm.aarch64.hint", (1,))]
PAUSES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}


@intrinsic
def read(context: Any, address: Any, distance: Any) -> Any:
    """The word at a distance in bytes from an address."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(word_at(builder, args[0], args[1]), ORDER, 8)

    return Word(Word, Word), build


@intrinsic
def write(context: Any, address: Any, distance: Any, word: Any) -> Any:
    """Write a word at a distance in bytes from an address."""

    def build(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], word_at(builder, args[0], args[1]), ORDER, 8)
        return target.get_dummy_value()

    return types.void(Word, Word, Word), build


@intrinsic
def add(context: Any, address: Any, distance: Any, number: Any) -> Any:
    """Add to the word at a distance in bytes from an address; gives what it was."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", word_at(builder, args[0], args[1]), args[2], ORDER)

    return Word(Word, Word, Word), build


@intrinsic
def swap(context: Any, address: Any, distance: Any, before: Any, after: Any) -> Any:
    """Write a word in the place of another; 0 where there is not that other one."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = word_at(builder, args[0], args[1])
        done = builder.extract_value(builder.cmpxchg(place, args[2], args[3], ORDER, ORDER), 1)
        return builder.zext(done, WORD)

    return Word(Word, Word, Word, Word), build


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
