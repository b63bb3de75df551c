"""The lines that compute a composite, and older forms of a call, `x.add(alpha, other)`: the key `deprecated`."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..spec.definitions import Locals, Trees, used, written_trees
from ..spec.model import Entry
from .fast_path import FastCode
from .properties import Properties
from .saved_tensors import rewrite


@dataclass(frozen=True)
class CompositeCode:
    op: Properties
    fast: FastCode

    @cached_property
    def lines(self) -> list[str]:
        end = "result = " if self.fast.tries_view or self.fast.keeps_views else "return "
        compute = self.op.entry.compute
        tree = compute.written or compute.tree
        assert tree is not None
        return self._statements(tree, written_trees(self.op.entry), end)

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
            result = f"{self.fast.looked_up_by}.run({function}, unchecked, ({arguments})"
        return [*lines, f"{end}{result}"]

    def _result(self, tree: ast.expr) -> str:
        if self.op.names_outputs and isinstance(tree, ast.IfExp):
            return f"{self._result(tree.body)} if {self._source(tree.test)} else {self._result(tree.orelse)}"
        type_ = f"_{self.op.name}_result" if self.op.names_outputs and isinstance(tree, ast.Tuple) else ""
        return f"{type_}{self._source(tree)}"

    def _source(self, tree: ast.expr) -> str:
        gives_view = any(each.type.alias is not None for each in self.op.entry.schema.returns)
        return rewrite(tree, replace(self.op.calls, at_once={}) if gives_view else self.op.calls)


def extra_positional(entries: Iterable[Entry]) -> list[str]:
    entries = list(entries)
    longest = max((len(form) for entry in entries for form in entry.deprecated), default=0)
    plain = sum(not a.keyword_only for a in entries[0].schema.arguments)
    return [f"more{k}" for k in range(1, longest - plain + 1)]


def deprecated_calls(
    function: str, args: Sequence[str], codes: Sequence[Properties], has_out: bool = False
) -> list[str]:
    more = extra_positional(code.entry for code in codes)
    if not more:
        return []
    forms = tuple(form for code in codes for form in _typed(code))
    named = codes[0].arguments
    options = "".join(f"({a.python_name!r}, {a.python_name}, {a.python_default}), " for a in named if a.keyword_only)
    out = ", out" if has_out else ""
    call = f"call_deprecated_signature({function}, {forms!r}, ({', '.join([*args, *more])}), ({options}){out})"
    return [f"if {more[0]} is not None:", f"    return {call}"]


def _typed(code: Properties) -> list[tuple[tuple[str, str], ...]]:
    arguments = {a.name: a for a in code.arguments}
    return [tuple((arguments[n].python_name, code.match_type(arguments[n])) for n in f) for f in code.entry.deprecated]
