"""Checks that each argument of a schema is for something: its value reaches what computes, checks or differentiates.

Each definition of `where` is for something too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..spec.formula import names
from ..spec.model import Argument, Entry, Problem
from ..spec.suggest import did_you_mean
from .context import Context

EXPRESSIONS = ("elementwise", "composite")  # the kinds of ops that are computed by one
UNUSED = "nothing reads this argument: use it, take it out of the schema, or name it in 'ignores'"


def check_unused(context: Context) -> Iterator[Problem]:
    """Arguments that nothing reads, and what the entry says of them in `ignores`."""
    entry = context.entry
    if not _is_whole(entry):
        return
    for name in entry.definitions.keys() - _definitions_used(entry):
        yield context.problem(entry.definitions[name].where, "nothing uses this definition", name)
    arguments = [argument.name for argument in entry.schema.arguments]
    unused = [a.name for a in entry.schema.arguments if not (a.type.writes or _is_read(context, a))]
    for name in unused:
        if name not in entry.ignores:
            yield context.problem(entry.where, UNUSED, name)
    for name in entry.ignores:
        if name not in arguments:
            message = f"the op has no argument '{name}'{did_you_mean(name, arguments)}"
            yield context.problem(entry.key_places["ignores"], message, "ignores")
        elif name not in unused:
            yield context.problem(entry.key_places["ignores"], f"'{name}' is read: it is not ignored", "ignores")


def _is_whole(entry: Entry) -> bool:
    """Whether all of the expressions that could read an argument could be read themselves."""
    if entry.compute.kind == "missing" or (entry.compute.kind in EXPRESSIONS and entry.compute.tree is None):
        return False
    formulas = (*entry.gradients.values(), *entry.forward.values(), *entry.definitions.values())
    return all(formula.tree is not None or formula.keyword is not None for formula in formulas)


def _is_read(context: Context, argument: Argument) -> bool:
    entry = context.entry
    given = {argument.name, f"{argument.name}_p", f"{argument.name}_t"}
    return bool(given & _names_read(entry)) or _reaches_function(entry, argument) or _is_checked(context, argument)


def _names_read(entry: Entry) -> set[str]:
    """The names in all expressions of an entry."""
    formulas = [*entry.gradients.values(), *entry.forward.values(), *([entry.backward] if entry.backward else [])]
    trees = [entry.compute.tree, *(formula.tree for formula in formulas)]
    return {node.id for tree in trees if tree is not None for node in names(tree)}


def _definitions_used(entry: Entry) -> set[str]:
    """The names of `where` that expressions use, themselves or through one another."""
    formulas = [*entry.gradients.values(), *entry.forward.values(), *([entry.backward] if entry.backward else [])]
    written = [entry.compute.written, *(formula.written for formula in formulas)]
    found = {node.id for tree in written if tree is not None for node in names(tree)}
    for name, definition in reversed(entry.definitions.items()):
        if name in found and definition.written is not None:
            found |= {node.id for node in names(definition.written)}
    return found


def _reaches_function(entry: Entry, argument: Argument) -> bool:
    """Whether the kernel or the view function gets the argument, or its dtype decides how they are called."""
    if entry.compute.kind == "view":
        return not argument.type.is_tensor or argument is entry.tensor_arguments[0]
    return entry.compute.kind == "kernel" and argument.type.base != "MemoryFormat"


def _is_checked(context: Context, argument: Argument) -> bool:
    """Whether the entry's check reads the argument: it gets all of them, behind the op's name."""
    entry = context.entry
    parameters = context.known.parameters.get("check", {}).get(entry.check or "")
    if parameters is None:
        return entry.check is not None
    place = entry.schema.arguments.index(argument) + 1
    return (parameters.names[place] if place < len(parameters.names) else parameters.rest) in parameters.read
