"""The conditions and poles of expressions: where they change sides, and at which points each side was computed.

A condition compares two values, so it changes where their difference does; a quotient does where its denominator is 0.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spec.formula import names_in
from .derivative import meaning
from .numbers import Unknown, evaluate

STEPS = 80  # of bisection: to neighbours in float64
GRID = np.unique(
    [sign * v for sign in (1, -1) for v in (0, 1e-3, 0.1, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 8, 12, 20, 40, 90, 1e3)]
)


@dataclass(frozen=True)
class Condition:
    """A comparison of an expression, or a denominator, which is compared with 0."""

    test: ast.expr
    difference: ast.expr
    is_pole: bool = False

    def __str__(self) -> str:
        return ast.unparse(self.test)


def conditions(trees: Iterable[ast.expr]) -> list[Condition]:
    """The conditions of some expressions, those that functions stand for among them, each once.

    Not of `grad`, of which no sample is chosen, nor of imaginary parts: points are real numbers.
    """
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
    return [*grid[values == 0].tolist()[:8], *_bisected(at, grid[changes], grid[changes + 1]).tolist()]


def _bisected(at: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    begin = np.sign(at(low)) if low.size else low
    for _ in range(STEPS if low.size else 0):
        midpoint = low + (high - low) / 2
        same = np.sign(at(midpoint)) == begin
        low, high = np.where(same, midpoint, low), np.where(same, high, midpoint)
    return high


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
        """(condition, the side that no point has reached)."""
        own = {str(condition): condition for condition in self.conditions if not condition.is_pole}
        return [(own[text], not next(iter(seen))) for text, seen in self.seen.items() if text in own and len(seen) == 1]
