"""How long and how deep an expression may be, so that all that walks over it ends soon, and the constants in it."""

from __future__ import annotations

import ast
import cmath
import math
import operator
from collections.abc import Callable
from typing import Any

MOST_CHARACTERS = 4_000  # of an expression; the longest of specgrad's own has some 300
MOST_LEVELS = 40  # of operators, calls and brackets in each other
LARGEST = 2**63 - 1  # of the integers in it: what an int64 holds
LARGEST_EXPONENT = 64  # of a power of numbers


def too_deep(tree: ast.expr, most: int = MOST_LEVELS) -> ast.AST | None:
    """The first node below so many levels, found without recursion; None in a tree of fewer."""
    layer: list[ast.AST] = [tree]
    for _ in range(most):
        layer = [child for node in layer for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return layer[0] if layer else None


def constant_fault(node: ast.AST) -> str:
    """What is wrong with a number, or with an operation on numbers that would make one without bound."""
    match node:
        case ast.Constant(value=int(value)) if abs(value) > LARGEST:
            return "expected an integer of at most 64 bits"
        case ast.Constant(value=float() | complex() as value) if not _is_finite(value):
            return "expected a number that a float can hold (a sample may say inf)"
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if _is_constant(left) and not _is_exponent(right):
            return f"expected a power of numbers to have a number of at most {LARGEST_EXPONENT} as its exponent"
        case ast.BinOp(left=ast.BinOp() as left, op=ast.Pow()) if _is_constant(left):
            return "expected a power of a number, found one of an expression of numbers: write what it comes to"
        case ast.BinOp(left=left, op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=ast.Constant(value=0)) if (
            _is_constant(left)
        ):
            return "expected a number to be divided by another one than zero"
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if _is_sequence(left) or _is_sequence(right):
            return "a list or a string cannot be repeated here: write it out"
        case ast.BinOp() if _is_constant(node) and not _is_finite(_value(node)):
            return "expected numbers that come to one which an int64 or a float can hold"
    return ""


_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def _value(node: ast.expr) -> complex:
    """What an expression of numbers comes to; infinity where only it is beyond all bounds, and no part of it."""
    match node:
        case ast.Constant(value=int() | float() | complex() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
            values = _value(left), _value(right)
            if not all(map(_is_finite, values)) or (isinstance(sign, ast.Pow) and not _is_exponent(right)):
                return 0  # that part is at fault
            try:
                return _ARITHMETIC[type(sign)](*values)
            except OverflowError:
                return math.inf
            except (ArithmeticError, TypeError):
                return 0
    return 0


def _is_finite(value: complex) -> bool:
    return abs(value) <= LARGEST if isinstance(value, int) else cmath.isfinite(value)


def _is_constant(node: ast.expr) -> bool:
    """Whether an expression is of numbers alone."""
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    return all(isinstance(part, ast.Constant | ast.UnaryOp | ast.BinOp) for part in parts)


def _is_exponent(node: ast.expr) -> bool:
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
        return abs(value.value) <= LARGEST_EXPONENT
    return not _is_constant(node)


def _is_sequence(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
