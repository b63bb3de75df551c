"""The kinds of elements that native code knows by number, and one element in memory as a kernel is given it."""

from __future__ import annotations

from .memory import load, load_half, load_quarter, single_bits
from .typed import native

# 0 is float32, 1 float64; 16-bit floats follow, which kernels compute with as float32; then what are no floats.
BFLOAT16, FLOAT16, BOOL, INTEGERS, INT32, INT16, INT8, UINT8 = range(2, 10)
FLOATS, KINDS = 4, 10  # how many
COMPLEX = KINDS  # and behind it those of float64: kernels are given complex numbers as pairs of their parts


@native
def is_float(kind: int) -> bool:
    """Whether kernels are compiled for arrays of this kind."""
    return kind >= 0 and kind < FLOATS


@native
def is_integral(kind: int) -> bool:
    """Whether a kind is one of integers."""
    return kind >= INTEGERS and kind < KINDS


@native
def is_half(kind: int) -> bool:
    """Whether a kind is one of 16-bit floats."""
    return kind in (BFLOAT16, FLOAT16)


@native
def is_complex(kind: int) -> bool:
    """Whether a kind is one of complex numbers."""
    return kind >= COMPLEX


@native
def part_kind(kind: int) -> int:
    """The kind that a kernel computes in: of complex numbers that of their parts."""
    return kind - COMPLEX if is_complex(kind) else kind


@native
def parts(kind: int) -> int:
    """As how many elements a kernel is given one of a kind."""
    return 2 if is_complex(kind) else 1


@native
def itemsize(kind: int) -> int:
    """The bytes of an element of a kind."""
    if is_half(kind) or kind == INT16:
        return 2
    if is_complex(kind):
        return 8 * (1 + kind - COMPLEX)
    if kind == BOOL or kind > INT16:
        return 1
    return 4 if kind == 0 or kind == INT32 else 8


@native
def holds(kind: int, number: int) -> bool:
    """Whether an integer is one of a kind of integers."""
    if kind == INTEGERS:
        return True
    min_value = 0 if kind == UINT8 else -max_value_of(kind) - 1
    return number >= min_value and number <= max_value_of(kind)


@native
def max_value_of(kind: int) -> int:
    """The largest integer of a kind of fewer than 64 bits."""
    return 255 if kind == UINT8 else (1 << (8 * itemsize(kind) - 1)) - 1


@native
def widened(half: int) -> int:
    """The bits of a float32 for those of a float16."""
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
