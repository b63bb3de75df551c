"""Row programs on NumPy in double precision: what both lowerings are compared with."""

import ast
import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..language.row_programs import COUNT, INDEX_NAME, Program

LOGIC = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_not": np.logical_not}
RowNamespace = Mapping[str, Any]  # runtime/kernels/row_language.py, and the scalar functions beside it, of arrays


def outputs_of(program: Program, arrays: Mapping[str, Any], count: int, namespace: RowNamespace) -> dict[str, Any]:
    """The outputs over the last dimension, of `count` elements, of arrays by name; `name_row` and numbers have 1."""
    scope = {**namespace, **LOGIC, **arrays, COUNT: count, INDEX_NAME: np.arange(count)}
    with np.errstate(all="ignore"):
        for statement in program.statements:
            changed = ast.fix_missing_locations(ast.Expression(_OfArrays().visit(copy.deepcopy(statement.value))))
            scope[statement.name] = eval(compile(changed, "<row program>", "eval"), {"__builtins__": {}}, scope)
    return {name: scope[name] for name in program.outputs}


class _OfArrays(ast.NodeTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return _call("where", [self.visit(part) for part in (node.test, node.body, node.orelse)])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        result = self.visit(node.values[0])
        for value in node.values[1:]:
            result = _call(name, [result, self.visit(value)])
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        return _call("logical_not", [operand]) if isinstance(node.op, ast.Not) else ast.UnaryOp(node.op, operand)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        parts = [self.visit(part) for part in (node.left, *node.comparators)]
        result: ast.expr | None = None
        for op, one, two in zip(node.ops, parts, parts[1:], strict=False):
            each = ast.Compare(copy.deepcopy(one), [op], [copy.deepcopy(two)])
            result = each if result is None else _call("logical_and", [result, each])
        assert result is not None
        return result


def _call(name: str, arguments: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])
