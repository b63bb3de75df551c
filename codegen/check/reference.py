"""Checks of the key `reference`: what it names, and that it does not say again what the entry's expression says."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ..spec.definitions import with_meaning
from ..spec.formula import names
from ..spec.model import Formula, Problem
from ..spec.reference import RESULT, name_faults, same_expression
from .scope import Context


def check_reference(context: Context) -> Iterator[Problem]:
    """Names of arguments, functions and libraries; another expression than that by which the op is computed."""
    entry = context.entry
    parts = {name: part.tree for name, part in entry.reference.items()}
    arguments = [a.name for a in entry.schema.arguments]
    known, used = list(arguments), set[str]()
    for name, tree in parts.items():
        if tree is None:
            return
        for node, message in name_faults(tree, known):
            yield context.problem(node, message, "reference")
        known.append(name)
        used |= {node.id for node in names(tree)}
    for name, part in [*entry.reference.items()][:-1]:
        if name not in used:
            yield context.problem(part.where, f"nothing uses '{name}'", "reference")
    yield from _check_result(context, used & set(arguments))


def _check_result(context: Context, read: set[str]) -> Iterator[Problem]:
    entry = context.entry
    if not entry.reference:
        return
    result = [*entry.reference.values()][-1]
    if not read and entry.schema.arguments:
        yield context.problem(result.where, "it reads no argument of the op", "reference")
    full_source = _written_out(entry.reference) if entry.compute.tree is not None else None
    if entry.compute.tree is not None and full_source is not None and same_expression(full_source, entry.compute.tree):
        message = f"it says what '{entry.compute.kind}' says, with its mistakes: say it in another way"
        yield context.problem(result.where, message, "reference")


def _written_out(reference: Mapping[str, Formula]) -> ast.expr | None:
    """The result without names for its parts; None where that is huge."""
    if len(reference) == 1:
        return reference[RESULT].tree
    results: dict[str, ast.expr] = {}
    for name, part in reference.items():
        tree = with_meaning(part, results)[0].tree
        if tree is None:
            return None
        results[name] = tree
    return results[RESULT]
