"""Log densities of gamma, Poisson and binomial numbers as sums of terms that do not cancel: the deviance, a distance of
a count from its mean, and what Stirling's formula leaves of the factorial. The method is C. Loader's, "Fast and
accurate computation of binomial probabilities", 2000. float32 is computed in float64, for which errors are given."""

import math
from typing import Any

import numpy as np

from ...compiler.passes.primitives import polynomial
from .gamma import DIGAMMA_ASYMPTOTIC, HALF_LOG_2PI, digamma, lgamma, series
from .log import log, log1p

STIRLING_THRESHOLD = 10.0  # from here on Stirling's series has all digits
SMALL = 1e-290  # products from here on are normal numbers
CLOSE = 0.4  # relative differences up to this are arguments of series
SERIES_FROM = 2.0  # from here on steps to the threshold have all digits
# 1/(2k + 1), k = 12 to 1: (artanh(s) - s) / s^3 in s^2
ARTANH = (1 / 25, 1 / 23, 1 / 21, 1 / 19, 1 / 17, 1 / 15, 1 / 13, 1 / 11, 1 / 9, 1 / 7, 1 / 5, 1 / 3)


def deviance(x: Any, mean: Any) -> Any:
    """x ln(x / mean) + mean - x, the mean at 0; error at most 4 ulp where `mean` / x is no more than e^x."""
    if x == 0:
        return mean
    difference = (mean - x) / x
    if abs(difference) > CLOSE:
        return x * log_ratio(x, mean) + (mean - x)
    s = difference / (2.0 + difference)  # ln(1 + d) = 2 artanh(s), and 2 s - d = -s d
    return x * s * (difference - 2.0 * s * s * polynomial(s * s, ARTANH, ARTANH))


def log_ratio(x: Any, y: Any) -> Any:
    """ln(x / y), also where the ratio is near 1 or no normal number."""
    difference = (x - y) / y if y > 0 else math.inf
    if abs(difference) <= CLOSE:
        return log1p(difference)
    return log(x / y) if 1e-290 < difference + 1.0 < 1e290 else log(x) - log(y)


def stirling_remainder(x: Any) -> Any:
    """ln(x!) - x ln(x) + x, 0 at 0: ln(2 pi x) / 2 and a series; error at most 5e-16, and 2 ulp from 2 on."""
    if x >= SERIES_FROM:
        return 0.5 * log(x) + (HALF_LOG_2PI + stirling_series(x))
    return lgamma(x + 1.0) - x * log(x) + x if x > 0 else 0.0


def stirling_series(x: Any) -> Any:
    """Stirling's series for x >= 2. A step from x to x + 1 takes (x + 1/2) ln(1 + 1 / x) - 1: artanh(s) / s - 1 for s =
    1 / (2 x + 1)."""
    steps = 0.0
    while x < STIRLING_THRESHOLD:
        square = 1.0 / ((2.0 * x + 1.0) * (2.0 * x + 1.0))
        steps += square * polynomial(square, ARTANH, ARTANH)
        x += 1.0
    return steps + series(1.0 / x)


def log_poisson(k: Any, above: Any, mean: Any) -> Any:
    """k ln(mean) - mean - ln(gamma(above)), above = k + 1; error at most 5 ulp of the result, and 1e-14."""
    if k == math.inf or mean == math.inf:
        return -abs(k - mean)
    if k < STIRLING_THRESHOLD:
        return (0.0 if k == 0 else k * log(mean)) - mean - lgamma(above)
    return -deviance(k, mean) - stirling_remainder(k)


def gamma_log_prob(x: Any, a: Any, rate: Any) -> Any:
    """The log density of the gamma distribution: a ln(rate) + (a - 1) ln(x) - rate x - ln(gamma(a))."""
    return type(x)(log_gamma_density(np.float64(x), np.float64(a), np.float64(rate)))


def log_gamma_density(x: Any, a: Any, rate: Any) -> Any:
    mean, log_rate = rate * x, log(rate)
    if 0 < x < 1 and mean < SMALL:
        return (a - 1.0) * (log(x) + log_rate) - lgamma(a) + log_rate
    return log_poisson(a - 1.0, a, mean) + log_rate


def binomial_log_prob(k: Any, j: Any, p: Any, q: Any) -> Any:
    """ln((k + j)! / (k! j!) p^k q^j) for p + q = 1; of others a multinomial's, with -(k + j) (p + q - 1) besides."""
    return type(p)(log_binomial(np.float64(k), np.float64(j), np.float64(p), np.float64(q)))


def log_binomial(k: Any, j: Any, p: Any, q: Any) -> Any:
    if k < 0 or j < 0:
        return -math.inf
    total = k + j
    ways = stirling_remainder(total) - stirling_remainder(k) - stirling_remainder(j)
    return ways - part_deviance(k, total, p) - part_deviance(j, total, q)


def part_deviance(k: Any, total: Any, p: Any) -> Any:
    """The deviance of k from total p, also where this is no normal number."""
    mean = total * p
    if k == 0 or mean > SMALL:
        return deviance(k, mean)
    return k * (log(k / total) - log(p)) + (mean - k)


def log_minus_digamma(a: Any, x: Any) -> Any:
    """ln(x) - digamma(a), the derivative of the log density by the shape; error at most 2 ulp of the larger term below
    10, and then of the result but for the cancelling of ln(x / a) and 1 / (2 a)."""
    return type(x)(log_above_digamma(np.float64(a), np.float64(x)))


def log_above_digamma(a: Any, x: Any) -> Any:
    if not a >= STIRLING_THRESHOLD:
        return log(x) - digamma(a)
    part = 1.0 / a
    return log_ratio(x, a) + (
        0.5 * part + part * part * polynomial(part * part, DIGAMMA_ASYMPTOTIC, DIGAMMA_ASYMPTOTIC)
    )
