"""The incomplete gamma functions, regularised: parts of the integral of e^-t t^(a-1) / gamma(a) over t > 0. By the
power series where x is small beside a, by Legendre's continued fraction where it is large, and for a large a by N. M.
Temme's uniform expansion, "The asymptotic expansion of the incomplete gamma functions", 1979. float32 is computed in
float64, for which errors are given."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import polynomial, root
from .erf import erfc
from .exp import exp, expm1
from .gamma import LOG_GAMMA
from .log import log
from .saddle_point import deviance, log_poisson

EPSILON = 2.0**-54
ROOT_HALF = 0.7071067811865476
ROOT_2PI = 2.5066282746310002
LARGE = 200000.0  # from this a on two terms of the uniform expansion are enough
# 1 / (r - 1) - 1 / e and 1 / e^3 - 1 / (r - 1)^3 - 1 / (r - 1)^2 - 1 / (12 (r - 1)) in e, e^2 / 2 = r - 1 - ln(r)
UNIFORM_FIRST = (
    -1.7665952736826078e-07, 8.296711340953087e-07,   -1.85406221071516e-06,   -2.185448510679992e-06,
    3.919263178522438e-05,   -0.0001787551440329218,  0.0003527336860670194,   0.0011574074074074073,
    -0.014814814814814815,   0.08333333333333333,     -0.3333333333333333,
)  # fmt: skip
UNIFORM_SECOND = (
    0.00020576131687242798, -0.0009902263374485596, 0.0026455026455026454,  -0.003472222222222222,
    -0.001851851851851852,
)  # fmt: skip


def igamma(a: Any, x: Any) -> Any:
    """The part of the integral up to `x`; error at most 2^-41 of it."""
    return type(x)(parts_of_gamma(np.float64(a), np.float64(x), True))


def igammac(a: Any, x: Any) -> Any:
    """The part of the integral from `x` on; error at most 2^-41 of it."""
    return type(x)(parts_of_gamma(np.float64(a), np.float64(x), False))


def parts_of_gamma(a: Any, x: Any, lower: Any) -> Any:
    """The lower or the upper part: the smaller one is computed, or the one that the method gives."""
    if not (a >= 0 and x >= 0) or (a == 0 and x == 0) or (a == math.inf and x == math.inf):
        return math.nan
    if a == 0 or x == math.inf or x == 0 or a == math.inf:
        return 1.0 if lower == (a == 0 or x == math.inf) else 0.0
    if a > LARGE and abs(x - a) < 0.08 * a:
        return uniform(a, x, lower)
    if x <= 1.1 and a <= 1.1 and not lower:
        return upper_gamma_small(a, x)
    if x < a + 1.0 or x <= 1.1:
        value = lower_series(a, x)
        return value if lower else 1.0 - value
    value = upper_fraction(a, x)
    return 1.0 - value if lower else value


def prefix(a: Any, x: Any) -> Any:
    """x^a e^-x / gamma(a + 1)."""
    return exp(log_poisson(a, a + 1.0, x))


def lower_series(a: Any, x: Any) -> Any:
    total, term, below = 1.0, 1.0, a
    while term > EPSILON * total:
        below += 1.0
        term *= x / below
        total += term
    return min(prefix(a, x) * total, 1.0)


def upper_gamma_small(a: Any, x: Any) -> Any:
    """1 - x^a / gamma(a + 1) (1 - a x / (a + 1) + a x^2 / (2 (a + 2)) - ...), where both are nearly 1."""
    exponent = a * log(x) - (a - 1.0) * a * polynomial(a - 1.0, LOG_GAMMA, LOG_GAMMA)
    total, term, k = 0.0, 1.0, 0.0
    while abs(term) > EPSILON:
        k += 1.0
        term *= -x / k
        total += term / (a + k)
    return -expm1(exponent) - exp(exponent) * a * total


def upper_fraction(a: Any, x: Any) -> Any:
    below = x + 1.0 - a
    front, back = 1e300, 1.0 / below
    value, k, change = back, 0.0, 0.0
    while abs(change - 1.0) > EPSILON and k < 100000.0:
        k += 1.0
        part = k * (a - k)
        below += 2.0
        back = 1.0 / (part * back + below)
        front = below + part / front
        change = front * back
        value *= change
    return prefix(a, x) * a * value


def uniform(a: Any, x: Any, lower: Any) -> Any:
    """erfc of a distance from `a`, and a correction of order 1 / sqrt(a)."""
    square = 2.0 * deviance(a, x) / a
    e = math.copysign(root(square), x - a)
    factor = polynomial(e, UNIFORM_FIRST, UNIFORM_FIRST) + polynomial(e, UNIFORM_SECOND, UNIFORM_SECOND) / a
    rest = exp(-0.5 * a * square) / (ROOT_2PI * root(a)) * factor
    distance = e * root(a) * ROOT_HALF
    return 0.5 * erfc(-distance) - rest if lower else 0.5 * erfc(distance) + rest
