"""Distributions of numbers with parameters, beside SciPy's of the same density."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import specgrad as sg

Array = np.ndarray[Any, Any]


class Case(NamedTuple):
    """A distribution: its name, parameters by name as arrays that broadcast, and SciPy's for them."""

    name: str
    parameters: dict[str, Array]
    reference: Callable[..., Any]

    def made(self, dtype: Any = np.float64, **options: Any) -> Any:
        """specgrad's distribution."""
        given = {name: sg.tensor(value.astype(dtype)) for name, value in self.parameters.items()}
        return getattr(sg.distributions, self.name)(**given, **options)

    def scipys(self) -> Any:
        """SciPy's distribution."""
        return self.reference(**self.parameters)


LOC = np.array([[-1.5], [0.25]])
SCALE = np.array([0.5, 1.0, 2.5])
SHAPE = np.array([[2.5], [4.0]])

CASES = [
    Case("Normal", {"loc": LOC, "scale": SCALE}, stats.norm),
    Case("LogNormal", {"loc": LOC, "scale": SCALE / 2}, lambda loc, scale: stats.lognorm(scale, scale=np.exp(loc))),
    Case("HalfNormal", {"scale": SCALE}, lambda scale: stats.halfnorm(scale=scale)),
    Case("Laplace", {"loc": LOC, "scale": SCALE}, stats.laplace),
    Case("Cauchy", {"loc": LOC, "scale": SCALE}, stats.cauchy),
    Case("HalfCauchy", {"scale": SCALE}, lambda scale: stats.halfcauchy(scale=scale)),
    Case("Gumbel", {"loc": LOC, "scale": SCALE}, stats.gumbel_r),
    Case("Uniform", {"low": LOC, "high": SCALE}, lambda low, high: stats.uniform(low, high - low)),
    Case("Exponential", {"rate": SCALE}, lambda rate: stats.expon(scale=1 / rate)),
    Case("Pareto", {"scale": SCALE, "alpha": SHAPE}, lambda scale, alpha: stats.pareto(alpha, scale=scale)),
    Case(
        "Weibull",
        {"scale": SCALE, "concentration": SHAPE},
        lambda scale, concentration: stats.weibull_min(concentration, scale=scale),
    ),
    Case(
        "GeneralizedPareto",
        {"loc": LOC, "scale": SCALE, "concentration": np.array([-0.5, 0.0, 0.3])},
        lambda loc, scale, concentration: stats.genpareto(concentration, loc, scale),
    ),
]
BY_NAME = {case.name: case for case in CASES}
