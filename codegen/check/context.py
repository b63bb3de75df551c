"""What every check of an entry gets: the entry, the names it may use, and the way to state a problem."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..library.helpers import Known
from ..spec.formula import called, place
from ..spec.model import Entry, Problem, Where
from .scope import BUILTINS, Ops, Scope


@dataclass(frozen=True)
class Context:
    """One entry under check."""

    entry: Entry
    ops: Ops
    known: Known

    def problem(self, spot: Where | ast.AST, message: str, argument: str = "") -> Problem:
        """A problem of this entry at a place, or at a node of one of its expressions."""
        where = spot if isinstance(spot, Where) else place(self.entry.where.file, spot)
        return Problem(where, self.entry.name, argument, message)

    def faults(self, scope: Scope, tree: ast.expr, argument: str) -> Iterator[Problem]:
        """The problems of all names that an expression uses."""
        for node, message in scope.faults(tree):
            yield self.problem(node, message, argument)

    def scope(self, values: list[str]) -> Scope:
        """The scope of an expression over tensors: the values, helpers and ops."""
        functions = None if self.known.helpers is None else {**BUILTINS, **self.known.helpers}
        return Scope(values, functions, self.ops)

    @property
    def outputs(self) -> list[str]:
        """The names of the op's results in its formulas: their own, and result0, result1, ... of several."""
        returns = self.entry.schema.returns
        general = ["result"] if len(returns) == 1 else [f"result{i}" for i in range(len(returns))]
        return [*(output.name for output in returns), *general]

    @staticmethod
    def calls(tree: ast.expr) -> list[tuple[ast.Call, str]]:
        """The calls of an expression with the names of what they call."""
        return [(node, called(node)) for node in ast.walk(tree) if isinstance(node, ast.Call)]
