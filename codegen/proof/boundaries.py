"""Gradients on the boundaries of conditions, and where conditions and denominators change sides.

The symbolic derivative has a limit from either side. Where the function is continuous to a side the limit counts;
where both count and differ, the entry's policy combines them. Where second derivatives from both sides meet, the
written formula must differentiate to these: else double backward is wrong at that point.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language.scalar_functions import Functions
from ..spec.formula import names_in
from .derivative import ONE, NoDerivative, derivative, meaning
from .numbers import Points, Unknown, evaluate

STEP = 2.0**-17  # to both sides, of numbers up to 1, relative to larger ones
TINY = 2.0**-40  # the same for points of which nobody could say that they lie elsewhere
STEEPEST = 50  # derivative, of a function that is continuous
WIDE_STEPS = 16  # steps, over which a derivative that has a limit is straight
CLOSE = 1e-8  # relative, of limits
CLOSE_AGAIN = 1e-3  # of limits of second derivatives
POLICIES = {
    "average": lambda low, high: (low + high) / 2,
    "smaller": lambda low, high: np.where(np.abs(low) <= np.abs(high), low, high),
    "larger": lambda low, high: np.where(np.abs(low) >= np.abs(high), low, high),
    "left": lambda low, high: low,
    "right": lambda low, high: high,
}


@dataclass(frozen=True)
class Boundary:
    """An expression, its symbolic derivative by an argument and the written one, at points on boundaries."""

    expression: ast.expr
    derived: ast.expr
    written: ast.expr
    again: ast.expr | None  # what the framework differentiates the written formula to
    argument: str
    points: Points
    policy: str
    own: Functions  # scalar functions of a user's package

    def fault(self) -> str:
        with np.errstate(all="ignore"):
            return self._first() or self._second()

    def _first(self) -> str:
        expected, low, high, error = self._limits(self.derived)
        written = self._at(self.written, self.points)
        wrong = np.isfinite(expected) & ~(np.abs(written - expected) <= CLOSE * (1 + np.abs(expected)) + error)
        for sign, limit in ((-1, low), (1, high)):
            beside = self._beside(self.written, sign * TINY)
            wrong |= np.isfinite(limit) & ~(np.abs(beside - limit) <= CLOSE * (1 + np.abs(limit)) + error)
            written = np.where(wrong & ~np.isclose(beside, limit, CLOSE, CLOSE, equal_nan=True), beside, written)
        if not wrong.any():
            return ""
        i = int(np.argmax(wrong))
        seed = self.points["grad"][i]
        sides = f"{low[i] / seed:.6g} from below and {high[i] / seed:.6g} from above"
        kink = "" if np.isclose(low[i], high[i], equal_nan=True) else f" (key kink: {self.policy})"
        at = shown_point(self.points, i)
        return f"at {at} the formula gives {written[i] / seed:.6g}, the derivative is {sides}{kink}"

    def _second(self) -> str:
        """The derivative of the written formula, where the derivative of the derived one is the same to both sides."""
        if self.again is None:
            return ""
        try:
            _, low, high, _ = self._limits(derivative(self.derived, {self.argument: ONE}, self.own))
            _, below, above, _ = self._limits(self.derived)
            result = self._at(self.again, self.points)
        except (NoDerivative, Unknown):
            return ""
        smooth = self._close(low, high, CLOSE_AGAIN) & self._close(below, above, 1e-5) & np.isfinite(result)
        wrong = smooth & ~self._close(result, (low + high) / 2, CLOSE_AGAIN * 10)
        if not wrong.any():
            return ""
        i = int(np.argmax(wrong))
        seed = self.points["grad"][i]
        at = shown_point(self.points, i)
        return f"at {at} the formula's own derivative is {result[i] / seed:.6g}, not {low[i] / seed:.6g}"

    def _close(self, a: Any, b: Any, relative: float) -> Any:
        return np.abs(a - b) <= relative * (1 + np.abs(a) + np.abs(b))

    def _limits(self, tree: ast.expr) -> tuple[Any, Any, Any, Any]:
        """(what a gradient must be, the limits from below and from above, their error); nan where there is none."""
        centre, sides, errors = self._at(self.expression, self.points), [], []
        for sign in (-1, 1):
            one, two, four, wide_points = (self._beside(tree, sign * STEP * times) for times in (1, 2, 4, WIDE_STEPS))
            change = np.abs(wide_points - one)
            straight = np.abs((wide_points - one) - (WIDE_STEPS - 1) * (two - one)) <= 0.5 * change + 1e-5
            step = STEEPEST * STEP * np.maximum(1, np.abs(self.points[self.argument]))
            change = np.abs(self._beside(self.expression, sign * STEP) - centre)
            continuous = change <= step * (1 + np.abs(one / self.points["grad"]))
            sides.append(np.where(straight & continuous, 2 * one - two, np.nan))
            errors.append(2 * np.abs(2 * one - 3 * two + four))  # twice the change of the limit at twice the distance
        low, high = sides
        both = np.isfinite(low) & np.isfinite(high)
        kink = np.abs(low - high) > CLOSE * (1 + np.abs(low) + np.abs(high)) + np.fmax(*errors)
        expected = np.where(both & kink, POLICIES[self.policy](low, high), np.fmax(low, high))
        return np.where(both & ~kink, (low + high) / 2, expected), low, high, np.fmax(*errors)

    def _beside(self, tree: ast.expr, step: float) -> Any:
        here = self.points[self.argument]
        return self._at(tree, {**self.points, self.argument: here + step * np.maximum(1, np.abs(here))})

    def _at(self, tree: ast.expr, points: Points) -> Any:
        return np.broadcast_to(evaluate(tree, points, self.own), points["grad"].shape).astype(float)


def shown_point(points: Points, i: int) -> str:
    return ", ".join(f"{name}={array[i]:.6g}" for name, array in points.items() if name != "grad")


STEPS = 80  # of bisection: to neighbours in float64
MAGNITUDES = (0, 1e-3, 0.1, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 8, 12, 20, 40, 90, 1e3)
GRID = np.unique([*MAGNITUDES, *(-each for each in MAGNITUDES)])


@dataclass(frozen=True)
class Condition:
    """A comparison of an expression, or a denominator, which is compared with 0."""

    test: ast.expr
    difference: ast.expr
    is_pole: bool = False

    def __str__(self) -> str:
        return ast.unparse(self.test)


def conditions(trees: Iterable[ast.expr]) -> list[Condition]:
    """Each condition once, but for those of `grad`, of which no sample is chosen, and of imaginary parts."""
    results = {str(each): each for tree in trees for each in _conditions(tree)}
    return [each for each in results.values() if not names_in(each.test) & {"grad", "imag"}]


def _conditions(tree: ast.expr) -> Iterator[Condition]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        waiting += ast.iter_child_nodes(node)
        match node:
            case ast.Compare(left=left, ops=[_], comparators=[right]):
                yield Condition(node, ast.BinOp(left, ast.Sub(), right))
            case ast.BinOp(op=ast.Div(), right=below) | ast.Call(func=ast.Name(id="divide"), args=[_, below]):
                yield Condition(ast.Compare(below, [ast.NotEq()], [ast.Constant(0)]), below, is_pole=True)
            case ast.Call(func=ast.Name(id=name), args=args) if (stands_for := meaning(name, args)) is not None:
                waiting += [part for part in ast.walk(stands_for) if isinstance(part, ast.Compare)]


def zeros(difference: ast.expr, name: str, others: Mapping[str, Any], marks: Iterable[float]) -> list[float]:
    """Numbers at which a difference is 0, or changes its sign, in one variable; `marks` are looked at besides."""
    grid = np.unique([*GRID, *(v for v in marks if np.isfinite(v))])

    def at(values: np.ndarray) -> np.ndarray:
        filled = {key: np.full(values.shape, value) for key, value in others.items()}
        with np.errstate(all="ignore"):
            return np.broadcast_to(evaluate(difference, {**filled, name: values}), values.shape).astype(float)

    try:
        values = at(grid)
    except (Unknown, TypeError, ValueError):
        return []
    changes = np.flatnonzero(values[:-1] * values[1:] < 0)
    low, high = grid[changes], grid[changes + 1]
    begin = np.sign(at(low)) if low.size else low
    for _ in range(STEPS if low.size else 0):
        midpoint = low + (high - low) / 2
        same = np.sign(at(midpoint)) == begin
        low, high = np.where(same, midpoint, low), np.where(same, high, midpoint)
    return [*grid[values == 0].tolist()[:8], *high.tolist()]


class Sides:
    def __init__(self, result: Iterable[Condition]) -> None:
        self.seen: dict[str, set[bool]] = {}
        self.conditions = list(result)

    def look(self, points: Mapping[str, Any], count: int) -> None:
        for condition in self.conditions:
            try:
                with np.errstate(all="ignore"):
                    there = np.broadcast_to(evaluate(condition.test, points), (count,)).astype(bool)
            except (Unknown, TypeError, ValueError):
                continue
            self.seen.setdefault(str(condition), set()).update(there.tolist())

    def missed(self) -> list[tuple[Condition, bool]]:
        own = {str(condition): condition for condition in self.conditions if not condition.is_pole}
        return [(own[text], not next(iter(seen))) for text, seen in self.seen.items() if text in own and len(seen) == 1]
