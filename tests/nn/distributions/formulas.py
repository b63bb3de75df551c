"""Densities and distribution functions in mpmath, of the value and then the parameters."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

from mpmath import mp

Formula = Callable[..., Any]


def log_factorial(x: Any) -> Any:
    return mp.loggamma(x + 1)


def log_beta(a: Any, b: Any) -> Any:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def times_log(x: Any, y: Any) -> Any:
    return mp.mpf(0) if x == 0 else x * mp.log(y)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def normal_cdf(z: Any) -> Any:
    return mp.erfc(-z / mp.sqrt(2)) / 2


def normal_icdf(p: Any) -> Any:
    """By Newton's method on the logarithm of the lower tail, from the number in float64."""
    if p > 0.5:
        return -normal_icdf(1 - p)
    z = mp.mpf(NormalDist().inv_cdf(float(p)))
    for _ in range(20):
        step = (mp.log(normal_cdf(z)) - mp.log(p)) * normal_cdf(z) * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
        z -= step
        if abs(step) < mp.mpf(10) ** -95 * (1 + abs(z)):
            break
    return z


def of_location(log_density: Formula) -> Formula:
    return lambda x, loc, scale, *rest: log_density((x - loc) / scale, *rest) - mp.log(scale)


def binomial(k: Any, n: Any, p: Any, q: Any) -> Any:
    ways = log_factorial(n) - log_factorial(k) - log_factorial(n - k)
    return ways + times_log(k, p) + times_log(n - k, q)


def negative_binomial(k: Any, r: Any, p: Any, q: Any) -> Any:
    return mp.loggamma(r + k) - log_factorial(k) - mp.loggamma(r) + times_log(r, q) + times_log(k, p)


def gamma(x: Any, a: Any, r: Any) -> Any:
    return a * mp.log(r) + times_log(a - 1, x) - r * x - mp.loggamma(a)


def student_t(z: Any, df: Any) -> Any:
    return -(df + 1) / 2 * mp.log1p(z * z / df) - mp.log(df) / 2 - log_beta(df / 2, mp.mpf(1) / 2)


def fisher(x: Any, a: Any, b: Any) -> Any:
    powers = a / 2 * mp.log(a / b) + (a / 2 - 1) * mp.log(x) - (a + b) / 2 * mp.log1p(a * x / b)
    return powers - log_beta(a / 2, b / 2)


def survival_of_pareto(x: Any, loc: Any, scale: Any, c: Any) -> Any:
    z = (x - loc) / scale
    return mp.exp(-z) if c == 0 else (1 + c * z) ** (-1 / c)


def generalized_pareto(x: Any, loc: Any, scale: Any, c: Any) -> Any:
    z = (x - loc) / scale
    return -mp.log(scale) - (z if c == 0 else (1 + 1 / c) * mp.log1p(c * z))


def continuous_bernoulli_log_norm(log_odds: Any) -> Any:
    return mp.log(2) if log_odds == 0 else mp.log(log_odds / mp.tanh(log_odds / 2))


def continuous_bernoulli(x: Any, p: Any) -> Any:
    return continuous_bernoulli_log_norm(mp.log(p / (1 - p))) + x * mp.log(p) + (1 - x) * mp.log1p(-p)


def continuous_bernoulli_cdf(x: Any, p: Any) -> Any:
    log_odds = mp.log(p / (1 - p))
    return x if log_odds == 0 else mp.expm1(log_odds * x) / mp.expm1(log_odds)


def continuous_bernoulli_icdf(u: Any, p: Any) -> Any:
    log_odds = mp.log(p / (1 - p))
    return u if log_odds == 0 else mp.log1p(u * mp.expm1(log_odds)) / log_odds


def von_mises(x: Any, loc: Any, k: Any) -> Any:
    return k * (mp.cos(x - loc) - 1) - mp.log(2 * mp.pi * mp.besseli(0, k) * mp.exp(-k))


def relaxed(y: Any, t: Any, log_odds: Any) -> Any:
    away = log_odds - y * t
    return mp.log(t) + away - 2 * mp.log1p(mp.exp(away))
