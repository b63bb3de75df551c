"""Derivatives of Bessel functions of any order, where recurrences would cancel. All are computed in float64.

With v = sin(t / 2), or sinh(t / 2) for K, the integrals DLMF 10.32.1 and 10.32.9 are of e^(-2 x v^2), so that each
derivative is one of powers of 2 v^2 besides, all of one sign. Trapezoidal sums of them converge exponentially."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import root
from .bessel import j0_double, j1_double
from .exp import exp
from .modified_bessel import i0_double, i1_double, k0e_double, k1e_double

PERIOD_END = 30.0  # below, i0e is a mean over a period
# 2 sin(t / 2)^2 for t = (k + 1/2) pi / 30
HALF_PERIOD = (
    0.0013704652454261262, 0.012311659404862273, 0.034074173710931716, 0.06641957350279826, 0.10899347581163214,
    0.16132943205457598, 0.22285403854302913, 0.2928932188134525, 0.37067960895016255, 0.4553609649849729,
    0.5460095002604533, 0.6416320504546997, 0.7411809548974793, 0.8435655349597692, 0.9476640437570562,
    1.0523359562429437, 1.156434465040231, 1.2588190451025207, 1.3583679495453003, 1.4539904997395467,
    1.544639035015027, 1.6293203910498375, 1.7071067811865475, 1.777145961456971, 1.838670567945424,
    1.8910065241883678, 1.9335804264972019, 1.9659258262890682, 1.9876883405951378, 1.998629534754574,
)  # fmt: skip
STEPS, STEPS_FROM = 0.115, 6.8  # of v, up to here, and 0.3 / sqrt(x) beyond
LAST = 52.0  # e^-LAST, and powers of it, count no more
SUM_FROM = 0.5  # below, k0e is a sum of functions of higher orders


def i0e_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of e^-x I0(x) at |x|; error at most 4 ulp in float64."""
    size = abs(np.float64(x))
    if size < PERIOD_END:
        return type(x)(mean_of_period(n, size))
    return type(x)(bell_sum(n, size, -1.0) / math.pi)


def i1e_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of e^-x I1(x) at |x|, which is a derivative of e^-x I0(x) more."""
    wide = np.float64(x)
    return type(x)(i0e_derivative(n, wide) + i0e_derivative(n + 1, wide))


def mean_of_period(n: Any, x: Any) -> Any:
    total = 0.0
    for k in range(30):
        total += exp(-x * HALF_PERIOD[k]) * natural_power(-HALF_PERIOD[k], n)
    return total / 30.0


def natural_power(x: Any, n: Any) -> Any:
    result, k = 1.0, 0
    while k < n:
        result *= x
        k += 1
    return result


def bell_sum(n: Any, x: Any, sign: Any) -> Any:
    """The integral of 2 e^(-2 x v^2) (-2 v^2)^n / sqrt(1 + sign v^2) over v > 0."""
    if not x < math.inf:
        return x - x if x != x else 0.0
    step = 0.3 / root(x) if x > STEPS_FROM else STEPS
    total, exponent, k = 0.5 if n == 0 else 0.0, 0.0, 0.0
    while exponent < LAST:
        k += 1.0
        square = step * step * (k * k)
        exponent = 2.0 * (k * step) * (x * (k * step))
        total += exp(-exponent) * natural_power(-2.0 * square, n) / root(1.0 + sign * square)
    return 2.0 * step * total


def k0e_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of e^x K0(x) for x > 0; nan below 0; error at most 30 ulp in float64."""
    wide = np.float64(x)
    if wide >= SUM_FROM or wide != wide:
        return type(x)(bell_sum(n, wide, 1.0))
    return type(x)(sum_of_orders(n, wide))


def sum_of_orders(n: Any, x: Any) -> Any:
    """2^-n times the sum of (-1)^k C(2n, n + k) e^x K_k(x) over |k| <= n."""
    sign = 1.0 if n % 2 == 0 else -1.0
    if not x > 0:
        return sign * math.inf if x == 0 else math.nan
    order, above, factor, power = k0e_double(x), k1e_double(x), 1.0, 1.0
    k = 0.0
    while k < n:  # C(2n, n)
        k += 1.0
        factor *= (n + k) / k
        power *= 0.5
    factor *= power
    total, k = factor * order, 0.0
    while k < n:
        k += 1.0
        factor *= -(n - k + 1.0) / (n + k)
        total += 2.0 * factor * above
        order, above = above, order + 2.0 * k / x * above
    return total if order < math.inf else sign * math.inf


def i1_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of I1(x); error at most 8 ulp in float64."""
    wide = np.float64(x)
    if abs(wide) < 20.0:
        return type(x)(order_1_series(n, wide, 1.0))
    value = i1_double(wide)
    if abs(value) == math.inf:
        return type(x)(abs(value) if n % 2 == 1 else value)
    return type(x)(by_equation(n, wide, 1.0, value, i0_double(wide) - value / wide))


def bessel_j1_derivative(n: Any, x: Any) -> Any:
    """The derivative of order n of J1(x)."""
    wide = np.float64(x)
    if abs(wide) < 2.0:
        return type(x)(order_1_series(n, wide, -1.0))
    if abs(wide) == math.inf:
        return type(x)(0.0)
    value = j1_double(wide)
    return type(x)(by_equation(n, wide, -1.0, value, j0_double(wide) - value / wide))


def order_1_series(n: Any, x: Any, sign: Any) -> Any:
    """The derivative of order n of the power series of I1, or with the sign -1 of J1, term by term."""
    k, term = 0.0, 0.5  # what x^(2k + 1) has as its factor
    while 2.0 * k + 1.0 < n:
        k += 1.0
        term *= sign * 0.25 / (k * (k + 1.0))
    power = 2.0 * k + 1.0
    j = 0.0
    while j < n:
        term *= power - j
        j += 1.0
    if power > n:
        term *= x
    total = 0.0
    while abs(term) > 1e-17 * abs(total):
        total += term
        k += 1.0
        power += 2.0
        grown = power * (power - 1.0) / ((power - n) * (power - n - 1.0))
        term *= sign * 0.25 * x * x / (k * (k + 1.0)) * grown
    return total


def by_equation(n: Any, x: Any, sign: Any, value: Any, derivative: Any) -> Any:
    """The derivative of order n of a solution of x^2 y'' + x y' = (1 + sign x^2) y, which is differentiated."""
    below, before, here, after = 0.0, 0.0, value, derivative
    part, k = 1.0 / x, 0.0
    while k < n:
        third = sign * (here + k * part * (2.0 * before + (k - 1.0) * part * below))
        following = third + part * ((1.0 - k * k) * part * here - (2.0 * k + 1.0) * after)
        below, before, here, after = before, here, after, following
        k += 1.0
    return here
