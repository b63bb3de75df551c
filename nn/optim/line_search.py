"""A step along a direction that meets the strong Wolfe conditions: low enough, and flat enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ...generated.tensor import Tensor

_MOST_STEPS = 25


class Rule(NamedTuple):
    """When a step is good enough."""

    sufficient: float = 1e-4  # how much of the slope at the start the loss must fall by
    flat: float = 0.9  # how much of the slope at the start may be left
    least_width: float = 1e-9  # of an interval that is searched on


USUAL = Rule()


class Point(NamedTuple):
    """A point on the line: step length, loss, gradient, and derivative along the direction."""

    step: float
    loss: float
    grad: Tensor
    slope: float


Look = Callable[[float], Point]


def strong_wolfe(
    look: Look, start: Point, first: float, length: float, allowed: int, rule: Rule = USUAL
) -> tuple[Point, int]:
    """The point found, and at how many points the loss was computed.

    Args:
        look: computes the point at a step.
        start: the point at step 0.
        first: the step to try first.
        length: the greatest component of the direction.
        allowed: at how many points after the first the loss may be computed.
        rule: when a step is good enough.

    Source: Nocedal and Wright, Numerical optimization (2006), algorithms 3.5 and 3.6.
    """
    most = min(allowed, _MOST_STEPS)
    bracket, tried, found = _bracket(look, start, first, most, rule)
    unsure = False
    while not found and tried <= most:
        if abs(bracket[1].step - bracket[0].step) * length < rule.least_width:
            break
        step, unsure = _inside(bracket, unsure)
        new = look(step)
        tried += 1
        bracket, found = _narrowed(bracket, new, start, rule)
    return min(bracket, key=lambda point: point.loss), tried


def _bracket(look: Look, start: Point, step: float, most: int, rule: Rule) -> tuple[list[Point], int, bool]:
    """One point that is good enough, or two with such a point between them."""
    before, point = start, look(step)
    for tried in range(1, most + 1):
        if _too_high(point, start, rule) or (tried > 2 and point.loss >= before.loss):
            return [before, point], tried, False
        if _flat_enough(point, start, rule):
            return [point], tried, True
        if point.slope >= 0:
            return [before, point], tried, False
        bounds = point.step + 0.01 * (point.step - before.step), 10 * point.step
        before, point = point, look(_lowest(before, point, bounds))
    return [start, point], most + 1, False


def _too_high(point: Point, start: Point, rule: Rule) -> bool:
    return point.loss > start.loss + rule.sufficient * point.step * start.slope


def _flat_enough(point: Point, start: Point, rule: Rule) -> bool:
    return abs(point.slope) <= -rule.flat * start.slope


def _inside(bracket: list[Point], unsure: bool) -> tuple[float, bool]:
    """A step between two points, and whether it is so near to one of them that the next must not be."""
    low, high = sorted(point.step for point in bracket)
    step = _lowest(bracket[0], bracket[1], (low, high))
    margin = 0.1 * (high - low)
    if min(high - step, step - low) >= margin:
        return step, False
    if not (unsure or step >= high or step <= low):
        return step, True
    return (high - margin if abs(step - high) < abs(step - low) else low + margin), False


def _narrowed(bracket: list[Point], new: Point, start: Point, rule: Rule) -> tuple[list[Point], bool]:
    """The two points after `new` between them was seen, and whether it is good enough."""
    first_is_low = bracket[0].loss <= bracket[1].loss
    low, high = bracket if first_is_low else bracket[::-1]
    found = False
    if _too_high(new, start, rule) or new.loss >= low.loss:
        high = new
    else:
        found = _flat_enough(new, start, rule)
        if not found and new.slope * (high.step - low.step) >= 0:
            high = low
        low = new
    return [low, high] if first_is_low else [high, low], found


def _lowest(a: Point, b: Point, bounds: tuple[float, float]) -> float:
    """Where the cubic with both points' losses and slopes is lowest, within bounds; their middle if nowhere."""
    left, right = (a, b) if a.step <= b.step else (b, a)
    if left.step == right.step:
        return (bounds[0] + bounds[1]) / 2
    bend = left.slope + right.slope - 3 * (left.loss - right.loss) / (left.step - right.step)
    squared = bend * bend - left.slope * right.slope
    if not squared >= 0:
        return (bounds[0] + bounds[1]) / 2
    root = math.sqrt(squared)
    share = (right.slope + root - bend) / (right.slope - left.slope + 2 * root)
    return min(max(right.step - (right.step - left.step) * share, bounds[0]), bounds[1])


# ---- under the names that optimizers of other libraries import from PyTorch's file -----------------------------------


def _strong_wolfe(
    obj_func: Callable[[Any, float, Any], tuple[Any, Tensor]],
    x: Any,
    t: float,
    d: Tensor,
    f: Any,
    g: Tensor,
    gtd: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[Any, Tensor, float, int]:
    """Loss, gradient and step of a point that meets the conditions, and at how many points the loss was computed.

    Args:
        obj_func: loss and gradient at ``x + step * d``, called as `obj_func(x, step, d)`.
        x, d: where the line begins, and its direction.
        t: the step to try first.
        f, g, gtd: loss, gradient and slope at x.
        c1, c2, tolerance_change: the conditions: how far the loss falls, how flat it is, the least width.
        max_ls: at how many points after the first the loss may be computed.
    """

    def look(step: float) -> Point:
        loss, grad = obj_func(x, step, d)
        return Point(step, loss, grad, grad.dot(d))  # type: ignore[arg-type]

    length = float(d.abs().max()) if d.numel() else 0.0
    start = Point(0.0, f, g.clone(), gtd)
    found, tried = strong_wolfe(look, start, t, length, max_ls, Rule(c1, c2, tolerance_change))
    return found.loss, found.grad, found.step, tried


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:
    """Where the cubic with values f and slopes g at x1 and x2 is lowest, within bounds or between both."""
    a, b = Point(x1, f1, g1, g1), Point(x2, f2, g2, g2)
    return _lowest(a, b, (min(x1, x2), max(x1, x2)) if bounds is None else bounds)
