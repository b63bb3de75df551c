"""Checks of the key `reference`: what it names, and that it does not say again what the entry's expression says."""

from __future__ import annotations

from collections.abc import Iterator

from .context import Context
from .formula import names
from .model import Problem
from .reference import name_faults, same_expression


def check_reference(context: Context) -> Iterator[Problem]:
    """Names of arguments, functions and libraries; another expression than that by which the op is computed."""
    entry = context.entry
    if entry.reference is None or entry.reference.tree is None:
        return
    tree, arguments = entry.reference.tree, [a.name for a in entry.schema.arguments]
    for node, message in name_faults(tree, arguments):
        yield context.problem(node, message, "reference")
    if not {node.id for node in names(tree)} & set(arguments) and arguments:
        yield context.problem(entry.reference.where, "it reads no argument of the op", "reference")
    if entry.compute.tree is not None and same_expression(tree, entry.compute.tree):
        message = f"it says what '{entry.compute.kind}' says, with its mistakes: say it in another way"
        yield context.problem(entry.reference.where, message, "reference")
