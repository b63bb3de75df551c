"""Orthogonal polynomials by the recursions between three neighbouring degrees, in float64. A kind says which recursion,
and with what it begins; kinds from `SHIFTED` on are those of 2 x - 1."""

import math
from typing import Any

import numpy as np

MAX_DEGREE = 1_000_000  # degrees: what asks for more was none, and gets nan
CHEBYSHEV_T, CHEBYSHEV_U, CHEBYSHEV_V, CHEBYSHEV_W = range(4)
HERMITE_H, HERMITE_HE, LAGUERRE, GEGENBAUER = range(4, 8)
SHIFTED = 8  # what is added to the kinds of Chebyshev's


def orthogonal(x: Any, n: Any, kind: Any, order: Any) -> Any:
    """The polynomial of degree n, cut; 0 below 0. `order` is that of Laguerre's and Gegenbauer's."""
    y, degree, a = np.float64(x), np.float64(n), np.float64(order)
    if kind >= SHIFTED:
        y, kind = 2.0 * y - 1.0, kind - SHIFTED
    if degree != degree or degree > MAX_DEGREE:
        return type(x)(math.nan)
    if degree < 1.0:
        return type(x)(1.0 if degree > -1.0 else 0.0)
    before, now, k = 1.0, first_degree(y, kind, a), 1.0
    while k + 1.0 <= degree:
        before, now, k = now, next_degree(y, now, before, k, kind, a), k + 1.0
    return type(x)(now)


def first_degree(x: Any, kind: Any, order: Any) -> Any:
    if kind in (CHEBYSHEV_T, HERMITE_HE):
        return x
    if kind == LAGUERRE:
        return 1.0 + order - x
    if kind == GEGENBAUER:
        return 2.0 * order * x
    return 2.0 * x - (1.0 if kind == CHEBYSHEV_V else -1.0 if kind == CHEBYSHEV_W else 0.0)


def next_degree(x: Any, now: Any, before: Any, k: Any, kind: Any, order: Any) -> Any:
    if kind < HERMITE_H:
        return 2.0 * x * now - before
    if kind == HERMITE_H:
        return 2.0 * x * now - 2.0 * k * before
    if kind == HERMITE_HE:
        return x * now - k * before
    if kind == LAGUERRE:
        return ((2.0 * k + 1.0 + order - x) * now - (k + order) * before) / (k + 1.0)
    return (2.0 * (k + order) * x * now - (k + 2.0 * order - 1.0) * before) / (k + 1.0)
