"""Hyperbolic functions of real numbers, branch-free, so that loops over them are vectorised.

All start from x = k ln 2 + r as the exponentials do. A polynomial's coefficients are minimax fits (Remez), rounded one
after the other, the lowest power first, each followed by a new fit of the rest.
Errors of functions are given for float32 and for float64: the largest that was found.
"""

from __future__ import annotations

from typing import Any

from .exponential import (
    EXPM1_DOUBLE,
    EXPM1_SINGLE,
    LOG2_E,
    SHIFT,
    power_of_two,
    reduced,
    scaled,
    times_power,
    with_sign,
)
from .primitives import choose, fma, polynomial, select

HALF_LN2 = 0.34657359027997264
# (e^2r - 1 - 2 r) / r^2 for |r| < 0.1735
DOUBLED_SINGLE = tuple(c * 2.0 ** (7 - k) for k, c in enumerate(EXPM1_SINGLE))
DOUBLED_DOUBLE = tuple(c * 2.0 ** (12 - k) for k, c in enumerate(EXPM1_DOUBLE))

# (cosh(r) - 1) / r^2 as a polynomial in r^2 for |r| < 0.35: error of cosh at most 2^-33.1 and 2^-57.8
COSH_SINGLE = (0.001393627026118338, 0.04166645184159279, 0.5)
COSH_DOUBLE = (
    2.763289754302109e-07,  2.4801485566449392e-05, 0.0013888888951076091,  0.04166666666650061,
    0.5000000000000014,
)  # fmt: skip
# (sinh(r) - r) / r^3 as a polynomial in r^2 for |r| < 0.35: relative error of sinh at most 2^-26.1 and 2^-61.5
SINH_SINGLE = (0.008367293514311314, 0.16666537523269653)
SINH_DOUBLE = (
    2.5109886318038238e-08, 2.755724210416646e-06,  0.00019841269887824667, 0.008333333333321154,
    0.16666666666666677,
)  # fmt: skip


def tanh(x: Any) -> Any:
    """t / (t + 2) for t = e^2|x| - 1, with the sign of `x`; error at most 2.4 and 2.5 ulp."""
    size = abs(x)
    less = less_one(select(size > 22, 22.0, size))  # tanh is 1 to the last bit from here on, and e^2x does not overflow
    return with_sign(less / (less + type(x)(2)), x)


def less_one(x: Any) -> Any:
    """e^2x - 1 for 0 <= x <= 22: for x = n ln(2)/2 + r as 2^n - 1 + 2^n 2 r + 2^n r^2 P(r)."""
    shift = choose(x, SHIFT[0], SHIFT[1])
    shifted = fma(x, choose(x, 2.0 * LOG2_E, 2.0 * LOG2_E), shift)
    r = fma(shifted - shift, -choose(x, HALF_LN2, HALF_LN2), x)
    power = times_power(type(x)(1), shifted)
    more = power * r
    first = fma(more, 2.0, power - type(x)(1))
    return fma(more * r, polynomial(r, DOUBLED_SINGLE, DOUBLED_DOUBLE), first)


def hyperbolic_parts(x: Any) -> Any:
    """For x = k ln 2 + r >= 0: k, 2^-2k, r, cosh(r) - 1, sinh(r) - r."""
    k, r, low = reduced(select(x > choose(x, 90.0, 711.0), choose(x, 90.0, 711.0), x))
    rest = r + low
    r, low = rest, r - rest + low
    square = r * r
    even = fma(square, polynomial(square, COSH_SINGLE, COSH_DOUBLE), r * low)
    odd = fma(square * r, polynomial(square, SINH_SINGLE, SINH_DOUBLE), low)
    return k, power_of_two(x, -2 * select(k < 32, k, 32)), r, even, odd


def hyperbolic_sum(small: Any, r: Any, even: Any, odd: Any) -> Any:
    """2^-k (e^x + e^-x) for small = 2^-2k, and with -small the difference."""
    one = type(r)(1)
    total, difference = one + small, one - small
    first = fma(difference, r, total)
    second = fma(difference, r, total - first) + ((one - total) + small)
    return first + (second + fma(difference, odd, total * even))


def sinh(x: Any) -> Any:
    """(e^x - e^-x) / 2; error at most 1.0 and 0.9 ulp."""
    k, small, r, even, odd = hyperbolic_parts(abs(x))
    return with_sign(scaled(hyperbolic_sum(-small, r, even, odd), k - 1), x)


def cosh(x: Any) -> Any:
    """(e^x + e^-x) / 2; error at most 0.8 and 0.9 ulp."""
    k, small, r, even, odd = hyperbolic_parts(abs(x))
    return scaled(hyperbolic_sum(small, r, even, odd), k - 1)
