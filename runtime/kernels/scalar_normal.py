"""The standard normal distribution, branch-free, so that loops over it are vectorised: what gelu is made of.

A polynomial's coefficients are minimax fits (Remez), rounded one after the other, the lowest power first, each
followed by a new fit of the rest.
"""

from __future__ import annotations

from typing import Any

from .scalar_error import erf_near_zero, erfc_parts
from .scalar_exponential import EXP_DOUBLE, EXP_SINGLE, exp_parts, power_of_two, reduced, scaled
from .scalar_primitives import choose, fma, polynomial, select

ROOT_HALF = 0.7071067811865476
DENSITY = 0.3989422804014327  # 1 / sqrt(2 pi)
# e^(x^2/2) P(X > x) (x + 4) as a polynomial in (x - 4) / (x + 4) for 0 <= x <= 14.6: relative error at most 2^-25.5
# for x <= 2, up to 80 times that beyond
NORMAL_SINGLE = (
    0.0005098568508401513,
    0.0017748723039403558,
    -0.003600724972784519,
    -0.007643255405128002,
    0.06039172783493996,
    -0.18650896847248077,
    0.38713982701301575,
    -0.6078968644142151,
    0.7552850842475891,
)


def normal_pdf(x: Any) -> Any:
    """e^(-x^2/2) / sqrt(2 pi); error at most ... ulp."""
    size = abs(x)
    return choose(x, pdf_single, pdf_double)(select(size > choose(x, 14.5, 39.0), choose(x, 14.5, 39.0), size))


def normal_cdf(x: Any) -> Any:
    """The probability of a number below `x`; error at most ... ulp."""
    return choose(x, cdf_single, cdf_double)(x)


def pdf_single(x: Any) -> Any:
    k, value = bell_single(x)
    return value * power_of_two(x, k + 32) * type(x)(DENSITY * 2.0**-32)


def cdf_single(x: Any) -> Any:
    size = abs(x)
    size = select(size > 14.5, type(x)(14.5), size)
    k, value = bell_single(size)
    part = type(x)(1) / (size + type(x)(4))
    ratio = fma(type(x)(-8), part, 1.0)
    value *= power_of_two(x, k + 32)
    rest = value * (part * polynomial(ratio, NORMAL_SINGLE, NORMAL_SINGLE)) * type(x)(2.0**-32)
    return select(x > 0, type(x)(1) - rest, rest)


def bell_single(x: Any) -> Any:
    """k and v with e^(-x^2/2) = 2^k v."""
    square = x * x
    k, r, _ = reduced(type(x)(-0.5) * square)
    r = fma(fma(x, x, -square), type(x)(-0.5), r)
    return k, type(x)(1) + fma(r * r, fma(r, polynomial(r, EXP_SINGLE, EXP_DOUBLE), 0.5), r)


def pdf_double(x: Any) -> Any:
    k, value = exp_parts(-0.5 * x * x)
    return scaled(fma(-0.5 * fma(x, x, -x * x), value, value) * DENSITY, k)


def cdf_double(x: Any) -> Any:
    """erfc(-x / sqrt(2)) / 2; what the exponent loses when x / sqrt(2) is rounded is put back."""
    size = abs(x)
    size = select(size > 39, 39.0, size)
    k, value = erfc_parts(ROOT_HALF * size, 0.5 * size * size, 0.5 * fma(size, size, -size * size))
    value = scaled(0.5 * value, k)
    near = fma(erf_near_zero(ROOT_HALF * x), 0.5, 0.5)
    return select(size < 1, near, select(x > 0, 1.0 - value, value))
