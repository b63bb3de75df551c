"""The text of a derived program: its statements, and the ranges of its indices."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..language.index_expressions import renamed
from ..language.indexed_programs import Statement
from ..spec.definitions import substituted
from ..spec.formula import names_in
from .derivative import is_number
from .index_normal_form import name_of


@dataclass
class ProgramBuilder:
    """A program that is being written; `ranges` are those of its indices, whose names differ where ranges do."""

    lines: list[str] = field(default_factory=list)
    ranges: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def ranged(self, statement: Statement) -> dict[str, ast.expr]:
        """New names for indices of a statement that another one has with another range."""
        names: dict[str, str] = {}
        for index, (start, stop) in statement.ranges.items():
            names[index] = self.index(index, start, stop, names.values())
        return {index: name_of(name) for index, name in names.items()}

    def index(self, index: str, start: ast.expr, stop: ast.expr, others: Iterable[str] = ()) -> str:
        """The name of an index with a range, that or a similar one, which is none of others."""
        ends = [stop] if is_number(start, 0) else [start, stop]
        text = f"range({', '.join(map(ast.unparse, ends))})"
        name, number = index, 1
        while self.ranges.get(name, text) != text or name in self.names or name in others:
            number += 1
            name = f"{index}{number}"
        self.ranges[name] = text
        return name

    def state_size(self, statement: Statement, name: str, dims: Sequence[ast.expr]) -> None:
        """Of an array like the one that a statement assigns: where its indices do not say the size, or a number is one,
        which indices with other ranges may stand beside."""
        is_stated = any(line.startswith(f"{name}: ") for line in self.lines)
        if not is_stated and (statement.collect or any(isinstance(dim, ast.Constant) for dim in dims)):
            self.lines.append(f"{name}: {shape_source(dims)}")

    def add(self, statement: Statement) -> None:
        if not statement.subscripts and not statement.collect:
            self.lines.append(f"{statement.name}: ()")
        names = self.ranged(statement)
        subscripts = tuple(renamed(subscript, names) for subscript in statement.subscripts)
        value = substituted(statement.value, names)  # those that folds bind included
        ranges = {n.id: statement.ranges[k] for k, n in names.items() if isinstance(n, ast.Name)}
        self.lines.append(replace(statement, subscripts=subscripts, value=value, ranges=ranges).text)


@dataclass(frozen=True)
class Derived:
    """The program of an internal op: its arguments' names by kind, outputs, and lines."""

    lines: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def shape_source(dims: Sequence[ast.expr]) -> str:
    sources = [ast.unparse(dim) for dim in dims]
    return f"({', '.join(sources)}{',' * (len(sources) == 1)})"


def pruned(text: ProgramBuilder, outputs: Iterable[str]) -> list[str]:
    """The lines that outputs need."""
    nodes = [ast.parse(line).body[0] for line in text.lines]
    targets = [target_of(n.targets[0] if isinstance(n, ast.Assign) else n.target) for n in nodes]  # type: ignore[attr-defined]
    needed, before = {*outputs}, set[str]()
    while needed != before:
        before = set(needed)
        for node, target in zip(nodes, targets, strict=True):
            if target in needed and not isinstance(node, ast.AnnAssign):
                needed |= names_in(node)
    return [line for line, target in zip(text.lines, targets, strict=True) if target in needed]


def target_of(node: ast.expr) -> str:
    named = node.value if isinstance(node, ast.Subscript) else node
    assert isinstance(named, ast.Name)
    return named.id


def with_ranges(text: ProgramBuilder, outputs: Iterable[str]) -> Iterator[str]:
    lines = pruned(text, outputs)
    used = names_in(*map(ast.parse, lines))
    yield from (f"{name}: {span}" for name, span in text.ranges.items() if name in used)
    yield from lines
