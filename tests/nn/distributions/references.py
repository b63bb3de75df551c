"""Distributions at grids of parameters and values, their functions in mpmath at 150 digits, and the errors of ours.

`worst_errors(name, dtype)` gives, for each function of a distribution and its derivatives, the largest error and where
it is. Errors are in units of the rounding of the result and of the inputs: |found - true| over eps times the true value
(at least 1 for logarithms of densities) and what it changes by when each input moves by its own relative rounding. So a
method that rounds nothing but its inputs and its result has an error of about 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

import specgrad as sg
from specgrad import distributions as D

Formula = Callable[..., Any]  # mpmath's numbers to one: of the value, then of the parameters
Point = tuple[float, ...]  # the parameters, then the value
DIGITS = 150
STEP = mp.mpf(10) ** -50  # of differences, relative
RESOLVED = mp.mpf(10) ** -60  # smaller derivatives, of a value of 1 and an argument of 1, have too few digits


class Reference(NamedTuple):
    """A distribution: how it is made of its parameters, its functions by name, and the points for each."""

    make: Callable[..., Any]
    parameters: tuple[str, ...]
    formulas: dict[str, Formula]
    points: dict[str, list[Point]]
    is_discrete: bool = False


class Worst(NamedTuple):
    """The largest error of a function, where it is, and what was found and is true there."""

    error: float
    at: dict[str, float]
    found: float
    true: float


# ---- formulas --------------------------------------------------------------------------------------------------------


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
    """By Newton's method on the logarithm of the lower tail, from its asymptotic form."""
    if p > 0.5:
        return -normal_icdf(1 - p)
    z = -mp.sqrt(-2 * mp.log(2 * p))
    for _ in range(200):
        step = (mp.log(normal_cdf(z)) - mp.log(p)) * normal_cdf(z) * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
        z -= step
        if abs(step) < mp.mpf(10) ** -140 * (1 + abs(z)):
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


# ---- points ----------------------------------------------------------------------------------------------------------

Z = (-1e8, -300.0, -37.0, -9.0, -3.0, -0.5, -1e-5, 1e-5, 0.7, 2.0, 8.0, 30.0, 1e3, 1e8)  # distances, in scales
LEVELS = (1e-30, 1e-9, 1e-3, 0.1, 0.3, 0.625, 0.9, 0.999)
LOC_SCALE = ((0.0, 1.0), (1.5, 0.25), (-3000.0, 700.0), (1e-3, 1e5))
SHAPES = (1e-3, 0.3, 1.0, 2.5, 40.0, 1e3, 1e5, 1e7)
COUNTS = (0.0, 1.0, 3.0, 40.0, 1e3, 1e5, 1e7)
PROBS = (1e-9, 0.01, 0.3, 0.5, 0.875, 0.99)
LOGITS = (-300.0, -40.0, -3.0, 0.0, 2.0, 30.0, 120.0)
RATES = (1e-3, 1.0, 30.0)
SDS = (-4.0, -1.0, -0.01, 0.0, 0.3, 2.0, 6.0)


def around(loc_scale: Iterable[tuple[float, ...]], distances: Iterable[float] = Z) -> list[Point]:
    return [(*args, args[0] + args[1] * z) for args, z in itertools.product(loc_scale, distances)]


def each(*columns: Iterable[float]) -> list[Point]:
    return list(itertools.product(*columns))


def positive(points: Iterable[Point]) -> list[Point]:
    return [point for point in points if point[-1] > 0]


def counts_around(points: Iterable[tuple[Point, float, float]], at_most: float = 1e30) -> list[Point]:
    """Whole numbers at distances in standard deviations from the mean, of each (parameters, mean, variance)."""
    return [
        (*args, float(round(mean + sd * variance**0.5)))
        for (args, mean, variance), sd in itertools.product(points, SDS)
        if 0 <= round(mean + sd * variance**0.5) <= at_most
    ]


def binomial_points(of_p: Iterable[float], to_p: Callable[[float], float]) -> list[Point]:
    points: list[Point] = []
    for n, parameter in itertools.product((1.0, 7.0, 1e3, 1e5, 1e7), of_p):
        p = to_p(parameter)
        points += counts_around([((n, parameter), n * p, n * p * (1 - p))], n)
        points += [(n, parameter, k) for k in (0.0, 1.0, n)]
    return sorted(set(points))


