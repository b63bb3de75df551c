"""Functions of float32 by pieces: each of 16 or 32 pieces has a polynomial of its own. A piece is found by bits of the
argument: logarithmic pieces are the same parts of each power of two, linear ones have one width. A table has a row for
the centers of the pieces, and rows for the coefficients of polynomials in the distance from there, the highest power
first. Vector code has a row in one or two registers, so a coefficient costs a permutation of these
(`compiler/passes/table_lookup.py`). Centers are chosen so that the function is there nearly a float32, or at a zero of
it, so results are rounded once. Around a zero what is rounded before counts too: so a table may have a row of slopes,
of which the product with the distance is added last, and the polynomial is what a function differs from that.

Of functions that grow or decay fast the logarithm to base 2 has pieces: the center c, the logarithm there, its slope,
and the coefficients of what is left, over (x - c)^2. The logarithm is a multiple of 1/32, whose power comes from a
table, and a small rest. Tables are made, and their errors measured, by `python -m codegen pieces`
(`codegen/tables/`)."""

from typing import Any

import numpy as np

from ...compiler.passes.primitives import bits, fma, from_bits, narrow, picks, polynomial, select

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
    return abs(x) < SMALL_LIMIT


def is_nearer(x: Any) -> Any:
    return abs(x) < NEARER


def linear_piece(x: Any, shift: Any) -> Any:
    """The piece of `x` among those around multiples of a power of two: `shift` is 1.5 times 2^23 of these."""
    return bits(x + shift)


def logarithmic_piece(x: Any, below: Any) -> Any:
    """The piece of x > 0 among those that share the exponent and the bits from 2^below on."""
    return narrow(x, bits(x) >> below)


def small_piece(x: Any) -> Any:
    return linear_piece(x, type(x)(UNITS))


def smaller_piece(x: Any) -> Any:
    return linear_piece(x, type(x)(UNITS / 2))


def central_piece(x: Any) -> Any:
    return logarithmic_piece(x, 22)


def octave_piece(x: Any) -> Any:
    return logarithmic_piece(x, 23)


def shifted_piece(x: Any) -> Any:
    return logarithmic_piece(x + type(x)(BEFORE), 21)


def mixed_piece(x: Any) -> Any:
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
    return tuple(tuple(map(np.float32, row)) for row in rows)


SHIFT = UNITS / 32  # from here on the last bit of a float32 is worth 1/32
# (2^r - 1) / r for |r| <= 1/64: error of 2^r at most 2^-33.1
EXP2_SMALL = (0.05549615994095802, 0.24022842943668365, 0.6931471824645996)


# 2^(k/32), from the bits of which k 2^18 is taken, and what its rounding loses, as a part of it
POWERS = single(
    (
        1.0, 0.9953236, 0.99088687, 0.98669523, 0.9827539, 0.9790684, 0.9756443, 0.97248745, 0.96960354, 0.9669987,
        0.9646789, 0.9626505, 0.9609198, 0.95949334, 0.9583778, 0.95758, 0.95710677, 0.9569654, 0.9571631, 0.9577072,
        0.9586054, 0.95986545, 0.96149516, 0.96350276, 0.9658964, 0.9686847, 0.9718761, 0.97547954, 0.97950405,
        0.98395884, 0.9888533, 0.9941971,
    ),
    (
        0.0, -4.7084576e-08, 4.628547e-08, -5.5604225e-08, -1.19921575e-08, -4.8776062e-08, 4.7297824e-08,
        -3.4814427e-08, 3.193418e-08, -2.6886665e-08, 3.6210572e-08, 1.118421e-09, -3.099072e-08, -2.638301e-08,
        -7.475213e-09, -4.2456357e-08, 1.7114271e-08, 2.3001967e-08, -3.0476834e-08, -1.6538538e-08, 5.233334e-09,
        -3.5920646e-08, 6.1075918e-09, -3.1140544e-08, -1.4719605e-08, -2.8218102e-08, -5.258795e-09, -6.3603873e-09,
        -6.1282597e-09, -2.4880409e-08, 5.1406093e-09, -8.697267e-09,
    ),
)  # fmt: skip


def by_power_pieces(x: Any, piece_index: Any, table: Any) -> Any:
    """2 to the power of the polynomial of a piece."""
    power, part = power_and_part(x, piece_index, table)
    return fma(power, part, power)


def power_and_part(x: Any, piece_index: Any, table: Any) -> Any:
    """The same as a float32, and a small part of it that is to be added."""
    column = picks(table, piece_index)
    t = x - column[0]
    bend = t * polynomial(t, column[3:], column[3:])
    shifted = fma(t, column[2] + bend, column[1] + type(x)(SHIFT))
    rest = fma(t, column[2], column[1] - (shifted - type(x)(SHIFT)))  # of these nothing is lost
    return power_of(shifted, fma(t, bend, rest))


def power_of(shifted: Any, r: Any) -> Any:
    """2^(n + r), for a multiple n of 1/32 that `SHIFT` was added to, and |r| <= 1/64, as such two numbers."""
    unit, lost = picks(POWERS, bits(shifted))
    power = from_bits(shifted, narrow(shifted, bits(unit) + (bits(shifted) << 18)))
    return power, fma(r, polynomial(r, EXP2_SMALL, EXP2_SMALL), lost)


def power_of_pair(first: Any, low: Any, factor: tuple[float, float], more: float) -> Any:
    """e^(f (first + low)) 2^more as a float32 and a small part of it, for f / ln 2 = factor as a sum of two numbers.
    `first` is below 2^8, so that what is left of the product and the multiple of 1/32 loses no more than 2^-30."""
    shifted = fma(first, factor[0], type(first)(SHIFT + more))
    rest = fma(first, factor[0], type(first)(SHIFT + more) - shifted)
    return power_of(shifted, fma(first, factor[1], fma(low, factor[0], rest)))
