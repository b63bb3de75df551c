"""Memory that has no type, as native code sees it: words of 64 bits at addresses."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .typed import HALF, WORD, Word, word_at


@intrinsic
def load(context: Any, address: Any, distance: Any) -> Any:
    """The word at a distance in bytes from an address."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(word_at(builder, args[0], args[1]))

    return Word(Word, Word), build


@intrinsic
def load_half(context: Any, address: Any) -> Any:
    """The four bytes at an address, as a word."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.zext(builder.load(word_at(builder, args[0], WORD(0), HALF)), WORD)

    return Word(Word), build


@intrinsic
def load_quarter(context: Any, address: Any) -> Any:
    """The two bytes at an address, as a word."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.zext(builder.load(word_at(builder, args[0], WORD(0), ir.IntType(16))), WORD)

    return Word(Word), build


@intrinsic
def store(context: Any, address: Any, distance: Any, word: Any) -> Any:
    """Write a word at a distance in bytes from an address."""

    def build(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], word_at(builder, args[0], args[1], WORD))
        return target.get_dummy_value()

    return types.void(Word, Word, Word), build


@intrinsic
def bits(context: Any, number: Any) -> Any:
    """The word with the bits of a float64."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return Word(types.float64), build


@intrinsic
def single_bits(context: Any, number: Any) -> Any:
    """The word with the bits of a float64 rounded to float32 in its lower half."""

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        single = builder.fptrunc(args[0], ir.FloatType())
        return builder.zext(builder.bitcast(single, HALF), WORD)

    return Word(types.float64), build
