"""The standard normal distribution, branch-free, so that loops over it are vectorised: what gelu is made of.

A polynomial's coefficients are minimax fits (Remez), rounded one after the other, the lowest power first, each
followed by a new fit of the rest.
Errors of functions are given for float32 and for float64: the largest that was found.
"""

from __future__ import annotations

from typing import Any

from .error import erf_near_zero, erfc_parts
from .exponential import EXP_SINGLE, LN2_SINGLE, LOG2_E, SHIFT, exp_minus, scaled, times_power
from .primitives import choose, fma, polynomial, select

ROOT_HALF = 0.7071067811865476
DENSITY = 0.3989422804014327  # 1 / sqrt(2 pi)
# e^(-r/2) as a polynomial in r for |r| < 0.694
BELL_SINGLE = tuple(c * (-0.5) ** (6 - k) for k, c in enumerate((*EXP_SINGLE, 1.0, 1.0)))
# e^(x^2/2) P(X > x) (x + 4) as a polynomial in (x - 4) / (x + 4) for 0 <= x <= 14.6: relative error at most 2^-26.0
# for x <= 3, up to 3 times that beyond; 2 for x = 0
FAR_SINGLE = (
    -0.00011683120828820392, 0.0002041121624642983,   0.0015655896859243512,   -0.003533000824972987,
    -0.007527215871959925,   0.0604095458984375,      -0.18652278184890747,    0.3871363401412964,
    -0.607896625995636,      0.7552851438522339,
)  # fmt: skip
FAR_SCALED = tuple(c * 2.0**-32 for c in FAR_SINGLE)


def normal_pdf(x: Any) -> Any:
    """e^(-x^2/2) / sqrt(2 pi); error at most 2.2 and 1.9 ulp."""
    size = abs(x)
    return choose(x, pdf_single, pdf_double)(select(size > choose(x, 14.5, 39.0), choose(x, 14.5, 39.0), size))


def normal_cdf(x: Any) -> Any:
    """The probability of a number below `x`; error at most 5.8 and 3.0 ulp."""
    return choose(x, cdf_single, cdf_double)(x)


def pdf_single(x: Any) -> Any:
    return bell_single(x) * type(x)(DENSITY * 2.0**-32)


def cdf_single(x: Any) -> Any:
    size = abs(x)
    size = select(size > 14.5, type(x)(14.5), size)
    part = type(x)(1) / (size + type(x)(4))
    ratio = (size - type(x)(4)) * part
    rest = bell_single(size) * (part * polynomial(ratio, FAR_SCALED, FAR_SCALED))
    return select(x > 0, type(x)(1) - rest, rest)


def bell_single(x: Any) -> Any:
    """e^(-x^2/2) 2^32, with what x^2 loses to rounding: x^2 = -2 n ln 2 + r, n a whole number."""
    square = x * x
    shifted = fma(square, type(x)(-0.5 * LOG2_E), SHIFT[0])
    n = shifted - type(x)(SHIFT[0])
    low = fma(n, type(x)(2.0 * LN2_SINGLE[1]), fma(x, x, -square))
    r = fma(n, type(x)(2.0 * LN2_SINGLE[0]), square) + low
    return polynomial(r, BELL_SINGLE, BELL_SINGLE) * times_power(type(x)(2.0**32), shifted)


def pdf_double(x: Any) -> Any:
    square = x * x
    k, first, second = exp_minus(-0.5 * square, 0.5 * fma(x, x, -square))
    return scaled((first + second) * DENSITY, k)


def cdf_double(x: Any) -> Any:
    """erfc(-x / sqrt(2)) / 2; what the exponent loses when x / sqrt(2) is rounded is put back."""
    size = abs(x)
    size = select(size > 39, 39.0, size)
    k, value = erfc_parts(ROOT_HALF * size, 0.5 * size * size, 0.5 * fma(size, size, -size * size))
    value = scaled(0.5 * value, k)
    near = fma(erf_near_zero(ROOT_HALF * x), 0.5, 0.5)
    return select(size < 1, near, select(x > 0, 1.0 - value, value))
