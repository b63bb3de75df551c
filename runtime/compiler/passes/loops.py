"""Changes of loops that llvmlite cannot express, made in the text of a module. Loops over long functions are
interleaved: LLVM interleaves short loops alone. Vectorised loops prefetch what an iteration some ahead reads and
writes. Loops have the whole width of the vector registers, of which LLVM uses half on many processors that have 512
bits; those that wait for memory have half of it (`in_halves`). Sums that LLVM may reorder (`reassoc`) have as many
parts as a register has lanes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

SIDE_BY_SIDE = 4  # iterations, of as many elements as a vector has
LONG = 18  # products with sums; from here on a loop gains more than it loses by values that find no register
FUNCTION = re.compile(r"^define (?![^\n]*@_ZN7cpython).*?^}$", re.MULTILINE | re.DOTALL)  # none that Python calls
FUSED = re.compile(r"call (?:float|double) @llvm\.fma\.f(?:32|64)\(")
BRANCH = re.compile(r" br i1 \S+, label %B\d+, label %B\d+$", re.MULTILINE)  # of Python's; others are for exceptions
REORDERED = " reassoc "  # a sum of which interleaving would make more parts, with other last bits
ADVICE = 100000  # the number of the metadata: far from those that numba gives


def multiplies(module: Any) -> bool:
    return any(function.name in ("llvm.fma.f32", "llvm.fma.f64") for function in module.functions)


def interleaved(text: str) -> str:
    """Advice at loops that compute something long; none where it takes branches: it needs registers alone."""
    if REORDERED in text:
        return text
    long = [function for function in FUNCTION.findall(text) if FUSED.search(function)]
    if sum(len(FUSED.findall(function)) for function in long) < LONG or any(BRANCH.search(each) for each in long):
        return text
    changed = FUNCTION.sub(lambda function: "\n".join(_advised(function[0])), text)
    return changed if changed == text else changed + _advice()


def _advised(function: str) -> Iterator[str]:
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


DISTANCE = 2048  # bytes, of numbers of 64 bits twice that: either is a block of elements of `usual_blocks.py`
WIDE = ("double", "i64")
ENOUGH = 4  # instructions of arithmetic for each access from which a loop waits longer than the processor looks ahead
DECLARED = "declare void @llvm.prefetch.p0("
DECLARATION = f"\n{DECLARED}ptr nocapture readonly, i32 immarg, i32 immarg, i32 immarg)\n"
BODY = re.compile(r"^vector\.body\w*:.*?^$", re.MULTILINE | re.DOTALL)
ACCESS = re.compile(r"^  (?:%\S+ = load|(store)) <\d+ x (\w+)>.*, ptr (%[\w.]+), align .*$", re.MULTILINE)
ARITHMETIC = re.compile(r"= (?:tail call <|f(?:add|sub|mul|div) )")


def with_prefetches(text: str) -> str:
    changed = BODY.sub(_ahead, text)
    return changed if changed == text or DECLARED in text else changed + DECLARATION


def _ahead(body: re.Match[str]) -> str:
    block = body.group()
    accesses = len(ACCESS.findall(block))
    writes = " store <" in block
    is_long = len(ARITHMETIC.findall(block)) >= ENOUGH * accesses
    return ACCESS.sub(partial(_prefetched, body.start()), block) if writes and is_long else block


def _prefetched(start: int, access: re.Match[str]) -> str:
    name = f"%ahead.{start + access.start()}"  # by its place in the text: a function may have several such loops
    distance = 2 * DISTANCE if access[2] in WIDE else DISTANCE
    address_code = f"  {name} = getelementptr i8, ptr {access[3]}, i64 {distance}"
    kind = 1 if access[1] else 0  # to write, or to read; then: into the nearest cache, data
    return f"{address_code}\n  call void @llvm.prefetch.p0(ptr {name}, i32 {kind}, i32 3, i32 1)\n{access.group()}"


WIDEST = '"prefer-vector-width"="512"'  # of x86-64, where such registers are; no other processor reads it
HALF = WIDEST.replace("512", "256")


def let_be_wide(module: Any) -> None:
    for function in module.functions:
        set.add(function.attributes, WIDEST)  # past llvmlite's list of attributes, which has none of targets


def in_halves(text: str) -> str:
    return text.replace(WIDEST, HALF)
