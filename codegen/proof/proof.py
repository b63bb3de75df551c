"""Whether the written gradient formulas of an element-wise entry are the derivatives of its expression.

In the interior of every case both are compared as exact values; where that does not settle it, in numbers at all its
points. On boundaries the formula is compared with the limits of the symbolic derivative, by the policy at kinks.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..spec.model import Entry, Formula
from . import algebra
from .boundaries import Boundary, shown_point
from .cases import Algebra, Case, NotAlgebraic, cases
from .derivative import ONE, NoDerivative, derivative, times
from .formula_derivative import RESULT_DERIVATIVE, FormulaDerivative, Plain
from .numbers import Points, Unknown, evaluate
from .points import boundary, corners, is_mask, sample_points
from .scalar_code import NotElementwise, inlined, substitute

PROVED, EQUAL, WRONG, OPEN = STATES = "proved", "equal in numbers", "wrong", "open"
TOLERANCE = 1e-11  # relative, of what is compared in numbers


@dataclass(frozen=True)
class Verdict:
    argument: str
    state: str  # one of STATES
    reason: str = ""
    compared: int = 0  # points on boundaries, and in cases that are not proved


class Prover:
    def __init__(self, entries: Mapping[str, Entry], inliner: Plain | None = None) -> None:
        self.inliner = inliner or Plain(entries)

    def verdicts(self, entry: Entry) -> list[Verdict]:
        return [self.verdict(entry, name, entry.gradients[name]) for name in entry.formulas]

    def verdict(self, entry: Entry, argument: str, formula: Formula) -> Verdict:
        try:
            own = self.own_derivative(entry, argument, formula)
            return Comparison(entry, argument, self.written(entry, formula), own).verdict()
        except NotElementwise as error:
            return Verdict(argument, OPEN, f"{error} is no scalar function")
        except NoDerivative as error:
            return Verdict(argument, OPEN, str(error))
        except Unknown as error:
            return Verdict(argument, OPEN, f"{error} has no numbers")

    def written(self, entry: Entry, formula: Formula) -> ast.expr:
        expression = entry.compute.tree
        assert expression is not None
        return substitute(inlined(entry, self.inliner, formula.tree), {"result": expression})

    def own_derivative(self, entry: Entry, argument: str, formula: Formula) -> ast.expr | None:
        expression, differentiated = entry.compute.tree, entry.differentiated
        assert expression is not None and differentiated is not None
        assert formula.tree is not None
        try:
            tree = FormulaDerivative(self.inliner, argument).of(formula.tree)
            result_derivative = derivative(differentiated, {argument: ONE}, entry.functions)
            names = (RESULT_DERIVATIVE, "grad", "result", *(a.name for a in entry.schema.arguments))
            scalar = self.inliner.scalar(tree, {name: ast.Name(name) for name in names})
        except (NotElementwise, NoDerivative):
            return None
        return substitute(scalar, {"result": expression, RESULT_DERIVATIVE: result_derivative})


class Comparison:
    def __init__(self, entry: Entry, argument: str, written: ast.expr, again: ast.expr | None) -> None:
        expression = entry.differentiated
        assert expression is not None
        self.entry, self.own, self.argument = entry, entry.functions, argument
        self.expression, self.written = expression, written
        self.again = again  # the derivative of the written formula
        self.derived = times(ast.Name("grad", ast.Load()), derivative(expression, {argument: ONE}, entry.functions))
        self.policy = entry.policy(argument)
        self.conditions = frozenset(a.name for a in entry.schema.arguments if is_mask(entry, a))
        self.points = self._where_defined(sample_points(entry))
        self.differences: list[algebra.Sum] = []

    def _where_defined(self, points: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        with np.errstate(all="ignore"):
            finite = np.isfinite(np.broadcast_to(evaluate(self.expression, points, self.own), points["grad"].shape))
        return {name: array[finite] for name, array in points.items()}

    def verdict(self) -> Verdict:
        state, reason, compared = PROVED, "", 0
        result, why = self._by_cases()
        rest = self.points if result is None else {name: array[result] for name, array in self.points.items()}
        if len(rest["grad"]):
            wrong = self._worst(rest)
            if wrong:
                return Verdict(self.argument, WRONG, wrong)
            state, reason, compared = EQUAL, why, len(rest["grad"])
        movable = [name for name, array in self.points.items() if array.dtype.kind == "f" and name != "grad"]
        tensors = [a.name for a in self.entry.tensor_arguments if a.name in movable]
        numbers = [name for name in movable if name not in tensors]
        both = boundary(self.differences, self.points, tensors, numbers, self.own), corners(self.points, tensors)
        on = self._where_defined({name: np.concatenate([part[name] for part in both]) for name in self.points})
        derivatives = self.derived, self.written, self.again
        on_boundaries = Boundary(self.expression, *derivatives, self.argument, on, self.policy, self.own)
        if len(on["grad"]) and (fault := on_boundaries.fault()):
            return Verdict(self.argument, WRONG, fault)
        return Verdict(self.argument, state, reason, compared + len(on["grad"]))

    def _by_cases(self) -> tuple[np.ndarray | None, str]:
        left, why = [], ""
        try:
            for case, reason in cases(self._compared, self.points, self.own):
                self.differences += case.differences
                if reason and case.is_open:
                    left.append(case.inside)
                    why = reason
        except algebra.TooLarge:
            return None, "too many terms or cases"
        return np.concatenate(left) if left else np.zeros(0, int), why

    def _compared(self, case: Case) -> str:
        here = Algebra(case, self.conditions, self.own)
        try:
            zero = algebra.is_zero(here.value(self.derived) - here.value(self.written))
        except NotAlgebraic as error:
            return f"{error} is not algebraic"
        except ZeroDivisionError:
            return "a division by zero"
        return "" if zero else "not the same form"

    def _worst(self, points: Points) -> str:
        with np.errstate(all="ignore"):
            both = (evaluate(tree, points, self.own) for tree in (self.derived, self.written))
            derived, written = (np.broadcast_to(values, points["grad"].shape) for values in both)
            scale = np.abs(derived) + np.abs(written) + np.abs(points["grad"])
            error = np.where(np.isfinite(written), np.abs(derived - written) / scale, np.inf)
            error = np.where(np.isfinite(derived), error, 0)
        if not error.size or not error.max() > TOLERANCE:
            return ""
        worst = int(error.argmax())
        gives, right = written[worst] / points["grad"][worst], derived[worst] / points["grad"][worst]
        return f"at {shown_point(points, worst)} the formula gives {gives:.12g}, the derivative is {right:.12g}"
