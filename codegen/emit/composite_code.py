"""How a composite is computed in generated code: lines for what `where` defines, and the result."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import cached_property

from ..spec.definitions import Locals, Trees, used, written_trees
from .fast_code import FastCode
from .properties import Properties
from .savings import rewrite


@dataclass(frozen=True)
class CompositeCode:
    """The statements in the body of a composite."""

    op: Properties
    fast: FastCode

    @cached_property
    def lines(self) -> list[str]:
        """The statements; the last one returns the result, or names it `result` where that will be remembered."""
        end = "result = " if self.fast.tries_view or self.fast.keeps_views else "return "
        return self._statements(self._tree, written_trees(self.op.entry), end)

    @property
    def _tree(self) -> ast.expr:
        compute = self.op.entry.compute
        tree = compute.written or compute.tree
        assert tree is not None
        return tree

    def _statements(self, tree: ast.expr, definitions: Trees, end: str) -> list[str]:
        """A choice `a if c else b` becomes a statement where a branch needs definitions that the other does not."""
        own = Locals({"composite": tree}, definitions)
        lines = [f"{name} = {self._source(each)}" for name, each in own.definitions.items()]
        rest = {name: each for name, each in definitions.items() if name not in own.definitions}
        if isinstance(tree, ast.IfExp) and end == "return " and used(tree, rest):
            lines.append(f"if {self._source(own.formulas['composite'].test)}:")  # type: ignore[attr-defined]
            lines += [f"    {line}" for line in self._statements(tree.body, rest, end)]
            return [*lines, *self._statements(tree.orelse, rest, end)]
        result = self._result(own.formulas["composite"])
        if self.fast.calls_planned:
            function, _, arguments = result.partition("(")
            result = f"{self.fast.looked_up_by}.run({function}, given, ({arguments})"
        return [*lines, f"{end}{result}"]

    def _result(self, tree: ast.expr) -> str:
        if self.op.names_outputs and isinstance(tree, ast.IfExp):
            return f"{self._result(tree.body)} if {self._source(tree.test)} else {self._result(tree.orelse)}"
        type_ = f"_{self.op.name}_result" if self.op.names_outputs and isinstance(tree, ast.Tuple) else ""
        return f"{type_}{self._source(tree)}"

    def _source(self, tree: ast.expr) -> str:
        gives_view = any(each.type.alias is not None for each in self.op.entry.schema.returns)
        return rewrite(tree, replace(self.op.calls, at_once={}) if gives_view else self.op.calls)
