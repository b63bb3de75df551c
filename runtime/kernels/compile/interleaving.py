"""Several iterations side by side in loops over long functions: while one waits, the others compute.

A long function is a few chains of products and sums, each of which waits for the one before it. LLVM interleaves short
loops alone, and leaves it to the processor to begin the next iterations early, which then keeps more instructions
waiting than it has room for. LLVM takes advice for a loop, as clang's `#pragma clang loop interleave_count` gives it,
which llvmlite cannot express: so the text of the module is changed. What is computed of an element stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

SIDE_BY_SIDE = 4  # iterations, of as many elements as a vector has
LONG = 18  # products with sums; from here on a loop gains more than it loses by values that find no register
FUNCTION = re.compile(r"^define (?![^\n]*@_ZN7cpython).*?^}$", re.MULTILINE | re.DOTALL)  # none that Python calls
FUSED = re.compile(r"call (?:float|double) @llvm\.fma\.f(?:32|64)\(")
BRANCH = re.compile(r" br i1 \S+, label %B\d+, label %B\d+$", re.MULTILINE)  # of Python's; others are for exceptions
REORDERED = " reassoc "  # a sum of which interleaving would make more parts, with other last bits
ADVICE = 100000  # the number of the metadata: far from those that numba gives


def multiplies(module: Any) -> bool:
    """Whether a module of LLVM's has such products at all: its text is long."""
    return any(function.name in ("llvm.fma.f32", "llvm.fma.f64") for function in module.functions)


def interleaved(text: str) -> str:
    """The text of a module before LLVM optimises it, with advice at its loops where what they compute is long.

    There is none where a long function takes branches: without vectors, more iterations only need more registers.
    """
    if REORDERED in text:
        return text
    long = [function for function in FUNCTION.findall(text) if FUSED.search(function)]
    if sum(len(FUSED.findall(function)) for function in long) < LONG or any(BRANCH.search(each) for each in long):
        return text
    changed = FUNCTION.sub(lambda function: "\n".join(_advised(function[0])), text)
    return changed if changed == text else changed + _advice()


def _advised(function: str) -> Iterator[str]:
    """The lines of a function, with advice at the jumps back to the beginning of a loop."""
    seen = set[str]()
    for line in function.split("\n"):
        if line and not line.startswith((" ", "}")):
            seen.add(line.partition(":")[0])
        back = line.startswith("  br label %") and line.removeprefix("  br label %") in seen
        yield f"{line}, !llvm.loop !{ADVICE}" if back else line


def _advice() -> str:
    return (
        f"\n!{ADVICE} = distinct !{{!{ADVICE}, !{ADVICE + 1}}}\n"
        f'!{ADVICE + 1} = !{{!"llvm.loop.interleave.count", i32 {SIDE_BY_SIDE}}}\n'
    )