def negative_binomial_points(of_p: Iterable[float], to_p: Callable[[float], float]) -> list[Point]:
    points: list[Point] = []
    for r, parameter in itertools.product((0.01, 3.0, 1e3, 1e5, 1e7), of_p):
        p = to_p(parameter)
        if p < 1 - 1e-9:
            points += counts_around([((r, parameter), r * p / (1 - p), r * p / (1 - p) ** 2)], 1e9)
        points += [(r, parameter, k) for k in (0.0, 1.0, 20.0)]
    return sorted(set(points))


def gamma_points(shapes: Iterable[float] = SHAPES) -> list[Point]:
    points = [(a, r, (a + sd * a**0.5) / r) for a, r, sd in itertools.product(shapes, RATES, SDS)]
    return positive([*points, *each(shapes, RATES, (1e-25, 1e-3, 1.0, 50.0))])


def beta_points() -> list[Point]:
    points = []
    for a, b in itertools.product(SHAPES, SHAPES):
        sd = (a * b / (a + b + 1)) ** 0.5 / (a + b)
        points += [(a, b, a / (a + b) + sds * sd) for sds in (-3.0, 0.0, 0.5)] + [(a, b, 1e-20), (a, b, 0.97)]
    return [point for point in points if 1e-25 < point[-1] < 1 - 1e-6]


def logistic(loc: Any, scale: Any) -> Any:
    base = D.Uniform(sg.zeros_like(loc), sg.ones_like(loc))
    transforms = [D.SigmoidTransform().inv, D.AffineTransform(loc, scale)]
    return D.TransformedDistribution(base, transforms, validate_args=False)


