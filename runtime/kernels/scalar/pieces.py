"""Functions of float32 by pieces: where a function is smooth, each of 16 or 32 pieces has a polynomial of its own.

A piece is found by bits of the argument: logarithmic pieces are the same parts of each power of two, linear ones have
one width. A table has a row for the centers of the pieces, and rows for the coefficients of polynomials in the distance
from there, the highest power first. Vector code has a row in one or two registers, so a coefficient costs a permutation
of these (`runtime/kernels/compile/lookups.py`). Centers are chosen so that the function is there nearly a float32, or
at a zero of it: so results are rounded once, but for some hundredths of a unit. Around a zero what is rounded before
counts too, unless it is small: so a table may have a row of slopes, of which the product with the distance is added
last, and the polynomial is what a function differs from that.
Tables are made, and their errors measured, by `python -m codegen pieces` (`codegen/pieces/`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .primitives import bits, fma, from_bits, narrow, picks, polynomial, select

UNITS = 12582912.0  # 1.5 * 2^23: from here on the last bit of a float32 is worth 1
SMALL_LIMIT = 15.5  # up to here reach 16 pieces around whole numbers
NEARER = 7.75  # and up to here those around the multiples of 1/2
CENTRAL = (2.0**-6, 2.0**10)  # where 32 logarithmic pieces lie, two for each doubling
MIXED = (2.0**-5, 21.5)  # where such ones lie up to 2.5, and from there on pieces around whole numbers
SIGNIFICAND = (1 << 23) - 1
EDGE = 2.5
BEFORE = 0.625  # logarithmic pieces from here on are shifted to 0: wider ones further on, but not narrow ones near 0
AFTER = UNITS - 2.0  # the place of 3 is that after the last logarithmic one


def is_small(x: Any) -> Any:
    """Whether a float32 lies in linear pieces."""
    return abs(x) < SMALL_LIMIT


def is_nearer(x: Any) -> Any:
    """Whether a float32 lies in linear pieces of half that width."""
    return abs(x) < NEARER


def linear_piece(x: Any, shift: Any) -> Any:
    """The piece of `x` among those around multiples of a power of two: `shift` is 1.5 times 2^23 of these."""
    return bits(x + shift)


def logarithmic_piece(x: Any, below: Any) -> Any:
    """The piece of x > 0 among those that share the exponent and the bits from 2^below on."""
    return narrow(x, bits(x) >> below)


def small_piece(x: Any) -> Any:
    """The place of |x| < 15.5."""
    return linear_piece(x, type(x)(UNITS))


def smaller_piece(x: Any) -> Any:
    """The place of |x| < 7.75 around a multiple of 1/2."""
    return linear_piece(x, type(x)(UNITS / 2))


def central_piece(x: Any) -> Any:
    """The place of a number in MIDDLE."""
    return logarithmic_piece(x, 22)


def octave_piece(x: Any) -> Any:
    """The place of a number where each doubling is one piece."""
    return logarithmic_piece(x, 23)


def shifted_piece(x: Any) -> Any:
    """The place of 0 <= x < 9.375: four to each doubling of x + 5/8."""
    return logarithmic_piece(x + type(x)(BEFORE), 21)


def mixed_piece(x: Any) -> Any:
    """The place of a number in MIXED."""
    return select(x < EDGE, central_piece(x), linear_piece(x, type(x)(AFTER)))


def lifted(x: Any, smallest: float) -> Any:
    """The number with the significand of x > 0 and the exponent of another, a power of two."""
    return from_bits(x, narrow(x, bits(x) & SIGNIFICAND | bits(type(x)(smallest))))


def by_pieces(x: Any, piece_index: Any, table: Any) -> Any:
    """The polynomial of a piece; the place counts modulo the number of pieces."""
    column = picks(table, piece_index)
    return polynomial(x - column[0], column[1:], column[1:])


def by_pieces_with_derivatives(x: Any, piece_index: Any, table: Any) -> Any:
    """The same of a table with slopes, which are 0 but around zeros."""
    column = picks(table, piece_index)
    t = x - column[0]
    return fma(column[1], t, polynomial(t, column[2:], column[2:]))


def times_pieces(factor: Any, x: Any, piece_index: Any, table: Any) -> Any:
    """A factor times the polynomial of a piece, whose value at the center is not rounded before it is a product."""
    column = picks(table, piece_index)
    t = x - column[0]
    return fma(factor, column[-1], factor * t * polynomial(t, column[1:-1], column[1:-1]))


def single(*rows: tuple[float, ...]) -> tuple[tuple[np.float32, ...], ...]:
    """The rows of a table as float32."""
    return tuple(tuple(map(np.float32, row)) for row in rows)
