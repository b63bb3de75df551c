"""Words that several threads read and write at the same time; each of these is one step for all of them."""

from __future__ import annotations

import platform
from typing import Any

from ..kernels.llvm.native_code.kinds import VOID
from ..kernels.llvm.native_code.structs import Atomic
from ..kernels.llvm.native_code.typed import HALF, WORD, Address, Nothing, Word, c_function, instruction, word_at

CELL = Address(Atomic)
# A worker writes that it sleeps and then reads the cursor; who posts a job writes the cursor and then reads who sleeps.
# With a weaker order a processor may read before its write is seen by others, and both would miss each other.
ORDER = "seq_cst"
Call = tuple[str, tuple[int, ...]]  # a function of LLVM's, and its arguments
X86: list[Call] = [("llvm.x86.sse2.pause", ())]
ARM: list[Call] = [("llvm.aarch64.hint", (1,))]
PAUSES = {"x86_64": X86, "AMD64": X86, "aarch64": ARM, "arm64": ARM}


def _cell_pointer(builder: Any, cell: Any) -> Any:
    return word_at(builder, cell, WORD(0))


@instruction(Word, CELL)
def read(builder: Any, cell: Any) -> Any:
    """read(cell): the word."""
    return builder.load_atomic(_cell_pointer(builder, cell), ORDER, 8)


@instruction(Nothing, CELL, Word)
def write(builder: Any, cell: Any, word: Any) -> Any:
    """write(cell, word)"""
    return builder.store_atomic(word, _cell_pointer(builder, cell), ORDER, 8)


@instruction(Word, CELL, Word)
def add(builder: Any, cell: Any, number: Any) -> Any:
    """add(cell, number): add to the word and return its value from before."""
    return builder.atomic_rmw("add", _cell_pointer(builder, cell), number, ORDER)


@instruction(Word, CELL, Word, Word)
def compare_and_swap(builder: Any, cell: Any, before: Any, after: Any) -> Any:
    """compare_and_swap(cell, before, after): write `after` if `before` stands there; 0 where it does not."""
    done = builder.extract_value(builder.cmpxchg(_cell_pointer(builder, cell), before, after, ORDER, ORDER), 1)
    return builder.zext(done, WORD)


@instruction(Nothing)
def pause(builder: Any) -> None:
    """pause(): tell the processor that this is a loop that waits."""
    for name, numbers in PAUSES.get(platform.machine(), ()):
        builder.call(c_function(builder, name, VOID, [HALF] * len(numbers)), [HALF(number) for number in numbers])
