"""Memory without a type, as native code sees it: words at addresses, kinds of elements, transposed squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from .functions import HALF, WORD, Nothing, Number, Word, instruction, native, word_at


@instruction(Word, Word, Word)
def load(builder: Any, address: Any, distance: Any) -> Any:
    """load(address, distance): the word at a distance in bytes from an address."""
    return builder.load(word_at(builder, address, distance))


def _narrow_load(bits: int) -> Any:
    def load_bits(builder: Any, address: Any) -> Any:
        return builder.zext(builder.load(word_at(builder, address, WORD(0), ir.IntType(bits))), WORD)

    return instruction(Word, Word)(load_bits)


def _narrow_store(bits: int) -> Any:
    def store_bits(builder: Any, address: Any, word: Any) -> Any:
        kind = ir.IntType(bits)
        return builder.store(builder.trunc(word, kind), word_at(builder, address, WORD(0), kind))

    return instruction(Nothing, Word, Word)(store_bits)


load_half, load_quarter, load_eighth = map(_narrow_load, (32, 16, 8))
store_half, store_quarter, store_eighth = map(_narrow_store, (32, 16, 8))


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


# 0 is float32, 1 float64; 16-bit floats follow, which kernels compute with as float32; then what are no floats.
BFLOAT16, FLOAT16, BOOL, INTEGERS, INT32, INT16, INT8, UINT8 = range(2, 10)
FLOATS, KINDS = 4, 10  # how many
COMPLEX = KINDS  # and behind it those of float64: kernels are given complex numbers as pairs of their parts


@native
def is_float(kind: int) -> bool:
    return kind >= 0 and kind < FLOATS


@native
def is_integral(kind: int) -> bool:
    return kind >= INTEGERS and kind < KINDS


@native
def is_half(kind: int) -> bool:
    return kind in (BFLOAT16, FLOAT16)


@native
def is_complex(kind: int) -> bool:
    return kind >= COMPLEX


@native
def part_kind(kind: int) -> int:
    """The kind that a kernel computes in: of complex numbers that of their parts."""
    return kind - COMPLEX if is_complex(kind) else kind


@native
def parts(kind: int) -> int:
    return 2 if is_complex(kind) else 1


@native
def itemsize(kind: int) -> int:
    if is_half(kind) or kind == INT16:
        return 2
    if is_complex(kind):
        return 8 * (1 + kind - COMPLEX)
    if kind == BOOL or kind > INT16:
        return 1
    return 4 if kind == 0 or kind == INT32 else 8


@native
def holds(kind: int, number: int) -> bool:
    if kind == INTEGERS:
        return True
    min_value = 0 if kind == UINT8 else -max_value_of(kind) - 1
    return number >= min_value and number <= max_value_of(kind)


@native
def max_value_of(kind: int) -> int:
    return 255 if kind == UINT8 else (1 << (8 * itemsize(kind) - 1)) - 1


@native
def widened(half: int) -> int:
    sign, exponent, fraction = (half >> 15) << 31, half >> 10 & 31, half & 1023
    if exponent == 0:
        return sign | single_bits(fraction * 2.0**-24)
    return sign | (255 if exponent == 31 else exponent + 112) << 23 | fraction << 13


@native
def number_at(memory: int, kind: int) -> int:
    """The bits of the float at an address, as a kernel for arrays of its kind is given one number."""
    if is_half(kind):
        half = load_quarter(memory)
        return half << 16 if kind == BFLOAT16 else widened(half)
    return load(memory, 0) if kind else load_half(memory)


BYTES = 16  # of a row of a square


def _transposing(element: Any) -> Any:
    """(to, to_row, source, row): a square of elements of 16 bytes a row, transposed; steps in bytes."""

    def turn(builder: Any, to: Any, to_row: Any, source: Any, row: Any) -> Any:
        count, size = 8 * BYTES // element.width, element.width // 8
        kind = ir.VectorType(element, count)
        offsets = [builder.mul(row, WORD(i)) for i in range(count)]
        read = [builder.load(word_at(builder, source, offset, kind), align=size) for offset in offsets]
        for i, vector in enumerate(transposed(builder, read)):
            builder.store(vector, word_at(builder, to, builder.mul(to_row, WORD(i)), kind), align=size)

    return instruction(Nothing, Word, Word, Word, Word)(turn)


turn_halves, transpose_slots = _transposing(HALF), _transposing(WORD)


def transposed(builder: Any, rows: Sequence[Any]) -> list[Any]:
    """The transpose of vectors of as many lanes: squares of 1, 2, 4, ... lanes change places between rows."""
    rows, lanes, step = list(rows), len(rows), 1
    while step < lanes:
        low = [j - step + lanes if j & step else j for j in range(lanes)]
        high = [j + lanes if j & step else j + step for j in range(lanes)]
        for i in (i for i in range(lanes) if not i & step):
            a, b = rows[i], rows[i + step]
            rows[i], rows[i + step] = shuffled(builder, a, b, low), shuffled(builder, a, b, high)
        step *= 2
    return rows


def shuffled(builder: Any, a: Any, b: Any, offsets: Sequence[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(offsets)), list(offsets)))
