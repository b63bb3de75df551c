"""Hyperbolic functions of real numbers, branch-free, so that loops over them are vectorised.

All start from x = k ln 2 + r as the exponentials do. A polynomial's coefficients are minimax fits (Remez), rounded one
after the other, the lowest power first, each followed by a new fit of the rest.
Errors of functions are given for float32 and for float64: the largest that was found.
"""

from __future__ import annotations

from typing import Any

from .exponential import LOG2_E, SHIFT, power_of_two, reduced, scaled, times_power, with_sign
from .primitives import choose, fma, polynomial, select

HALF_LN2 = 0.34657359027997264
# e^2r for |r| < 0.1735: relative error at most 2^-28.2 and 2^-57.8
SQUARE_SINGLE = (
    0.08847058564424515, 0.26780247688293457, 0.666691780090332, 1.3333215713500977, 1.999999761581421, 2.0, 1.0,
)  # fmt: skip
SQUARE_DOUBLE = (
    5.1219320636470464e-05, 0.00028293601874018856, 0.001410946866146453, 0.006349182059398953,
    0.02539682501344629,    0.08888888924390985,    0.26666666667127825,  0.666666666664431,
    1.3333333333333153,     2.0000000000000044,     2.0,                  1.0,
)  # fmt: skip
# (tanh(x) - x) / x^3 as a polynomial in x^2 for |x| < 0.63: relative error of tanh at most 2^-27.6 and 2^-56.1
TANH_SINGLE = (
    -0.0056650773622095585, 0.020604301244020462, -0.05372936651110649, 0.13331322371959686, -0.33333277702331543,
)  # fmt: skip
TANH_DOUBLE = (
    -1.5854818206499492e-05, 7.669590342498072e-05, -0.00022816664795460872, 0.0005861181323121173,
    -0.0014548976814827048,  0.003591977120744204,  -0.00886321949027657,    0.021869487459177633,
    -0.053968253926097075,   0.13333333333250827,   -0.3333333333333277,
)  # fmt: skip

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
    """1 - 2 / (e^2x + 1), near zero a polynomial; error at most 1.5 and 1.5 ulp."""
    size = abs(x)
    size = select(size > 22, 22.0, size)  # tanh is 1 to the last bit from here on, and e^2x does not overflow
    square = size * size
    near = fma(size * square, polynomial(square, TANH_SINGLE, TANH_DOUBLE), size)
    far = type(x)(1) - type(x)(2) / (squared_exp(size) + type(x)(1))
    return with_sign(select(size < choose(x, 0.63, 0.63), near, far), x)


def squared_exp(x: Any) -> Any:
    """e^2x for 0 <= x <= 22, with an error of some 2^-54 (2^-25 in float32) for each binade of the result."""
    shift = choose(x, SHIFT[0], SHIFT[1])
    shifted = fma(x, choose(x, 2.0 * LOG2_E, 2.0 * LOG2_E), shift)
    r = fma(shifted - shift, -choose(x, HALF_LN2, HALF_LN2), x)
    return polynomial(r, SQUARE_SINGLE, SQUARE_DOUBLE) * times_power(type(x)(1), shifted)


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
