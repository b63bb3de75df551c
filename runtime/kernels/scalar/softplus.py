"""ln(1 + e^x), and the logarithm of the logistic function, branch-free, so that loops over them are vectorised.

Both are made of l(w) = ln(1 + w) for w = e^-|x|, so neither overflows. A polynomial's coefficients are minimax fits
(Remez), rounded one after the other, the lowest power first, each followed by a new fit of the rest.
Errors of functions are given for float32 and for float64: the largest that was found.
"""

from __future__ import annotations

from typing import Any

from .exponential import EXP_SINGLE, LN2_SINGLE, LOG2_E, SHIFT, exp, scaled, times_power
from .logarithm import log1p
from .primitives import bits, choose, fma, narrow, polynomial, select

# (log(1 + w) - w) / w^2 for 0 <= w <= 1: relative error of the logarithm at most 2^-27.5
LOG1P_SINGLE = (
    -0.003306539496406913, 0.020150333642959595, -0.05756152793765068, 0.10670012980699539, -0.15349097549915314,
    0.19693192839622498,   -0.24958156049251556, 0.3333047032356262,   -0.4999993145465851,
)  # fmt: skip
LEAST = -104.0  # from here on e^x is 0 in float32


def log1p_exp(x: Any) -> Any:
    """ln(1 + e^x) = max(x, 0) + l(e^-|x|); error at most 1.9 and 1.5 ulp."""
    return select(x > 0, x, 0.0) + choose(x, of_power_single, of_power_double)(x)


def log_sigmoid(x: Any) -> Any:
    """-ln(1 + e^-x) = min(x, 0) - l(e^-|x|); error at most 1.9 and 1.5 ulp."""
    return select(x < 0, x, 0.0) - choose(x, of_power_single, of_power_double)(x)


def log_sigmoid_usual(x: Any) -> Any:
    """The same where e^-|x| is a normal number."""
    return select(x < 0, x, 0.0) - choose(x, of_normal_power, of_power_double)(x)


def of_power_double(x: Any) -> Any:
    """l(e^-|x|)."""
    return log1p(exp(-abs(x)))


def of_power_single(x: Any) -> Any:
    """The same in float32."""
    size = -abs(x)
    shifted, unit = power_parts(select(size < LEAST, type(x)(LEAST), size))
    return of_unit(scaled(unit, narrow(x, bits(shifted) - bits(type(x)(SHIFT[0])))))


def of_normal_power(x: Any) -> Any:
    """The same where the power is a normal number."""
    shifted, unit = power_parts(-abs(x))
    return of_unit(times_power(unit, shifted))


def power_parts(x: Any) -> Any:
    """e^x = 2^k u as k, to which `SHIFT` was added, and u from 0.7 to 1.42, with an error of 0.7 ulp."""
    shifted = fma(x, type(x)(LOG2_E), type(x)(SHIFT[0]))
    n = shifted - type(x)(SHIFT[0])
    r = fma(n, type(x)(-LN2_SINGLE[1]), fma(n, type(x)(-LN2_SINGLE[0]), x))
    return shifted, type(x)(1) + fma(r * r, polynomial(r, EXP_SINGLE, EXP_SINGLE), r)


def of_unit(w: Any) -> Any:
    """l(w) for 0 <= w <= 1."""
    return fma(w * w, polynomial(w, LOG1P_SINGLE, LOG1P_SINGLE), w)
