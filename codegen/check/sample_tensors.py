"""The tensors that samples ask for, `T(3, 4)` or `V([1.0, inf])`: of sizes that can be made, and made in no time."""

from __future__ import annotations

import ast
import math

# What a sample may call, with the keywords each takes: random, index, mask and literal tensors.
MAKERS = {"T": ("lo", "hi"), "I": ("high",), "B": (), "V": ("real",)}

MOST_ELEMENTS = 1_000_000
MOST_DIMENSIONS = 16


def tensor_fault(call: ast.Call) -> str:
    """What is wrong with a call of one of the makers; empty where nothing is."""
    assert isinstance(call.func, ast.Name)
    if call.func.id == "V":
        return _literal_fault(call)
    sizes = [_number(size) for size in call.args]
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        return f"{call.func.id} takes sizes, integers that are written out"
    if math.prod(map(int, sizes)) > MOST_ELEMENTS or len(sizes) > MOST_DIMENSIONS:
        return f"expected a tensor of at most {MOST_ELEMENTS:,} elements in {MOST_DIMENSIONS} dimensions"
    limits = {keyword.arg: _number(keyword.value) for keyword in call.keywords}
    if not all(math.isfinite(value) and abs(value) <= 1e15 for value in limits.values()):
        return "expected the limits of random numbers to be numbers that are written out, none beyond 1e15"
    if limits.get("lo", -math.inf) >= limits.get("hi", math.inf) or limits.get("high", 1) < 1:
        return "expected limits with numbers between them"
    return ""


def _literal_fault(call: ast.Call) -> str:
    if len(call.args) != 1:
        return "V takes one list of numbers, or one number"
    if any(not isinstance(k.value, ast.Constant) or k.value.value is not True for k in call.keywords):
        return "V takes real=True, for numbers that stay real where the others are complex"
    shape = _shape(call.args[0])
    if shape is None or len(shape) > MOST_DIMENSIONS:
        return f"V takes numbers, in lists of equal lengths, at most {MOST_DIMENSIONS} in each other"
    return ""


def _shape(node: ast.expr) -> tuple[int, ...] | None:
    """The shape of nested lists; None where they have no shape, or hold something else than numbers."""
    if isinstance(node, ast.Tuple | ast.List):
        shapes = {_shape(item) for item in node.elts} or {()}
        (first, *others) = shapes
        return None if others or first is None else (len(node.elts), *first)
    constants = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    numbers = all(isinstance(value, int | float | complex) for value in constants)
    return () if numbers and not isinstance(node, ast.Call) else None


def _number(node: ast.expr) -> float:
    """The value of a number, with its sign; nan for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    is_number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return node.value if is_number else math.nan  # type: ignore[attr-defined]
