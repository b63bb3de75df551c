"""The cases of an expression with conditions: in each the conditions are decided, and the rest is exact algebra.

A condition is decided by the sign of a difference of two values. Which signs occur together is found by points: those
of a pool that lie in a case are its witnesses, and a case without any is empty.
"""

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from ..language.scalar_functions import NONE, Functions
from ..language.syntax import ARITHMETIC
from . import algebra
from .algebra import Sum, function, number, recognised
from .derivative import meaning
from .numbers import COMPARE, FLOAT, Points, computed

T = TypeVar("T")
MAX_CASES = 400


class NotAlgebraic(Exception):
    """An expression that the algebra cannot hold."""


class Open(Exception):
    def __init__(self, value: Sum | str) -> None:
        super().__init__(str(value))
        self.value = value


@dataclass(frozen=True)
class Case:
    """Signs of differences by their keys, truth of conditions that are tensors, and the points that lie here."""

    inside: np.ndarray
    signs: Mapping[str, int] = field(default_factory=dict)
    differences: tuple[Sum, ...] = ()  # those that are not zero here by the sign of which it was decided

    @property
    def is_open(self) -> bool:
        return 0 not in [sign for key, sign in self.signs.items() if not key.startswith("?")]


def cases(compute: Callable[[Case], T], points: Points, own: Functions = NONE) -> Iterator[tuple[Case, T]]:
    waiting, count = [Case(np.arange(len(next(iter(points.values())))))], 0
    while waiting:
        case = waiting.pop()
        try:
            yield case, compute(case)
        except Open as condition:
            waiting += split(case, condition.value, points, own)
        count += 1
        if count > MAX_CASES:
            raise algebra.TooLarge


def split(case: Case, value: Sum | str, points: Points, own: Functions) -> Iterator[Case]:
    some = {name: array[case.inside] for name, array in points.items()}
    if isinstance(value, str):
        signs, key, seen = np.where(some[value], 1, 0), f"?{value}", case.differences
    else:
        signs, key, seen = np.sign(numeric(value, some, own)), value.key, (*case.differences, value)
    for sign in (1, -1, 0):
        inside = case.inside[signs == sign]
        if inside.size:
            yield Case(inside, {**case.signs, key: sign}, seen)


def numeric(value: Sum, points: Points, own: Functions = NONE) -> Any:
    total: Any = np.zeros(len(next(iter(points.values()))))
    with np.errstate(all="ignore"):
        for product, factor in value.terms.items():
            term: Any = float(factor)
            for atom, power in product:
                base = _numeric_atom(atom, points, own)
                term = term * (base if power == 1 else base ** (int(power) if power.denominator == 1 else float(power)))
            total = total + term
        return total


def _numeric_atom(atom: algebra.Atom, points: Points, own: Functions) -> Any:
    if atom.kind == "variable":
        return np.pi if atom.name == "PI" else points[atom.name]
    operands = [numeric(operand, points, own) for operand in atom.operands]
    return operands[0] if atom.kind == "base" else computed(atom.name, own)(*operands)


# ---- expressions as sums ---------------------------------------------------------------------------------------------

_EVEN, _ODD = ("cos",), ("sin", "atan", "erfinv")
_HALF = Fraction(1, 2)


