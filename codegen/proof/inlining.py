"""Formulas over ops as scalar expressions of real numbers."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..emit.scalar_code import Inliner
from ..spec.formula import called


class Whole(Inliner):
    """Inlines formulas, those of functions that are kept out of fused kernels too."""

    def call(self, name: str, args: list[ast.expr], named: dict[str, ast.expr]) -> ast.expr:
        return args[0] if name == "unfused" else super().call(name, args, named)


class Plain(Whole):
    """Inlines formulas for real numbers."""

    def form(self, tree: ast.expr, scope: Mapping[str, ast.expr]) -> ast.expr:
        """The scalar form; of a choice between complex and real numbers only the side of real ones."""
        if isinstance(tree, ast.IfExp) and isinstance(tree.test, ast.Call) and called(tree.test) == "is_complex":
            return self.form(tree.orelse, scope)
        return super().form(tree, scope)

    def place_of_self(self, name: str) -> int:
        """Where a method's tensor stands among the arguments of the function."""
        schema = next((e.schema for e in self.by_name.get(name, []) if e.schema.argument("self")), None)
        return [a.name for a in schema.arguments].index("self") if schema else 0
