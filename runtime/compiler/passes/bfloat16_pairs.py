"""Loops over bfloat16 take elements by pairs, in words of 32 bits: the upper half is a float32 but for 16 bits to
clear, the lower half one when shifted. LLVM would make a vector of words of a vector of halves and back, in order:
three instructions for one unit. Vectors of the elements at even places need none. llvmlite has no such pass: the text
is changed."""

from __future__ import annotations

import re

BODY = re.compile(r"^vector\.body\w*:.*?^$", re.MULTILINE | re.DOTALL)
LOADED = re.compile(r"^  (%\S+) = load <(\d+) x i16>, ", re.MULTILINE)
WIDENED = re.compile(r"^  (%\S+) = zext (?:nneg )?<(\d+) x i16> (%\S+) to <\2 x i32>$", re.MULTILINE)
NARROWED = re.compile(r"^  (%\S+) = trunc (?:nuw |nsw )*<(\d+) x i32> (%\S+) to <\2 x i16>$", re.MULTILINE)
STORED = re.compile(r"^  store <(\d+) x i16> (%\S+), ", re.MULTILINE)
# Other accesses, and what knows one lane from another.
ORDERED = re.compile(
    r"= load <|  store <|= phi <|= (?:extractelement|insertelement|shufflevector) |\.(?:masked|vector)\.|stepvector"
    r"|<(?!\d+ x )"
)


def in_pairs(text: str) -> str:
    return BODY.sub(lambda body: _changed(body.group(), body.start()), text)


def _changed(block: str, position: int) -> str:
    if not _has_no_order(block):
        return block
    block = WIDENED.sub(lambda result: _even_and_odd(result, f"%pairs.{position + result.start()}"), block)
    return NARROWED.sub(lambda result: _merged(result, f"%words.{position + result.start()}"), block)


def _has_no_order(block: str) -> bool:
    """Whether the elements of 16 bits that a block reads are widened, those that it writes were, and no others are."""
    read, wide = dict(LOADED.findall(block)), {source: size for _, size, source in WIDENED.findall(block)}
    made, written = {name: size for name, size, _ in NARROWED.findall(block)}, STORED.findall(block)
    if not read or read != wide or made != {name: size for size, name in written} or len({*read.values()}) > 1:
        return False
    rest = STORED.sub("", LOADED.sub("", block))
    return not ORDERED.search(rest) and all(_uses(block, name) == 1 for name in (*read, *made))


def _uses(block: str, name: str) -> int:
    return len(re.findall(rf"{re.escape(name)}(?![\w.])", block)) - 1


def _even_and_odd(result: re.Match[str], new: str) -> str:
    name, size, source = result.groups()
    i32_vector, half = f"<{int(size) // 2} x i32>", int(size) // 2
    positions = ", ".join(f"i32 {position}" for position in range(2 * half))
    return (
        f"  {new}.both = bitcast <{size} x i16> {source} to {i32_vector}\n"
        f"  {new}.even = and {i32_vector} {new}.both, {_splat(half, 0xFFFF)}\n"
        f"  {new}.odd = lshr {i32_vector} {new}.both, {_splat(half, 16)}\n"
        f"  {name} = shufflevector {i32_vector} {new}.even, {i32_vector} {new}.odd, <{size} x i32> <{positions}>"
    )


def _merged(result: re.Match[str], new: str) -> str:
    name, size, source = result.groups()
    i32_vector, kind, half = f"<{int(size) // 2} x i32>", f"<{size} x i32>", int(size) // 2
    even, odd = (", ".join(f"i32 {first + position}" for position in range(half)) for first in (0, half))
    return (
        f"  {new}.even = shufflevector {kind} {source}, {kind} poison, {i32_vector} <{even}>\n"
        f"  {new}.odd = shufflevector {kind} {source}, {kind} poison, {i32_vector} <{odd}>\n"
        f"  {new}.low = and {i32_vector} {new}.even, {_splat(half, 0xFFFF)}\n"
        f"  {new}.high = shl {i32_vector} {new}.odd, {_splat(half, 16)}\n"
        f"  {new}.both = or {i32_vector} {new}.low, {new}.high\n"
        f"  {name} = bitcast {i32_vector} {new}.both to <{size} x i16>"
    )


def _splat(size: int, number: int) -> str:
    return f"<{', '.join([f'i32 {number}'] * size)}>"
