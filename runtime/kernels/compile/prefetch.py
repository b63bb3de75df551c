"""Prefetches in the loops that LLVM has vectorised: what an iteration reads and writes is asked for some ahead of it.

A processor begins several iterations at once, as many as it has room for: few where one takes many instructions, so
such loops wait for memory though they hardly use it. LLVM has a pass for that, which it lets run for few processors,
and llvmlite has none that runs it: so the text of the module is changed. No result depends on it.
"""

from __future__ import annotations

import re
from functools import partial

DISTANCE = 2048  # bytes, of numbers of 64 bits twice that: either is a block of elements of `usual_blocks.py`
WIDE = ("double", "i64")
ENOUGH = 4  # instructions of arithmetic for each access from which a loop waits longer than the processor looks ahead
DECLARED = "declare void @llvm.prefetch.p0("
DECLARATION = f"\n{DECLARED}ptr nocapture readonly, i32 immarg, i32 immarg, i32 immarg)\n"
BODY = re.compile(r"^vector\.body\w*:.*?^$", re.MULTILINE | re.DOTALL)
ACCESS = re.compile(r"^  (?:%\S+ = load|(store)) <\d+ x (\w+)>.*, ptr (%[\w.]+), align .*$", re.MULTILINE)
ARITHMETIC = re.compile(r"= (?:tail call <|f(?:add|sub|mul|div) )")


def with_prefetches(text: str) -> str:
    """The text of an optimised module, with prefetches in its vector loops."""
    changed = BODY.sub(_ahead, text)
    return changed if changed == text or DECLARED in text else changed + DECLARATION


def _ahead(body: re.Match[str]) -> str:
    """A loop's block, with a prefetch before each access where there is enough to compute."""
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
