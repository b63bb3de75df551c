"""The distributions that are compared with mpmath: how they are made, their functions, grids and exceptions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

from mpmath import mp

import specgrad as sg
from specgrad import distributions as D
from tests.nn.distributions.formulas import (
    Formula,
    binomial,
    continuous_bernoulli,
    continuous_bernoulli_cdf,
    continuous_bernoulli_icdf,
    fisher,
    gamma,
    generalized_pareto,
    log_beta,
    log_factorial,
    negative_binomial,
    normal_cdf,
    normal_icdf,
    of_location,
    relaxed,
    sigmoid,
    student_t,
    survival_of_pareto,
    times_log,
    von_mises,
)
from tests.nn.distributions.grids import (
    COUNTS,
    LEVELS,
    LOC_SCALE,
    LOGITS,
    PROBS,
    RATES,
    SHAPES,
    Point,
    Z,
    around,
    beta_points,
    binomial_points,
    counts_around,
    each,
    gamma_points,
    negative_binomial_points,
    positive,
)


class Reference(NamedTuple):
    """A distribution: how it is made of its parameters, its functions by name, and the points for each."""

    make: Callable[..., Any]
    parameters: tuple[str, ...]
    formulas: dict[str, Formula]
    points: dict[str, list[Point]]
    is_discrete: bool = False


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
        {"log_prob": [(df, *point) for df in SHAPES for point in around(LOC_SCALE[:3], (0.0, *Z))]},
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
        {
            "log_prob": [
                (loc, k, loc + z / k**0.5)
                for loc, k, z in itertools.product((0.0, 2.0), (0.01, 4.0, 1e3, 1e6), (-0.1, 0.3))
            ]
        },
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
        {
            "log_prob": each((1e-30, 1e-3, 0.7, 5.0), (0.0, 1.0, 7.0))
            + counts_around([((m,), m, m) for m in SHAPES[3:]])
        },
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

LIMIT = 64.0  # of errors, in the units above
SMALL = "the derivative is a difference of terms with absolute errors"
RANGE = "a factor of the derivative leaves the range of the dtype"
EXCEPTIONS: dict[tuple[str, str], tuple[float, str]] = {
    ("Beta", "d log_prob / d concentration0"): (1e3, SMALL),
    ("StudentT", "d log_prob / d df"): (1e8, SMALL),
    ("StudentT", "d log_prob / d scale"): (1e3, SMALL),
    ("FisherSnedecor", "d log_prob / d df1"): (1e17, SMALL),
    ("FisherSnedecor", "d log_prob / d df2"): (1e17, SMALL),
    ("NegativeBinomial", "d log_prob / d total_count"): (1e11, SMALL),
    ("NegativeBinomial, logits", "d log_prob / d total_count"): (1e15, SMALL),
    ("HalfCauchy", "d cdf / d scale"): (1e7, RANGE),
    ("Pareto", "d cdf / d scale"): (1e7, RANGE),
    ("Kumaraswamy", "d cdf / d value"): (1e6, RANGE),
}
