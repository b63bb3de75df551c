"""Checks for slips of the pen in expressions: words of Python for one truth value, where a tensor has many, and `^`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ..spec.formula import METADATA
from ..spec.model import Problem
from .scope import Context

POWER = "'^' is the exclusive or of bits: a power is written **"
MESSAGES = {ast.And: "'and' wants one truth value, and a tensor has many: write (a) & (b)",
         ast.Or: "'or' wants one truth value, and a tensor has many: write (a) | (b)"}  # fmt: skip
NOT = "'not' wants one truth value, and a tensor has many: write ~(a)"
CHAIN = "a chain of comparisons wants one truth value, and a tensor has many: write (a < b) & (b < c)"
CHOICE = "'if' wants one truth value, and a tensor has many: write where(condition, a, b)"


def check_logic(context: Context) -> Iterator[Problem]:
    """The expressions over tensors, in which a tensor is no truth value; the scalar one, for its powers."""
    entry, compute = context.entry, context.entry.compute
    if compute.kind == "elementwise" and compute.tree is not None and {"float", "complex"} & set(entry.dtypes):
        names = [a.name for a in entry.schema.arguments]
        yield from (context.problem(node, POWER, compute.kind) for node in _powers(compute.tree, names))
    for key, tree in _over_tensors(context):
        for node, message in _faults(tree, _tensors(context)):
            yield context.problem(node, message, key)
        if compute.kind != "composite" or {"float", "complex"} & set(entry.dtypes):
            yield from (context.problem(node, POWER, key) for node in _powers(tree, ()))


def _over_tensors(context: Context) -> list[tuple[str, ast.expr]]:
    entry = context.entry
    matches = [(name, formula.tree) for name, formula in {**entry.gradients, **entry.forward}.items()]
    matches += [("composite", entry.compute.tree)] if entry.compute.kind == "composite" else []
    return [(key, tree) for key, tree in matches if tree is not None]


def _tensors(context: Context) -> set[str]:
    arguments = [a.name for a in context.entry.tensor_arguments if not a.type.is_list]
    return {"grad", *arguments, *(f"{name}_{suffix}" for name in arguments for suffix in "pt"), *context.outputs}


def _powers(tree: ast.expr, numbers: Collection[str]) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(left=left, op=ast.BitXor(), right=right):
                yield from [node] if _is_number(left, numbers) or _is_number(right, numbers) else []


def _is_number(node: ast.expr, numbers: Collection[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | complex) and not isinstance(node.value, bool)
    return isinstance(node, ast.Name) and node.id in numbers


def _faults(tree: ast.expr, tensors: Collection[str]) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.BoolOp(op=word, values=values) if any(_is_tensor(value, tensors) for value in values):
                yield node, MESSAGES[type(word)]
            case ast.UnaryOp(op=ast.Not(), operand=operand) if _is_tensor(operand, tensors):
                yield node, NOT
            case ast.Compare(left=left, comparators=[_, _, *_] as others):
                if any(_is_tensor(side, tensors) for side in (left, *others)):
                    yield node, CHAIN
            case ast.IfExp(test=test) if _is_tensor(test, tensors):
                yield node, CHOICE


def _is_tensor(node: ast.expr, tensors: Collection[str]) -> bool:
    """Whether an expression is a tensor for certain: calls may give anything."""
    match node:
        case ast.Name(id=name):
            return name in tensors
        case ast.BinOp(left=left, right=right):
            return _is_tensor(left, tensors) or _is_tensor(right, tensors)
        case ast.UnaryOp(op=sign, operand=operand):
            return not isinstance(sign, ast.Not) and _is_tensor(operand, tensors)
        case ast.Compare(left=left, ops=ops, comparators=others):
            identity = isinstance(ops[0], ast.Is | ast.IsNot)
            return not identity and any(_is_tensor(side, tensors) for side in (left, *others))
        case ast.Subscript(value=value):
            return _is_tensor(value, tensors)
        case ast.Attribute(value=value, attr=attribute):
            return attribute not in METADATA and _is_tensor(value, tensors)
    return False
