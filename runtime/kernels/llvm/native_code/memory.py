"""Memory that has no type, as native code sees it: words of 64 bits at addresses."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from .typed import HALF, WORD, Nothing, Number, Word, instruction, word_at


@instruction(Word, Word, Word)
def load(builder: Any, address: Any, distance: Any) -> Any:
    """load(address, distance): the word at a distance in bytes from an address."""
    return builder.load(word_at(builder, address, distance))


@instruction(Word, Word)
def load_half(builder: Any, address: Any) -> Any:
    """load_half(address): the four bytes at an address, as a word."""
    return builder.zext(builder.load(word_at(builder, address, WORD(0), HALF)), WORD)


@instruction(Word, Word)
def load_quarter(builder: Any, address: Any) -> Any:
    """load_quarter(address): the two bytes at an address, as a word."""
    return builder.zext(builder.load(word_at(builder, address, WORD(0), ir.IntType(16))), WORD)


@instruction(Word, Word)
def load_eighth(builder: Any, address: Any) -> Any:
    """load_eighth(address): the byte at an address, as a word."""
    return builder.zext(builder.load(word_at(builder, address, WORD(0), ir.IntType(8))), WORD)


@instruction(Nothing, Word, Word)
def store_half(builder: Any, address: Any, word: Any) -> Any:
    """store_half(address, word): write the lower four bytes of a word to an address."""
    return builder.store(builder.trunc(word, HALF), word_at(builder, address, WORD(0), HALF))


@instruction(Nothing, Word, Word)
def store_quarter(builder: Any, address: Any, word: Any) -> Any:
    """store_quarter(address, word): write the lower two bytes of a word to an address."""
    kind = ir.IntType(16)
    return builder.store(builder.trunc(word, kind), word_at(builder, address, WORD(0), kind))


@instruction(Nothing, Word, Word)
def store_eighth(builder: Any, address: Any, word: Any) -> Any:
    """store_eighth(address, word): write the lowest byte of a word to an address."""
    kind = ir.IntType(8)
    return builder.store(builder.trunc(word, kind), word_at(builder, address, WORD(0), kind))


@instruction(Nothing, Word, Word, Word)
def store(builder: Any, address: Any, distance: Any, word: Any) -> Any:
    """store(address, distance, word): write a word at a distance in bytes from an address."""
    return builder.store(word, word_at(builder, address, distance))


@instruction(Word, Number)
def bits(builder: Any, number: Any) -> Any:
    """bits(number): the word with the bits of a float64."""
    return builder.bitcast(number, WORD)


@instruction(Number, Word)
def number_of(builder: Any, word: Any) -> Any:
    """number_of(bits): the float64 that has these bits."""
    return builder.bitcast(word, ir.DoubleType())


@instruction(Number, Word)
def single_of(builder: Any, word: Any) -> Any:
    """single_of(bits): the float32 that has these bits, as a float64."""
    return builder.fpext(builder.bitcast(builder.trunc(word, HALF), ir.FloatType()), ir.DoubleType())


@instruction(Word, Number)
def single_bits(builder: Any, number: Any) -> Any:
    """single_bits(number): the word with the bits of a float64 rounded to float32 in its lower half."""
    single = builder.fptrunc(number, ir.FloatType())
    return builder.zext(builder.bitcast(single, HALF), WORD)
