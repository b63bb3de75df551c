"""Primitives of the scalar functions (fma, bits, select) as Python on NumPy scalars: their meaning, for the simulator;
a compiler gets those of `primitive_code.py`. The type of the first argument, float32 or float64, is the type that they
compute in; a constant among the others is converted to it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

PRIMITIVES = (
    *("bits", "choose", "fma", "from_bits", "narrow", "pick", "picks", "polynomial", "product", "root", "select"),
    "where",
)


def is_single(x: Any) -> bool:
    return isinstance(x, np.float32)


def fma(x: Any, y: Any, z: Any) -> Any:
    """x y + z, rounded once."""
    if is_single(x):
        return np.float32(np.float64(x) * np.float64(y) + np.float64(z))  # the product is exact
    about = x * y + z
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)) if math.isfinite(about) else 0
    return type(x)(exact) if exact else about


def root(x: Any) -> Any:
    """The square root; nan for x < 0."""
    return np.sqrt(x)


def select(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, else `y`, in the narrower type. Both are computed: no branch is taken."""
    chosen = x if condition else y
    if is_single(x) or is_single(y):
        return np.float32(chosen)
    return np.float64(chosen) if isinstance(chosen, float) else chosen  # beside float32 a float of Python's is one too


def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, else `y`, of any types, in their common one. Both are computed: no branch is
    taken, of which LLVM would make a load from one of two addresses for each element."""
    return x if condition else y


def choose(x: Any, single: Any, double: Any) -> Any:
    """`single` or `double`, by the type of `x`: a constant, which gets that type if it is no integer, or a function."""
    chosen = single if is_single(x) else double
    return type(x)(chosen) if isinstance(chosen, float) else chosen


def bits(x: Any) -> Any:
    """The bits of a number as an integer of the same width."""
    return x.view(np.int32) if is_single(x) else np.float64(x).view(np.int64)


def from_bits(x: Any, pattern: Any) -> Any:
    """The number with these bits, of the type of `x`."""
    return np.int32(pattern).view(np.float32) if is_single(x) else np.int64(pattern).view(np.float64)


def narrow(x: Any, k: Any) -> Any:
    """The integer `k`, modulo 2^32 or 2^64, in as many bits as `x` has; compiled sums of integers have 64."""
    return np.int32(k) if is_single(x) else np.int64(k)


def polynomial(x: Any, single: tuple[float, ...], double: tuple[float, ...]) -> Any:
    """The polynomial in `x` whose coefficients, the highest power first, are those for its type; see `evaluated`."""
    coefficients = [type(x)(c) for c in (single if is_single(x) else double)]
    return evaluated(x, coefficients, fma, fma, lambda x: x * x)


SHORT = 8  # coefficients: the steps of Horner's rule are a chain, and a processor waits for each
LAST = 4  # steps of that rule, in which most of the rounding errors arise


def evaluated(x: Any, coefficients: Any, step: Any, last: Any, square: Any) -> Any:
    """A polynomial, the highest power first, by operations of any kind: `step(a, x, b)` and `last` are a x + b. A long
    one is evaluated by pairs of coefficients, pairs of pairs and so on (Estrin 1960), which a processor computes side
    by side, but for its lowest powers: the terms above them are small, and so are their rounding errors."""
    lowest = len(coefficients) - LAST
    first = lowest if len(coefficients) > SHORT else 1
    result = by_pairs(x, coefficients[:first], step, square)
    for k in range(first, len(coefficients)):
        result = (last if k >= lowest else step)(result, x, coefficients[k])
    return result


def by_pairs(x: Any, values: Any, step: Any, square: Any) -> Any:
    while len(values) > 1:
        odd = len(values) % 2
        pairs = zip(values[odd::2], values[odd + 1 :: 2], strict=True)
        values, x = [*values[:odd], *(step(high, x, low) for high, low in pairs)], square(x)
    return values[0]


def pick(table: tuple[Any, ...], index: Any) -> Any:
    """The entry of a table whose place is `index` modulo the table's length, a power of two; without branches.
    Selections between its constants, or, of 16 or 32 float32 or 8 float64, a permutation of registers: no access to
    memory."""
    return table[index & len(table) - 1]


def picks(tables: tuple[tuple[Any, ...], ...], index: Any) -> Any:
    return tuple([pick(table, index) for table in tables])


def product(x: Any, y: Any) -> Any:
    """x y of two uint64: its upper and its lower 64 bits."""
    integral = int(x) * int(y)
    return np.uint64(integral >> 64), np.uint64(integral & 0xFFFFFFFFFFFFFFFF)