LOC = ("loc", "scale")
UNIT = (1e-20, 1e-5, 0.1, 0.5, 0.75, 0.999)
REFERENCES: dict[str, Reference] = {
    "Normal": Reference(
        D.Normal,
        LOC,
        {
            "log_prob": of_location(lambda z: -z * z / 2 - mp.log(2 * mp.pi) / 2),
            "cdf": lambda x, loc, scale: normal_cdf((x - loc) / scale),
            "icdf": lambda p, loc, scale: loc + scale * normal_icdf(p),
        },
        {"log_prob": around(LOC_SCALE), "cdf": around(LOC_SCALE), "icdf": each((0.0, -3.0), (1.0, 0.25), LEVELS)},
    ),
    "LogNormal": Reference(
        D.LogNormal,
        LOC,
        {
            "log_prob": lambda y, loc, scale: (
                -(((mp.log(y) - loc) / scale) ** 2) / 2 - mp.log(y * scale) - mp.log(2 * mp.pi) / 2
            ),
            "cdf": lambda y, loc, scale: normal_cdf((mp.log(y) - loc) / scale),
            "icdf": lambda p, loc, scale: mp.exp(loc + scale * normal_icdf(p)),
        },
        {
            "log_prob": each((0.0, 2.0), (1.0, 0.1), (1e-30, 1e-3, 0.9, 2.0, 1e5, 1e30)),
            "cdf": each((0.0, 2.0), (1.0, 4.0), (1e-15, 1e-3, 0.9, 2.0, 1e5)),
            "icdf": each((0.0, 2.0), (1.0, 4.0), LEVELS),
        },
    ),
    "HalfNormal": Reference(
        D.HalfNormal,
        ("scale",),
        {
            "log_prob": lambda x, s: -((x / s) ** 2) / 2 - mp.log(s) + mp.log(2 / mp.pi) / 2,
            "cdf": lambda x, s: mp.erf(x / s / mp.sqrt(2)),
            "icdf": lambda p, s: -s * normal_icdf((1 - p) / 2),
        },
        dict.fromkeys(("log_prob", "cdf"), each((1.0, 0.01, 300.0), (1e-30, 1e-6, 0.1, 1.0, 7.0)))
        | {"icdf": each((1.0, 300.0), LEVELS)},
    ),
    "Laplace": Reference(
        D.Laplace,
        LOC,
        {
            "log_prob": of_location(lambda z: -abs(z) - mp.log(2)),
            "cdf": lambda x, loc, s: mp.exp((x - loc) / s) / 2 if x < loc else 1 - mp.exp((loc - x) / s) / 2,
            "icdf": lambda p, loc, s: loc + s * (mp.log(2 * p) if p < 0.5 else -mp.log(2 * (1 - p))),
        },
        {"log_prob": around(LOC_SCALE), "cdf": around(LOC_SCALE), "icdf": each((0.0, -3.0), (1.0, 0.25), LEVELS)},
    ),
    "Cauchy": Reference(
        D.Cauchy,
        LOC,
        {
            "log_prob": of_location(lambda z: -mp.log(mp.pi) - mp.log1p(z * z)),
            "cdf": lambda x, loc, s: mp.atan2(s, loc - x) / mp.pi,
            "icdf": lambda p, loc, s: loc - s * mp.cot(mp.pi * p),
        },
        {
            "log_prob": [*around(LOC_SCALE), (0.0, 1.0, 1e30), (0.0, 1e-30, 1e30), (1.0, 1e20, 3.0)],
            "cdf": [*around(LOC_SCALE), (0.0, 1.0, -1e15)],
            "icdf": each((0.0, -3.0), (1.0, 0.25), LEVELS),
        },
    ),
    "HalfCauchy": Reference(
        D.HalfCauchy,
        ("scale",),
        {
            "log_prob": lambda x, s: mp.log(2 / mp.pi) - mp.log(s) - mp.log1p((x / s) ** 2),
            "cdf": lambda x, s: 2 * mp.atan(x / s) / mp.pi,
            "icdf": lambda p, s: s * mp.tan(mp.pi * p / 2),
        },
        dict.fromkeys(("log_prob", "cdf"), each((1.0, 0.01, 300.0), (1e-30, 1e-6, 0.1, 1.0, 7.0, 1e30)))
        | {"icdf": each((1.0, 300.0), LEVELS)},
    ),
    "Gumbel": Reference(
        D.Gumbel,
        LOC,
        {
            "log_prob": of_location(lambda z: -z - mp.exp(-z)),
            "cdf": lambda x, loc, s: mp.exp(-mp.exp((loc - x) / s)),
            "icdf": lambda p, loc, s: loc - s * mp.log(-mp.log(p)),
        },
        dict.fromkeys(("log_prob", "cdf"), around(LOC_SCALE, (-60.0, -3.0, -0.5, 0.0, 1.0, 9.0, 60.0, 1e4)))
        | {"icdf": each((0.0, -3.0), (1.0, 0.25), LEVELS)},
    ),
    "Logistic": Reference(
        logistic,
        LOC,
        {
            "log_prob": of_location(lambda z: -abs(z) - 2 * mp.log1p(mp.exp(-abs(z)))),
            "cdf": lambda x, loc, s: sigmoid((x - loc) / s),
            "icdf": lambda p, loc, s: loc + s * mp.log(p / (1 - p)),
        },
        dict.fromkeys(("log_prob", "cdf"), around(LOC_SCALE, (-80.0, -25.0, -3.0, -0.5, 0.0, 1.0, 9.0)))
        | {"icdf": each((0.0, -3.0), (1.0, 0.25), LEVELS)},
    ),
    "Uniform": Reference(
        D.Uniform,
        ("low", "high"),
        {
            "log_prob": lambda x, low, high: -mp.log(high - low),
            "cdf": lambda x, low, high: (x - low) / (high - low),
            "icdf": lambda p, low, high: low + p * (high - low),
        },
        dict.fromkeys(("log_prob", "cdf", "icdf"), [(0.0, 1.0, 1e-20), (-2.0, 5.0, 0.25), (0.0, 1e-3, 1e-5)]),
    ),
    "Exponential": Reference(
        D.Exponential,
        ("rate",),
        {
            "log_prob": lambda x, r: mp.log(r) - r * x,
            "cdf": lambda x, r: -mp.expm1(-r * x),
            "icdf": lambda p, r: -mp.log1p(-p) / r,
        },
        dict.fromkeys(("log_prob", "cdf"), each(RATES, (0.0, 1e-30, 0.1, 3.0, 1e5))) | {"icdf": each(RATES, LEVELS)},
    ),
    "Pareto": Reference(
        D.Pareto,
        ("scale", "alpha"),
        {
            "log_prob": lambda x, s, a: mp.log(a / s) - (a + 1) * mp.log(x / s),
            "cdf": lambda x, s, a: -mp.expm1(-a * mp.log(x / s)),
            "icdf": lambda p, s, a: s * mp.exp(-mp.log1p(-p) / a),
        },
        dict.fromkeys(("log_prob", "cdf"), each((1.0, 0.01), (0.5, 3.0, 300.0), (1.001, 2.0, 1e3, 1e30)))
        | {"icdf": each((1.0, 0.01), (0.5, 3.0, 300.0), LEVELS)},
    ),
    "Weibull": Reference(
        D.Weibull,
        ("scale", "concentration"),
        {
            "log_prob": lambda x, s, k: mp.log(k / s) + times_log(k - 1, x / s) - (x / s) ** k,
            "cdf": lambda x, s, k: -mp.expm1(-((x / s) ** k)),
            "icdf": lambda p, s, k: s * (-mp.log1p(-p)) ** (1 / k),
        },
        dict.fromkeys(("log_prob", "cdf"), each((1.0, 0.01), (0.5, 1.0, 2.0, 30.0), (1e-30, 1e-3, 0.02, 1.1, 8.0)))
        | {"icdf": each((1.0, 0.01), (0.5, 2.0, 30.0), LEVELS)},
    ),
    "GeneralizedPareto": Reference(
        D.GeneralizedPareto,
        ("loc", "scale", "concentration"),
        {
            "log_prob": generalized_pareto,
            "cdf": lambda *args: 1 - survival_of_pareto(*args),
            "icdf": lambda p, loc, s, c: loc + s * (-mp.log1p(-p) if c == 0 else mp.expm1(-c * mp.log1p(-p)) / c),
        },
        dict.fromkeys(
            ("log_prob", "cdf"), each((0.0,), (1.0, 20.0), (-0.3, -1e-9, 1e-12, 1e-4, 0.5, 3.0), (1e-9, 0.1, 3.0))
        )
        | {"icdf": each((0.0,), (1.0, 20.0), (-0.3, -1e-9, 1e-12, 1e-4, 0.5, 3.0), LEVELS[:-1])},
    ),
    "Gamma": Reference(
        D.Gamma,
        ("concentration", "rate"),
        {"log_prob": gamma, "cdf": lambda x, a, r: mp.gammainc(a, 0, r * x, regularized=True)},
        {"log_prob": gamma_points(), "cdf": positive(each((0.3, 1.0, 2.5, 40.0), RATES, (1e-3, 0.4, 2.0, 45.0)))},
    ),
    "Chi2": Reference(
        D.Chi2,
        ("df",),
        {
            "log_prob": lambda x, df: gamma(x, df / 2, mp.mpf(1) / 2),
            "cdf": lambda x, df: mp.gammainc(df / 2, 0, x / 2, regularized=True),
        },
        {"log_prob": [(a, x) for a, r, x in gamma_points() if r == 1], "cdf": each((0.3, 3.0, 40.0), (0.1, 2.0, 45.0))},
    ),
    "InverseGamma": Reference(
        D.InverseGamma,
        ("concentration", "rate"),
        {
            "log_prob": lambda y, a, r: a * mp.log(r) - (a + 1) * mp.log(y) - r / y - mp.loggamma(a),
            "cdf": lambda y, a, r: mp.gammainc(a, r / y, mp.inf, regularized=True),
        },
        {
            "log_prob": [(a, r, 1 / x) for a, r, x in gamma_points() if 1e-15 < x < 1e20],
            "cdf": positive(each((0.3, 2.5, 40.0), (1.0, 30.0), (0.1, 0.8, 20.0))),
        },
    ),
    "Beta": Reference(
        D.Beta,
        ("concentration1", "concentration0"),
        {"log_prob": lambda x, a, b: times_log(a - 1, x) + times_log(b - 1, 1 - x) - log_beta(a, b)},
        {"log_prob": beta_points()},
    ),
    "StudentT": Reference(
        D.StudentT,
        ("df", "loc", "scale"),
        {"log_prob": lambda x, df, loc, s: student_t((x - loc) / s, df) - mp.log(s)},
        {"log_prob": [(df, loc, s, loc + s * z) for df, (loc, s), z in each(SHAPES, LOC_SCALE[:3], (0.0, *Z))]},  # type: ignore[misc, arg-type]
    ),
    "FisherSnedecor": Reference(
        D.FisherSnedecor,
        ("df1", "df2"),
        {"log_prob": fisher},
        {"log_prob": each(SHAPES, SHAPES, (1e-15, 0.1, 0.99, 1.01, 3.0, 1e15))},
    ),
    "Kumaraswamy": Reference(
        D.Kumaraswamy,
        ("concentration1", "concentration0"),
        {
            "log_prob": lambda x, a, b: mp.log(a * b) + times_log(a - 1, x) + times_log(b - 1, 1 - x**a),
            "cdf": lambda x, a, b: -mp.expm1(b * mp.log1p(-(x**a))),
            "icdf": lambda p, a, b: (-mp.expm1(mp.log1p(-p) / b)) ** (1 / a),
        },
        dict.fromkeys(("log_prob", "cdf"), each((0.3, 1.0, 2.5, 40.0), (0.3, 1.0, 40.0), UNIT))
        | {"icdf": each((0.3, 2.5, 40.0), (0.3, 1.0, 40.0), LEVELS)},
    ),
    "ContinuousBernoulli": Reference(
        D.ContinuousBernoulli,
        ("probs",),
        {"log_prob": continuous_bernoulli, "cdf": continuous_bernoulli_cdf, "icdf": continuous_bernoulli_icdf},
        dict.fromkeys(("log_prob", "cdf", "icdf"), each((1e-5, 0.01, 0.3, 0.49, 0.6, 0.99), UNIT)),
    ),
    "VonMises": Reference(
        D.VonMises,
        ("loc", "concentration"),
        {"log_prob": von_mises},
        {"log_prob": [(loc, k, loc + z / k**0.5) for loc, k, z in each((0.0, 2.0), (0.01, 4.0, 1e3, 1e6), (-0.1, 0.3))]},  # type: ignore[misc, arg-type]
    ),
    "RelaxedBernoulli": Reference(
        lambda temperature, logits: D.RelaxedBernoulli(temperature, logits=logits),
        ("temperature", "logits"),
        {"log_prob": lambda x, t, lo: relaxed(mp.log(x / (1 - x)), t, lo) - mp.log(x) - mp.log1p(-x)},
        {"log_prob": each((0.1, 1.0, 5.0), (-30.0, -1.0, 0.3, 20.0), UNIT)},
    ),
    "LogitRelaxedBernoulli": Reference(
        lambda temperature, logits: D.relaxed_bernoulli.LogitRelaxedBernoulli(temperature, logits=logits),
        ("temperature", "logits"),
        {"log_prob": relaxed},
        {"log_prob": each((0.1, 1.0, 5.0), (-30.0, -1.0, 0.3, 20.0), (-90.0, -2.0, 0.1, 50.0))},
    ),
    "Bernoulli": Reference(
        D.Bernoulli,
        ("probs",),
        {"log_prob": lambda k, p: mp.log(p) if k else mp.log1p(-p)},
        {"log_prob": each((1e-30, *PROBS), (0.0, 1.0))},
        is_discrete=True,
    ),
    "Bernoulli, logits": Reference(
        lambda logits: D.Bernoulli(logits=logits),
        ("logits",),
        {"log_prob": lambda k, lo: -mp.log1p(mp.exp(-lo if k else lo))},
        {"log_prob": each(LOGITS, (0.0, 1.0))},
        is_discrete=True,
    ),
    "Geometric": Reference(
        D.Geometric,
        ("probs",),
        {"log_prob": lambda k, p: mp.log(p) + k * mp.log1p(-p)},
        {"log_prob": each((1e-30, *PROBS), COUNTS)},
        is_discrete=True,
    ),
    "Geometric, logits": Reference(
        lambda logits: D.Geometric(logits=logits),
        ("logits",),
        {"log_prob": lambda k, lo: -mp.log1p(mp.exp(-lo)) - k * mp.log1p(mp.exp(lo))},
        {"log_prob": each(LOGITS, COUNTS)},
        is_discrete=True,
    ),
    "Poisson": Reference(
        D.Poisson,
        ("rate",),
        {"log_prob": lambda k, r: times_log(k, r) - r - log_factorial(k)},
        {"log_prob": [*each((1e-30, 1e-3, 0.7, 5.0), (0.0, 1.0, 7.0)), *counts_around([((m,), m, m) for m in SHAPES[3:]])]},
        is_discrete=True,
    ),
    "Binomial": Reference(
        lambda total_count, probs: D.Binomial(total_count, probs, validate_args=False),
        ("total_count", "probs"),
        {"log_prob": lambda k, n, p: binomial(k, n, p, 1 - p)},
        {"log_prob": binomial_points(PROBS, float)},
        is_discrete=True,
    ),
    "Binomial, logits": Reference(
        lambda total_count, logits: D.Binomial(total_count, logits=logits, validate_args=False),
        ("total_count", "logits"),
        {"log_prob": lambda k, n, lo: binomial(k, n, sigmoid(lo), sigmoid(-lo))},
        {"log_prob": binomial_points(LOGITS, lambda lo: float(sigmoid(lo)))},
        is_discrete=True,
    ),
    "NegativeBinomial": Reference(
        D.NegativeBinomial,
        ("total_count", "probs"),
        {"log_prob": lambda k, r, p: negative_binomial(k, r, p, 1 - p)},
        {"log_prob": negative_binomial_points(PROBS, float)},
        is_discrete=True,
    ),
    "NegativeBinomial, logits": Reference(
        lambda total_count, logits: D.NegativeBinomial(total_count, logits=logits),
        ("total_count", "logits"),
        {"log_prob": lambda k, r, lo: negative_binomial(k, r, sigmoid(lo), sigmoid(-lo))},
        {"log_prob": negative_binomial_points(LOGITS, lambda lo: float(sigmoid(lo)))},
        is_discrete=True,
    ),
}  # fmt: skip


