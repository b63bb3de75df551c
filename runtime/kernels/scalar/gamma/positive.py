"""The logarithm of the gamma function and its first two derivatives for float32 from near 0 to 2^10, branch-free.

From 2^-6 on they are computed by pieces. Below, the Taylor series at 1 is added to the pole's term: each function of x
is that of 1 + x and such a term. Errors are the largest that was found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..pieces import CENTRAL, by_pieces, by_pieces_with_derivatives, central_piece, lifted
from ..primitives import bits, fma, narrow, polynomial, select
from ..tables import DIGAMMA_TABLE, LGAMMA_TABLE, TRIGAMMA_TABLE

START, END = 2.0**-126, CENTRAL[1]
START_OF_SQUARES = 2.0**-50  # from here on what the rounding of a square loses is a normal number
EULER = 0.5772156649015329
ZETA_2, ZETA_3, ZETA_4 = 1.6449340668482264, 1.2020569031595942, 1.0823232337111382
# ln(gamma(1 + x)) / x, and derivatives of ln(gamma(1 + x)), the highest power first: up to 2^-6 what follows is lost
# beside the pole's term
LOG_GAMMA_OF_ONE = (-ZETA_3 / 3.0, ZETA_2 / 2.0, -EULER)
DIGAMMA_OF_ONE = (ZETA_4, -ZETA_3, ZETA_2, -EULER)
TRIGAMMA_OF_ONE = (3.0 * ZETA_4, -2.0 * ZETA_3, ZETA_2)
LN2 = 0.6931471805599453


def is_positive(x: Any) -> Any:
    """Whether `lgamma_positive` and `digamma_positive` are for a float32."""
    return (x >= START) & (x < END)


def has_square(x: Any) -> Any:
    """Whether `trigamma_positive` is for a float32."""
    return (x >= START_OF_SQUARES) & (x < END)


def lgamma_positive(x: Any) -> Any:
    """ln(gamma(x)) of a float32 that `is_positive`; error at most 1.9 ulp.

    Below 2^-6, x = 2^k y, it is ln(gamma(y)) - k ln(2) + ln(gamma(1 + x)) - ln(gamma(1 + y)).
    """
    small = x < CENTRAL[0]
    y = select(small, lifted(x, CENTRAL[0]), x)
    k = np.float32(narrow(x, bits(x) - bits(y)) >> 23)
    central_part = by_pieces_with_derivatives(y, central_piece(y), LGAMMA_TABLE)
    of_one = fma(x, log_gamma_of_one(x), -y * log_gamma_of_one(y))
    return central_part + fma(k, -LN2, select(small, of_one, type(x)(0)))


def log_gamma_of_one(x: Any) -> Any:
    """ln(gamma(1 + x)) / x for x < 2^-5."""
    return polynomial(x, LOG_GAMMA_OF_ONE, LOG_GAMMA_OF_ONE)


def digamma_positive(x: Any) -> Any:
    """digamma(x) of a float32 that `is_positive`, -1 / x + digamma(1 + x) below 2^-6; error at most 1 ulp."""
    part = type(x)(1) / x
    lost = fma(-part, x, 1.0) * part
    small = polynomial(x, DIGAMMA_OF_ONE, DIGAMMA_OF_ONE) - lost - part
    return select(x < CENTRAL[0], small, by_pieces_with_derivatives(x, central_piece(x), DIGAMMA_TABLE))


def trigamma_positive(x: Any) -> Any:
    """trigamma(x) of a float32 that `has_square`, 1 / x^2 + trigamma(1 + x) below 2^-6; error at most 1.2 ulp."""
    square = x * x
    part = type(x)(1) / square
    lost = fma(-part, fma(x, x, -square), fma(-part, square, 1.0))
    small = part + fma(part, lost, polynomial(x, TRIGAMMA_OF_ONE, TRIGAMMA_OF_ONE))
    return select(x < CENTRAL[0], small, by_pieces(x, central_piece(x), TRIGAMMA_TABLE))