class Algebra:
    def __init__(self, case: Case, conditions: frozenset[str] = frozenset(), own: Functions = NONE) -> None:
        self.case = case
        self.own = own  # scalar functions of a user's package
        self.conditions = conditions  # the names that are true or false

    def value(self, tree: ast.expr) -> Sum:
        match tree:
            case ast.Constant(value=bool(value)):
                return number(int(value))
            case ast.Constant(value=int(value)):
                return number(value)
            case ast.Constant(value=float(value)) if math.isfinite(value):
                return recognised(value)
            case ast.Name(id=name):
                return algebra.variable(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return self.combined(op, left, right)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self.holds(test) else orelse)
            case ast.Call(func=ast.Name(id="where" | "either"), args=[test, body, orelse]):
                return self.value(body if self.holds(test) else orelse)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.called(name, args)
        raise NotAlgebraic(ast.unparse(tree))

    def combined(self, op: ast.operator, left: ast.expr, right: ast.expr) -> Sum:
        match op:
            case ast.Add() | ast.Sub() | ast.Mult():
                return ARITHMETIC[type(op)](self.value(left), self.value(right))
            case ast.Div() | ast.Pow():
                return self.called("divide" if isinstance(op, ast.Div) else "pow", [left, right])
        raise NotAlgebraic(type(op).__name__)

    def called(self, name: str, args: list[ast.expr]) -> Sum:
        stands_for = meaning(name, args, self.own)
        if name in ("pow", "pow_number"):
            exponent = self.value(args[1]).constant
            if exponent is not None:
                return algebra.power(self.value(args[0]), exponent)
        if stands_for is not None:
            return self.value(stands_for)
        operands = [self.value(argument) for argument in args]
        match name:
            case "divide":
                return operands[0] * algebra.power(operands[1], Fraction(-1))
            case "sqrt":
                return algebra.power(operands[0], _HALF)
            case "exp":
                return algebra.exponential(operands[0])
            case "normal_cdf" if is_negative(operands[0]):
                return number(1) - function(name, -operands[0])
        if name in (*_EVEN, *_ODD) and is_negative(operands[0]):
            result = function(name, -operands[0])
            return result if name in _EVEN else -result
        if name not in FLOAT and name not in self.own:
            raise NotAlgebraic(name)
        return function(name, *operands)

    def holds(self, test: ast.expr) -> bool:
        match test:
            case ast.Constant(value=value):
                return bool(value)
            case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
                return not self.holds(operand)
            case ast.BoolOp(op=op, values=values):
                return (all if isinstance(op, ast.And) else any)([self.holds(value) for value in values])
            case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
                return self.holds(left) and self.holds(right)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self.holds(left) or self.holds(right)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if self.is_condition(left):
                truth = bool(right.value) if isinstance(right, ast.Constant) else self.holds(right)
                return COMPARE[type(op)](int(self.holds(left)), int(truth))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return COMPARE[type(op)](self.sign(self.value(left) - self.value(right)), 0)
            case ast.Name(id=name):
                return self.mask(name) if name in self.conditions else self.sign(algebra.variable(name)) != 0
            case ast.Call(func=ast.Name(id=name), args=args) if (result := meaning(name, args, self.own)) is not None:
                return self.holds(result)
        raise NotAlgebraic(ast.unparse(test))

    def is_condition(self, tree: ast.expr) -> bool:
        match tree:
            case ast.Name(id=name):
                return name in self.conditions
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.Call(func=ast.Name(id=name), args=args):
                result = meaning(name, args, self.own)
                is_truth = isinstance(result, ast.Constant) and result.value in (True, False)
                return is_truth or isinstance(result, ast.Compare)
        return False

    def mask(self, name: str) -> bool:
        if f"?{name}" not in self.case.signs:
            raise Open(name)
        return self.case.signs[f"?{name}"] == 1

    def sign(self, value: Sum) -> int:
        constant = value.constant
        if constant is not None:
            return int(constant > 0) - int(constant < 0)
        flipped = is_negative(value)
        plain = scaled(-value if flipped else value)
        if plain.key not in self.case.signs:
            raise Open(plain)
        sign = self.case.signs[plain.key]
        return -sign if flipped else sign


def is_negative(value: Sum) -> bool:
    """Whether the first term has a negative factor: of a value and its opposite one is."""
    first = min(value.terms, key=lambda product: [(atom.key, power) for atom, power in product], default=None)
    return first is not None and value.terms[first] < 0


def scaled(value: Sum) -> Sum:
    first = min(value.terms, key=lambda product: [(atom.key, power) for atom, power in product])
    return Sum({product: factor / abs(value.terms[first]) for product, factor in value.terms.items()})
