"""Functions of float32 by pieces: where a function is smooth, each of 16 pieces has a polynomial of its own.

A piece is found by bits of the argument: logarithmic pieces are the same parts of each power of two, linear ones have
one width. A table has nine rows of 16 numbers: the centers of the pieces, and the coefficients of polynomials in the
distance from there, the highest power first. Vector code has a row in a register, so a coefficient costs one
permutation of that (`runtime/kernels/compile/lookups.py`). Centers are chosen so that the function is there nearly a
float32, or zero where it has a zero: so results are rounded once, but for some hundredths of a unit.
Tables are made, and their errors measured, by `python -m codegen pieces` (`codegen/pieces/`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .primitives import bits, narrow, pick, polynomial


def linear_place(x: Any, shift: Any) -> Any:
    """The piece of `x` among those around multiples of a power of two: `shift` is 1.5 times 2^23 of these."""
    return bits(x + shift)


def logarithmic_place(x: Any, below: Any) -> Any:
    """The piece of x > 0 among those that share the exponent and the bits from 2^below on."""
    return narrow(x, bits(x) >> below)


def by_pieces(x: Any, place: Any, table: Any) -> Any:
    """The polynomial of a piece; the place counts modulo 16."""
    t = x - pick(table[0], place)
    coefficients = (
        pick(table[1], place),
        pick(table[2], place),
        pick(table[3], place),
        pick(table[4], place),
        pick(table[5], place),
        pick(table[6], place),
        pick(table[7], place),
        pick(table[8], place),
    )
    return polynomial(t, coefficients, coefficients)


def single(*rows: tuple[float, ...]) -> tuple[tuple[np.float32, ...], ...]:
    """The rows of a table as float32."""
    return tuple(tuple(map(np.float32, row)) for row in rows)
