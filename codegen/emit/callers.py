"""Which entries call an op: what only formulas call is a part of those ops, and their pages and `explain` say so."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..spec.formula import called
from ..spec.model import Entry

Caller = tuple[str, str]  # an entry's name, and which of its expressions has the call


def callers(entries: Sequence[Entry]) -> dict[str, list[Caller]]:
    """The callers of each function, in the order of the spec; an op that calls itself is none."""
    results: dict[str, dict[Caller, None]] = {}
    for entry in entries:
        for key, tree in expressions(entry):
            calls = {called(node) for node in ast.walk(tree) if isinstance(node, ast.Call)}
            for name in sorted(calls - {"", entry.schema.name}):
                results.setdefault(name, {})[entry.name, key] = None
    return {name: list(each) for name, each in results.items()}


def expressions(entry: Entry) -> Iterator[tuple[str, ast.expr]]:
    """The expressions of an entry over tensors, as they are written, and what each of them is for."""
    if entry.compute.kind == "composite" and (tree := entry.compute.written or entry.compute.tree) is not None:
        yield "composite", tree
    kinds = {"where": entry.definitions, "gradient of": entry.gradients, "tangent of": entry.forward}
    for kind, formulas in kinds.items():
        for name, formula in formulas.items():
            if (tree := formula.written or formula.tree) is not None:
                yield f"{kind} {name}", tree


def part_of(entry: Entry, known: dict[str, list[Caller]]) -> str:
    """The ops that an op which only formulas call is a part of, in words; empty for a public one."""
    if entry.variants != ("formula",):
        return ""
    keys: dict[str, list[str]] = {}
    for name, key in known.get(entry.schema.name, ()):
        keys.setdefault(name, []).append(key)
    return "; ".join(f"`{name}` ({', '.join(each)})" for name, each in keys.items())
