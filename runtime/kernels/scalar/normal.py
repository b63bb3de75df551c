"""The standard normal distribution, branch-free, so that loops over it are vectorised: what gelu is made of.

A polynomial's coefficients are minimax fits (Remez), rounded one after the other, the lowest power first, each
followed by a new fit of the rest.
Errors of functions are given for float32 and for float64: the largest that was found.
"""

from __future__ import annotations

from typing import Any

from .error import erf_near_zero, erfc_parts
from .exponential import exp_minus, power_of_two, power_tail, reduced, scaled
from .primitives import choose, fma, polynomial, select

ROOT_HALF = 0.7071067811865476
DENSITY = 0.3989422804014327  # 1 / sqrt(2 pi)
# (P(X < x) - 1/2) / x as a polynomial in x^2 for |x| <= 1: error of the probability at most 2^-26.4
NEAR_SINGLE = (
    9.29993184399791e-05,   -0.0011666325153782964, 0.00996522605419159,    -0.0664890706539154,
    0.398942232131958,
)  # fmt: skip
# e^(x^2/2) P(X > x) (x + 4) as a polynomial in (x - 4) / (x + 4) for 1 <= x <= 14.6: relative error at most 2^-25.7
# for x <= 3, up to 17 times that beyond
FAR_SINGLE = (
    0.001398460823111236,   -0.0034227671567350626, -0.007471324410289526,  0.060391999781131744,
    -0.18652798235416412,   0.38713717460632324,    -0.6078965663909912,    0.7552851438522339,
)  # fmt: skip


def normal_pdf(x: Any) -> Any:
    """e^(-x^2/2) / sqrt(2 pi); error at most 2.2 and 1.9 ulp."""
    size = abs(x)
    return choose(x, pdf_single, pdf_double)(select(size > choose(x, 14.5, 39.0), choose(x, 14.5, 39.0), size))


def normal_cdf(x: Any) -> Any:
    """The probability of a number below `x`; error at most 5.8 and 3.0 ulp."""
    return choose(x, cdf_single, cdf_double)(x)


def pdf_single(x: Any) -> Any:
    k, value = bell_single(x)
    return value * power_of_two(x, k + 32) * type(x)(DENSITY * 2.0**-32)


def cdf_single(x: Any) -> Any:
    size = abs(x)
    size = select(size > 14.5, type(x)(14.5), size)
    k, value = bell_single(size)
    part = type(x)(1) / (size + type(x)(4))
    ratio = (size - type(x)(4)) * part
    value *= power_of_two(x, k + 32)
    rest = value * (part * polynomial(ratio, FAR_SINGLE, FAR_SINGLE)) * type(x)(2.0**-32)
    near = fma(x, polynomial(x * x, NEAR_SINGLE, NEAR_SINGLE), 0.5)
    return select(size < 1, near, select(x > 0, type(x)(1) - rest, rest))


def bell_single(x: Any) -> Any:
    """k and v with e^(-x^2/2) = 2^k v."""
    square = x * x
    k, r, low = reduced(type(x)(-0.5) * square)
    low = fma(fma(x, x, -square), type(x)(-0.5), low)
    return k, type(x)(1) + (r + power_tail(r, low))


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
