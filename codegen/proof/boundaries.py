"""Gradients on the boundaries of conditions: there a formula must be what the policy at kinks makes of one-sided
limits.

On a boundary the symbolic derivative has a limit from either side. Where the function is continuous to a side the limit
counts; where both count and differ, the entry's policy combines them. Where second derivatives from both sides meet,
the written formula must differentiate to these: else double backward is wrong at that point.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

from .axioms import Functions
from .derivative import ONE, NoDerivative, derivative
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
        """The worst point, in words; empty where all is right."""
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
        return f"at {self._point_description(i)} the formula gives {written[i] / seed:.6g}, the derivative is {sides}{kink}"

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
        return f"at {self._point_description(i)} the formula's own derivative is {result[i] / seed:.6g}, not {low[i] / seed:.6g}"

    def _close(self, a: Any, b: Any, relative: float) -> Any:
        return np.abs(a - b) <= relative * (1 + np.abs(a) + np.abs(b))

    def _limits(self, tree: ast.expr) -> tuple[Any, Any, Any, Any]:
        """(what a gradient must be, the limits from below and from above, their error); nan where there is none."""
        centre, sides, errors = self._at(self.expression, self.points), [], []
        for sign in (-1, 1):
            one, two, four, wide_points = (self._beside(tree, sign * STEP * times) for times in (1, 2, 4, WIDE_STEPS))
            straight = (
                np.abs((wide_points - one) - (WIDE_STEPS - 1) * (two - one)) <= 0.5 * np.abs(wide_points - one) + 1e-5
            )
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

    def _point_description(self, i: int) -> str:
        return ", ".join(f"{name}={array[i]:.6g}" for name, array in self.points.items() if name != "grad")
