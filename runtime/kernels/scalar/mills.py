"""The normal distribution's tail over its density (Mills' ratio) far from zero, in float32.

P(X > x) = e^(-x^2/2) / sqrt(2 pi) / x (1 - 1/x^2 + 3/x^4 - ...). What follows 1 is small, so that a sum of two numbers
is as exact as the last one is rounded; the power of e comes as a float32 and a small part of it, and is exact as well.
Coefficients are least-squares fits, weighted until the largest error was least, and rounded one after the other, the
lowest power first, each followed by a new fit of the rest.
"""

from __future__ import annotations

from typing import Any

from .logarithm import LOG2_E_SINGLE
from .power_pieces import power_of_pair
from .primitives import fma, polynomial, select

# 1 / sqrt(2 pi) and 1 / sqrt(pi), and what float32 loses of these
DENSITY_PARTS = (0.3989422917366028, -1.1335170080339907e-08)
ROOT_PI_INVERSE = (0.564189612865448, -2.9317691718766525e-08)
# (sqrt(2 pi) x e^(x^2/2) P(X > x) - 1) x^2 in 1/x^2 for x >= 6: error of the ratio at most 2^-29.9
NORMAL = (-447.1488952636719, 92.63752746582031, -14.846317291259766, 2.999134063720703, -0.9999983906745911)
# The same of erfc(x) = 2 P(X > sqrt(2) x)
ERFC = tuple(c * 0.5 ** (5 - k) for k, c in enumerate(NORMAL))
GROWTH = LOG2_E_SINGLE  # that of e^(x^2)
DECAY = (-0.5 * LOG2_E_SINGLE[0], -0.5 * LOG2_E_SINGLE[1])  # and of the density
INVERSE_THRESHOLD = 2.0**-40  # below it, 1/x is so small that nothing but 1 is left


def ratio_of_tail(x: Any, unit: float, numerator: tuple[float, float], coefficients: tuple[float, ...]) -> Any:
    """c / x (1 + P(1/y^2) / y^2) for x = unit y and y >= 6, with c in two parts: as a sum of two numbers.

    By one division: the first number differs from c / x by as much as its product with x does from c, times 1 / x.
    """
    part = type(x)(1) / x
    inverse = select(part < INVERSE_THRESHOLD / unit, type(x)(INVERSE_THRESHOLD / unit), part) * type(x)(unit)
    square = inverse * inverse
    first = part * type(x)(numerator[0])
    rest = fma(-first, x, numerator[0]) + type(x)(numerator[1])
    return first, fma(square * polynomial(square, coefficients, coefficients), numerator[0], rest) * part


def power_of_square(x: Any, factor: tuple[float, float], more: float) -> Any:
    """e^(f x^2) 2^more as `power_of_pair` gives it, for f x^2 up to 110; x^2 is not rounded."""
    square = x * x
    return power_of_pair(square, fma(x, x, -square), factor, more)
