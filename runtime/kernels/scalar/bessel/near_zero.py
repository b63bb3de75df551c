"""Bessel functions of the second kind near 0, of float32: the first terms of their series, branch-free.

With L = ln(x / 2) + gamma, and c = -1 and s = x^2 / 4 for K0(x), c = 2 / pi and s = -x^2 / 4 for Y0(x), order 0 is
c (L (1 + s ...) - s ...). With c = 1 for K1(x) and -2 / pi for Y1(x), and s as before, order 1 is
c / x + x |c| (L (2 + s ...) - 1 - 5 s / 4 ...) / 4.
Where functions are computed by pieces, those of the first doubling have L in the place of the function, and are for all
numbers below as well: x is 2^n times what has its place there, and n ln 2 is added.
The largest terms, c L of the first and c / x, are sums of two numbers: so results are rounded once, but for some
tenths of a unit. Squares are factors of larger numbers first, as those of small numbers would be subnormal.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..logarithm import LN2_SINGLE
from ..pieces import CENTRAL, MIXED, lifted
from ..primitives import bits, choose, fma, narrow, polynomial, select

SHARE = 0.0704  # of x^2 beside 1: what the squares of s come to in order 0, for x < 2^-4
SCALED = (0.42778354, 0.7497975, 1.000001)  # ((1 + s) e^x - 1) / x for x < 2^-5: error at most 2^-29 / x
SQUARE = (0.25748524, 0.2499106)  # s (1 + 3 s / 8) e^x / x^2 likewise
GROWTH = (0.16918928, 0.49995417, 1.0000002)  # (e^x - 1) / x likewise
MIN_NORMAL = 2.0**-126
UNIT = 2.0**23  # what an exponent is worth among the bits of a float32
SHIFT = 5 / 16  # so many ln 2 more than pieces have, which are then between -0.4 and 0.4


class Logarithm(NamedTuple):
    """Order 0: where pieces begin that are not those of L, c, c ln 2 / UNIT as a sum of two numbers, the sign of s, and
    the exponent of the first pieces, SHIFT added and times UNIT."""

    edge: float
    factor: float
    ln2: float
    ln2_low: float
    sign: float
    exponent: float


class Pole(NamedTuple):
    """Order 1: where such pieces begin, c as a sum of two numbers, |c| ln 2 / 2 / UNIT, and the sign of s."""

    edge: float
    factor: float
    factor_low: float
    half_ln2: float
    sign: float


SMALL_K0 = Logarithm(2 * MIXED[0], -1.0, -LN2_SINGLE[0] / UNIT, -LN2_SINGLE[1] / UNIT, 1.0, (-5 + SHIFT) * UNIT)
SMALL_Y0 = Logarithm(
    2 * MIXED[0], 0.6366197466850281, 0.441253662109375 / UNIT, 1.7538195606903173e-05 / UNIT, -1.0, (-5 + SHIFT) * UNIT
)
SMALL_K0E = SMALL_K0._replace(edge=2 * CENTRAL[0], exponent=(-6 + SHIFT) * UNIT)
SMALL_K1 = Pole(2 * MIXED[0], 1.0, -0.0, 0.34657359 / UNIT, 1.0)
SMALL_Y1 = Pole(2 * MIXED[0], -0.6366197466850281, -2.5682552973194106e-08, 0.2206356 / UNIT, -1.0)
SMALL_K1E = SMALL_K1._replace(edge=2 * CENTRAL[0])


def in_pieces(x: Any, edge: float) -> Any:
    """The number whose piece that of x > 0 is: x itself, or below an edge that of the doubling before the edge."""
    return select(x < edge, lifted(x, 0.5 * edge), x)


def exponent_above(x: Any, inside: Any) -> Any:
    """UNIT times the n of x = 2^n inside."""
    return np.float32(narrow(x, bits(x) - bits(inside)))


def logarithm(y: Any, more: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """(x, n, what is to be added to n `kind.ln2`) for the number y 2^more.

    Below the edge that makes c L of x; from there on x and n are 0, and it is what the piece says.
    """
    small, n = y < kind.edge, exponent_above(y, inside) + more * type(y)(UNIT)
    n = select(small, n + type(y)(kind.exponent), n)
    return select(small, y, type(y)(0)), n, fma(n, kind.ln2_low, piece)


def order_0(y: Any, more: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """K0 or Y0 of y 2^more, of which `in_pieces` has a piece. Usual numbers have -0.0 for `more`."""
    x, n, rest = logarithm(y, more, inside, piece, kind)
    fourth = type(y)(kind.sign * 0.25)
    term = fma(fma(n, kind.ln2, rest), fourth, -fourth * type(y)(kind.factor))
    term = x * term * fma(x, x * type(y)(kind.sign * SHARE), 1.0)
    return fma(n, kind.ln2, fma(x, term, rest))


def scaled_order_0(y: Any, more: Any, inside: Any, piece: Any) -> Any:
    """e^x K0 of y 2^more likewise: near 0 it is -L (1 + s) e^x + s e^x."""
    x, n, rest = logarithm(y, more, inside, piece, SMALL_K0E)
    term = fma(fma(n, SMALL_K0E.ln2, rest), polynomial(x, SCALED, SCALED), x * polynomial(x, SQUARE, SQUARE))
    return fma(n, SMALL_K0E.ln2, fma(x, term, rest))


def pole(x: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """c / x as a sum of two numbers, and the factor of x beside it: a piece is |c| (L / 2 - 1 / 4)."""
    factor, eighth = type(x)(kind.factor), type(x)(kind.sign * 0.125)
    inverse = type(x)(1) / x
    value = factor * inverse
    lost = (fma(-value, x, factor) + type(x)(kind.factor_low)) * inverse
    large = fma(exponent_above(x, inside), kind.half_ln2, piece)
    term = x * fma(large, eighth, -eighth * abs(factor) * type(x)(0.375))
    return value, lost, fma(x, term, large)


def order_1(x: Any, inside: Any, piece: Any, kind: Any) -> Any:
    """K1 or Y1 of a normal number, of which `in_pieces` has a piece."""
    value, lost, derivative = pole(x, inside, piece, kind)
    return select(x < kind.edge, value + fma(x, derivative, lost), piece)


def scaled_order_1(x: Any, inside: Any, piece: Any) -> Any:
    """e^x K1 likewise: near 0, with g = (e^x - 1) / x, it is 1 / x + g + x slope (1 + x g)."""
    value, lost, derivative = pole(x, inside, piece, SMALL_K1E)
    growth = polynomial(x, GROWTH, GROWTH)
    return select(x < SMALL_K1E.edge, value + (fma(x * derivative, fma(x, growth, 1.0), growth) + lost), piece)


def of_positive(x: Any, value: Any) -> Any:
    """A value for x > 0, infinity at 0, and nan below it and of nan."""
    return select(x > 0, value, select(x == 0, choose(x, math.inf, math.inf), choose(x, math.nan, math.nan)))


def or_pole(x: Any, value: Any, factor: Any) -> Any:
    """A factor over x for a subnormal float32, else a value."""
    return select(x < MIN_NORMAL, type(x)(factor) / x, value)