# ---- errors ----------------------------------------------------------------------------------------------------------


def moved(formula: Formula, args: list[Any], i: int, step: Any) -> Any:
    return formula(*args[:i], args[i] + step, *args[i + 1 :])


def difference(formula: Formula, args: list[Any], i: int) -> Any:
    """The central difference by one argument, whose relative error is that of `STEP` squared."""
    step = abs(args[i]) * STEP if args[i] else STEP
    return (moved(formula, args, i, step) - moved(formula, args, i, -step)) / (2 * step)


def derivative_of(formula: Formula, i: int) -> Formula:
    return lambda *args: difference(formula, list(args), i)


def true_and_tolerance(formula: Formula, args: list[Any], floor: float, varied: range) -> tuple[Any, Any]:
    """The value, and what it changes by, at most, for a relative change of 1 of itself and of each argument."""
    true = formula(*args)
    changes = [abs(moved(formula, args, i, args[i] * STEP) - true) / STEP for i in varied]
    return true, max(abs(true), floor) + sum(changes)


def ours(reference: Reference, function: str, columns: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Our values, and derivatives by the value and by each parameter, at all points at once."""
    *parameters, value = [sg.tensor(column).requires_grad_() for column in columns]
    if function == "log_prob" and reference.is_discrete:
        value = value.detach()
    result = getattr(reference.make(*parameters), function)(value)
    inputs = dict(zip((*reference.parameters, "value"), (*parameters, value), strict=True))
    inputs = {name: tensor for name, tensor in inputs.items() if tensor.requires_grad}
    gradients = sg.autograd.grad(result.sum(), list(inputs.values()), allow_unused=True, materialize_grads=True)
    found = {function: result.detach().numpy()}
    for name, gradient in zip(inputs, gradients, strict=True):
        found[f"d {function} / d {name}"] = gradient.numpy()
    return found


def worst_errors(name: str, dtype: Any = np.float64) -> dict[str, Worst]:
    """The largest errors of a distribution's functions and of their first derivatives, by name, over its grid."""
    reference, results = REFERENCES[name], {}
    for function, formula in reference.formulas.items():
        points = np.array(reference.points[function], dtype)
        found = ours(reference, function, list(points.T))
        order = ["value", *reference.parameters]  # of the formula's arguments
        with mp.workdps(DIGITS):
            numbers = [[mp.mpf(float(x)) for x in (row[-1], *row[:-1])] for row in points]
            for quantity, values in found.items():
                of = quantity.partition(" / d ")[2]
                exact = derivative_of(formula, order.index(of)) if of else formula
                floor = 1.0 if quantity == "log_prob" else 0.0
                results[quantity] = _worst(exact, numbers, values, floor, order, np.finfo(dtype), reference)
    return results


def _worst(
    exact: Formula,
    numbers: list[list[Any]],
    values: np.ndarray,
    floor: float,
    order: list[str],
    limits: Any,
    reference: Reference,
) -> Worst:
    worst = Worst(-1.0, {}, 0.0, 0.0)
    varied = range(1 if reference.is_discrete else 0, len(order))
    for args, value in zip(numbers, values, strict=True):
        true, tolerance = true_and_tolerance(exact, args, floor, varied)
        if not abs(true) < float(limits.max) or max(abs(true), abs(value)) < RESOLVED:
            continue
        unit = float(limits.eps) * tolerance + float(limits.tiny)
        error = float(abs(mp.mpf(float(value)) - true) / unit) if np.isfinite(value) else np.inf
        if error > worst.error:
            at = dict(zip(order, map(float, args), strict=True))
            worst = Worst(error, at, float(value), float(true))
    return worst
