"""Checks of the key `onnx`: its names, and the inputs and attributes of the operators that it calls."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from ..spec.formula import names
from ..spec.model import Problem
from ..spec.onnx_operators import Operator, operators
from ..spec.reference import name_faults
from ..spec.suggest import did_you_mean
from .scope import Context

Fault = tuple[ast.AST, str]


def check_onnx(context: Context) -> Iterator[Problem]:
    """Operators, functions and attributes that do not exist, calls that do not fit, parts that nothing uses."""
    entry, table = context.entry, operators()
    if not entry.onnx:
        return
    helpers = context.known.onnx or {}
    known = [*(a.name for a in entry.schema.arguments), *context.outputs, "results", *table, *helpers]
    used = set[str]()
    for name, part in entry.onnx.items():
        if part.tree is None:
            return
        for node, message in (*name_faults(part.tree, known), *_call_faults(context, part.tree, table)):
            yield context.problem(node, message, "onnx")
        known.append(name)
        used |= {node.id for node in names(part.tree)}
    for name, part in [*entry.onnx.items()][:-1]:
        if name not in used:
            yield context.problem(part.where, f"nothing uses '{name}'", "onnx")


def _call_faults(context: Context, tree: ast.expr, table: dict[str, Operator]) -> Iterator[Fault]:
    """The faults of all calls, and operators that are not called."""
    helpers = context.known.onnx or {}
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in table:
                yield from _operator_faults(node, name, table[name])
            case ast.Call(func=ast.Name(id=name)) if name in helpers:
                fewest, max_args = helpers[name]
                value = len(node.args) + len(node.keywords) + 1  # the operators come first
                if not fewest <= value <= max_args and not any(isinstance(arg, ast.Starred) for arg in node.args):
                    yield node, f"'{name}' takes {_range(fewest - 1, max_args - 1)} arguments, not {value - 1}"
            case ast.Name(id=name) if name in table and id(node) not in called:
                yield node, f"the operator '{name}' is to be called"


def _operator_faults(node: ast.Call, name: str, operator: Operator) -> Iterator[Fault]:
    """A wrong number of inputs, and attributes that the operator has not."""
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if not starred and not operator.fewest <= len(node.args) <= operator.max_args:
        yield node, f"{name} takes {_range(operator.fewest, operator.max_args)} inputs, not {len(node.args)}"
    for keyword in node.keywords:
        if keyword.arg not in operator.attributes:
            hint = did_you_mean(keyword.arg or "", operator.attributes)
            yield keyword.value, f"{name} has no attribute '{keyword.arg}'{hint}"


def _range(fewest: int, max_args: float) -> str:
    return (
        f"{fewest} or more" if max_args == math.inf else f"{fewest} to {max_args}" if max_args > fewest else str(fewest)
    )
