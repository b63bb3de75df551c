"""Points at which distributions are compared: parameters and, last, a value, from one tail to the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

Point = tuple[float, ...]

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
