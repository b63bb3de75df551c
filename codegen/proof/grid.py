"""The points at which element-wise ops are compared: from the smallest subnormal number to the largest, and infinities.

Read off the expression, besides: around each number where a condition changes its side, each pole, and each zero.
"""

import ast
import itertools
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from .boundaries import conditions, zeros
from .numbers import Unknown, evaluate

COMMON = (
    *(0.03, 0.1, 0.25, 0.5, 0.7, 1.0, 1.3, 2.0, 2.7, 3.0, 4.0, 5.5, 8.0, 9.3, 13.0, 20.0, 29.0, 40.0, 60.0, 87.0),
    110.0,
)
LARGE = (170.0, 300.0, 600.0, 708.0, 745.0, 1000.0)
PER_DECADE = 0.1  # points of each power of ten beyond


@dataclass(frozen=True)
class Density:
    """How many numbers of each tensor there are, by the count of tensors, and how many rows of them."""

    values: tuple[int, ...]
    rows: int


ENDS_FROM = 20  # numbers of a tensor: fewer are combined with those of others
NOWHERE: Mapping[str, tuple[float, float]] = {}
FULL = Density((0, 300, 18, 8, 6), 300)
SPARSE = Density((0, 20, 6, 4, 3), 30)
Columns = dict[str, np.ndarray]


def magnitudes(dtype: Any, rng: np.random.Generator) -> np.ndarray:
    info = ml_dtypes.finfo(dtype)
    low, high = np.log10(float(info.tiny)), np.log10(float(info.max))
    count = int((high - low) * PER_DECADE)
    scattered = 10.0 ** rng.uniform(low, high, count)
    inside = 10.0 ** rng.uniform(-3, 3, 30)
    ends = [float(info.smallest_subnormal), float(info.tiny) / 8, float(info.tiny), 2 * float(info.tiny)]
    ends += [float(info.max), float(info.max) / 4, np.sqrt(float(info.max)), np.sqrt(float(info.tiny))]
    return np.unique(np.array([*ends, *COMMON, *LARGE, *scattered, *inside]).astype(dtype))


def columns(
    expression: ast.expr,
    names: Sequence[str],
    masks: Iterable[str],
    numbers: Mapping[str, Any],
    dtype: Any,
    seed: str,
    density: Density = FULL,
    bounds: Mapping[str, tuple[float, float]] = NOWHERE,
) -> Columns:
    """Points for the tensors `names`, a row for each, as numbers of the dtype."""
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    special = _around(expression, names, numbers, dtype)
    plain = magnitudes(dtype, rng)
    both = np.concatenate([plain, -plain, np.array([0.0, np.inf, -np.inf], dtype)])
    lists = [
        _chosen(both, np.array(special.get(name, []), dtype), density.values[min(len(names), 4)], rng) for name in names
    ]
    for k, name in enumerate(names):
        if name in bounds:
            low, high = bounds[name]
            inside = np.concatenate([lists[k], rng.uniform(low, high, 8).astype(dtype)])
            lists[k] = inside[(inside >= low) & (inside <= high)]
    floats = [name for name in names if name not in {*masks}]
    lists = [
        np.array([True, False]) if name not in floats else values for name, values in zip(names, lists, strict=True)
    ]
    rows = list(itertools.product(*lists))
    if len(rows) > density.rows and len(names) > 1:
        rows = [rows[i] for i in sorted(rng.choice(len(rows), density.rows, replace=False))]
    if len(floats) > 1:  # of several arguments subnormal numbers lose digits on the way
        smallest = float(ml_dtypes.finfo(dtype).tiny)
        rows = [row for row in rows if not any(0 < abs(v) < smallest for v in row)]
    kinds = {name: dtype if name in floats else bool for name in names}
    return {name: np.array([row[k] for row in rows], kinds[name]) for k, name in enumerate(names)}


def _chosen(values: np.ndarray, special: np.ndarray, limit: int, rng: np.random.Generator) -> np.ndarray:
    chosen = [rng.choice(each, min(limit, len(each)), replace=False) for each in (values, special)]
    largest = float(ml_dtypes.finfo(values.dtype).max)
    ends = [0.0, np.inf, -np.inf, largest, -largest] if limit >= ENDS_FROM else []
    return np.unique(np.concatenate([*chosen, np.array(ends, values.dtype)]))


def _around(
    expression: ast.expr, names: Sequence[str], numbers: Mapping[str, Any], dtype: Any
) -> dict[str, list[float]]:
    """Numbers at which an argument meets a condition or the expression is 0, and their neighbours on both sides."""
    others = {name: v for name, v in numbers.items() if isinstance(v, bool | int | float)}
    marks = [sign * v for v in others.values() for sign in (1, -1)]
    differences = [condition.difference for condition in conditions([expression])]
    result = {}
    for name in names:
        base = others | {other: 0.7 for other in names if other != name}
        candidates = [v for each in (*differences, expression) for v in _zeros(each, name, base, marks)]
        result[name] = [v for number in dict.fromkeys(candidates) for v in _neighbours(number, dtype)]
    return result


def _zeros(difference: ast.expr, name: str, others: Mapping[str, Any], marks: list[float]) -> list[float]:
    return [v for v in zeros(difference, name, {**others, "grad": 1.0}, marks) if np.isfinite(v)][:12]


def _neighbours(number: float, dtype: Any) -> list[float]:
    here = np.asarray(number).astype(dtype)
    return [float(here), *(float(np.nextafter(here, np.asarray(end, dtype))) for end in (-np.inf, np.inf))]


def on_corners(expression: ast.expr, points: Mapping[str, Any], count: int) -> np.ndarray:
    """Where both sides of a condition, or of 0, are to be looked at."""
    result = np.zeros(count, bool)
    for condition in conditions([expression]):
        try:
            with np.errstate(all="ignore"):
                difference = evaluate(condition.difference, points)
        except (Unknown, TypeError, ValueError):
            continue
        result |= np.broadcast_to(np.asarray(difference) == 0, (count,))
    return result
