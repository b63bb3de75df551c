"""What an expression and its derivatives are at some points, exactly: by mpmath, with more digits until they settle.

Derivatives are differences of the expression, at steps so small and with digits so many that nothing of either is left:
they know no rule of differentiation. At an infinity they are the limit, where there is one.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

from ..language.scalar_functions import NONE, Functions
from ..spec.formula import functions_in
from .mpmath_functions import EXACT, exact
from .numbers import evaluate

PRECISIONS = (60, 120, 300, 800, 2000, 3000)  # digits: small arguments of even functions need as many as their squares
PRECISIONS_AT_INFINITY = (60, 90)  # exponentials of such numbers have no more that are cheap
SLOW = {"igamma", "igammac", "zeta", "polygamma", "digamma", "airy_ai", "erfinv", "ndtri"}  # with hundreds of digits
SETTLED = mpf(10) ** -22
BEYOND = 400, 800, 1600  # powers of ten that stand for an infinity: no dtype has them
NOTHING = mpf(10) ** -380  # what no dtype tells from 0
Columns = Mapping[str, np.ndarray]
Values = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Truth:
    """A value and its first and second derivative at each point; nan where they are not known, or where there are none.

    At a corner, where the sides differ, `first` is nan.
    """

    value: np.ndarray
    first: np.ndarray
    second: np.ndarray


class Expression:
    def __init__(self, tree: ast.expr, numbers: Mapping[str, Any], own: Functions = NONE) -> None:
        self.tree, self.own = tree, own
        self.numbers = {name: exact(v) if isinstance(v, int | float) else v for name, v in numbers.items()}

    def at(self, columns: Columns) -> np.ndarray:
        constants = {"PI": +mp.pi, "pi": +mp.pi, "inf": mp.inf, "nan": mp.nan}
        size = len(next(iter(columns.values())))
        result = evaluate(self.tree, {**constants, **self.numbers, **columns}, self.own, EXACT)
        return np.array([exact(value) for value in np.broadcast_to(result, (size,))], object)

    def truth(self, columns: Columns, name: str, corners: np.ndarray) -> Truth:
        """At each point, by the argument `name`; on `corners` both sides are looked at."""
        results = [np.full(len(corners), mp.nan, object) for _ in range(3)]
        infinite = _is_infinite(columns[name])
        others = [c for key, c in columns.items() if key != name and c.dtype == object]
        is_moved = all(v for v in self.numbers.values() if isinstance(v, mp.mpf))
        known = ~infinite | is_moved & np.logical_and.reduce([~infinite | True, *map(_is_moderate, others)])
        precisions = PRECISIONS[:3] if SLOW & {*functions_in(self.tree)} else PRECISIONS
        for chosen, compute, levels in (
            (~infinite & ~corners, self._inside, precisions),
            (~infinite & corners, self._beside, precisions),
            (infinite & known, self._at_infinity, PRECISIONS_AT_INFINITY),
        ):
            if chosen.any():
                part = {key: column[chosen] for key, column in columns.items()}
                for result, values in zip(results, _settled(compute, part, name, levels), strict=True):
                    result[chosen] = values
        results[2][infinite] = mp.nan
        beside = np.any([infinite & False, *map(_is_infinite, others)], axis=0)
        results[1][beside], results[2][beside] = mp.nan, mp.nan
        with mp.workdps(60):
            at_once = self.at(columns)
        results[0] = np.where(infinite & ~_is_nan(at_once), at_once, results[0])
        return Truth(*results)

    def _inside(self, columns: Columns, name: str) -> Values:
        x = columns[name]
        step = abs(x) * mpf(10) ** -(mp.dps // 4)
        low, centre, high = (self.at({**columns, name: x + k * step}) for k in (-1, 0, 1))
        return centre, (high - low) / (2 * step), (high - 2 * centre + low) / step / step

    def _beside(self, columns: Columns, name: str) -> Values:
        """From both sides, which agree where there is a derivative."""
        x = columns[name]
        step = np.array([abs(v) if v else mpf(1) for v in x], object) * mpf(10) ** -(mp.dps // 4)
        centre, sides = self.at(columns), []
        for sign in (-1, 1):
            h = sign * step
            one, two, three = (self.at({**columns, name: x + k * h}) for k in (1, 2, 3))
            sides.append(((4 * one - 3 * centre - two) / (2 * h), (2 * centre - 5 * one + 4 * two - three) / (h * h)))
        (low, below), (high, above) = sides
        first = np.array([_common(a, b) for a, b in zip(low, high, strict=True)], object)
        second = np.array([_common(a, b) for a, b in zip(below, above, strict=True)], object)
        return centre, first, np.where(_is_nan(first), mp.nan, second)

    def _at_infinity(self, columns: Columns, name: str) -> Values:
        signs = np.array([mp.sign(v) for v in columns[name]], object)
        rows = [self._inside({**columns, name: signs * mpf(10) ** power}, name) for power in BEYOND]
        results = [
            np.array([_limit(*v) for v in zip(*values, strict=True)], object) for values in zip(*rows, strict=True)
        ]
        return tuple(results)


def _is_moderate(column: np.ndarray) -> np.ndarray:
    """What a limit is taken beside: small or large numbers would hide it."""
    return np.array([bool(mpf(10) ** -9 < abs(v) < mpf(10) ** 9) for v in column], bool)


def _common(low: Any, high: Any) -> Any:
    difference, size = abs(low - high), abs(low) + abs(high)
    close = difference <= size * mpf(10) ** -(mp.dps // 8) or size < mpf(10) ** -(mp.dps // 8)
    return (low + high) / 2 if close else mp.nan


def _limit(*values: Any) -> Any:
    """Of what comes ever nearer, or goes beyond all bounds; nan where nothing can be said."""
    one, two, three = values
    if all(abs(value) < NOTHING for value in values):
        return mpf(0)
    if abs(two - one) <= SETTLED * abs(two) and abs(three - two) <= SETTLED * abs(three):
        return three
    growing = mp.sign(one) == mp.sign(two) == mp.sign(three) and 1.5 * abs(one) < abs(two) < abs(three) / 1.5
    shrinking = mp.sign(one) == mp.sign(two) == mp.sign(three) and abs(one) > 1.5 * abs(two) > 2.25 * abs(three)
    return mp.inf * mp.sign(three) if growing else mpf(0) if shrinking else mp.nan


def _is_infinite(values: np.ndarray) -> np.ndarray:
    return np.array([bool(mp.isinf(value)) for value in values], bool)


def _is_nan(values: np.ndarray) -> np.ndarray:
    return np.array([bool(mp.isnan(value)) for value in values], bool)


def _can_be_seen(x: np.ndarray, digits: int) -> np.ndarray:
    """Where a difference of 0 is one, and not one of which all digits are lost."""
    return np.array([digits >= 800 and not 0 < abs(v) < mpf(10) ** -100 for v in x], bool)


def _settled(
    compute: Callable[[Columns, str], Values], columns: Columns, name: str, precisions: tuple[int, ...]
) -> Values:
    size = len(columns[name])
    known = [np.full(size, mp.nan, object) for _ in range(3)]
    waiting, before = np.arange(size), None
    for digits in precisions:
        with mp.workdps(digits), np.errstate(all="ignore"):
            now = compute({key: column[waiting] for key, column in columns.items()}, name)
            settled = ~np.array([bool(mp.isfinite(value)) for value in now[0]], bool)
            known[0][waiting[settled]] = now[0][settled]
            if before is not None:
                may_be_flat = (digits == precisions[-1]) | _can_be_seen(columns[name][waiting], digits)
                scales = _scales(columns[name][waiting])
                same = [
                    _agree(a * scale, b * scale) & (may_be_flat | (b != 0))
                    for a, b, scale in zip(before, now, scales, strict=True)
                ]
                same = [np.logical_and.reduce(same[: k + 1]) for k in range(3)]  # a wrong slope tells nothing of others
                for result, values, agree in zip(known, now, same, strict=True):
                    result[waiting[agree]] = values[agree]
                settled |= np.logical_and.reduce(same)
        waiting = waiting[~settled]
        before = tuple(values[~settled] for values in now)
        if not len(waiting):
            break
    return tuple(known)


def _scales(x: np.ndarray) -> tuple[Any, ...]:
    """By what a value and derivatives are multiplied before they count as nothing: steps grow with the argument."""
    size = np.array([abs(v) if 1 < abs(v) < mp.inf else mpf(1) for v in x], object)
    return 1, size, size * size


def _agree(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    def same(a: Any, b: Any) -> bool:
        if mp.isnan(a) or mp.isnan(b):
            return bool(mp.isnan(a) and mp.isnan(b))
        return bool(a == b or abs(a - b) <= SETTLED * abs(b) or abs(a) + abs(b) < NOTHING)

    return np.array([same(a, b) for a, b in zip(before, now, strict=True)], bool)


def exactly(columns: Mapping[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    for name, column in columns.items():
        yield name, column if column.dtype.kind == "b" else np.array([mpf(float(v)) for v in column], object)
