"""Checks of the names of ops, arguments and outputs: each means one thing in the spec and in what is generated."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence

from ..spec.keys import KEYS
from ..spec.model import Argument, Entry, Problem
from ..spec.operators import UNARY
from ..spec.signature import name_fault
from .context import Context

MEANING = ("self", "input", "grad", "grads", "result", "wanted")  # words of formulas and of Python's parameters
TAKEN = "the generated code uses '{}' for something else: give it another name"


def public_names(entry: Entry) -> list[str]:
    """The functions that an entry gives: its own, its aliases, and their in-place ones."""
    names = [entry.schema.name, *entry.aliases]
    return names + [f"{name}_" for name in names] if "inplace" in entry.variants else names


def check_names(context: Context) -> Iterator[Problem]:
    """Names that mean something else already, in formulas, among ops, in generated code or as an attribute."""
    yield from _check_values(context)
    yield from _check_case(context)
    yield from _check_aliases(context)
    yield from _check_operator(context)
    yield from _check_taken(context)


def _check_values(context: Context) -> Iterator[Problem]:
    """Arguments and outputs."""
    entry = context.entry
    arguments = [a.name for a in entry.schema.arguments]
    for argument in entry.tensor_arguments:
        if argument.name in ("grad", "grads"):
            message = "in a formula this is the incoming gradient: call the argument grad_output"
            yield context.problem(entry.where, message, argument.name)
        elif argument.name in KEYS:
            yield context.problem(entry.where, "the argument's name is a key of the spec", argument.name)
        for suffix in ("_t", "_p"):
            if argument.name + suffix in arguments:
                message = f"in a formula this is a value of '{argument.name}' in forward mode: give it another name"
                yield context.problem(entry.where, message, argument.name + suffix)
    for output in entry.schema.returns:
        if output.name in arguments or output.name in KEYS:
            message = "the output's name is that of an argument or a key of the spec"
            yield context.problem(entry.where, message, output.name)
    if len({*arguments, "input"}) == len(arguments) and "self" in arguments:
        yield context.problem(entry.where, "'self' is spelt 'input' in Python: there is one already", "input")


def _check_case(context: Context) -> Iterator[Problem]:
    """Arguments and outputs that differ in case only, from each other or from a word that means something."""
    schema = context.entry.schema
    known = {word.lower(): word for word in (*keyword.kwlist, *KEYS, *MEANING)}
    for name in (*(a.name for a in schema.arguments), *(output.name for output in schema.returns)):
        other = known.setdefault(name.lower(), name)
        if name != other:
            message = f"'{name}' and '{other}' differ in case only: give it another name"
            yield context.problem(context.entry.where, message, name)


def _check_operator(context: Context) -> Iterator[Problem]:
    """An operator has one operand or two, and the op as many arguments that have to be given, tensors at first."""
    entry = context.entry
    if entry.operator is None:
        return
    count = 1 if entry.operator in UNARY else 2
    required = [a for a in entry.schema.arguments if a.default is None]
    if len(required) != count or any(a.keyword_only for a in required) or not any(a.type.is_tensor for a in required):
        message = f"the operator '{entry.operator}' has {count} operand{'s' * (count - 1)}: {_spell(required)}"
        yield context.problem(entry.key_places["operator"], message, "operator")


def _spell(required: Sequence[Argument]) -> str:
    return f"the schema asks for {', '.join(a.name for a in required) or 'no argument'}"


def _check_aliases(context: Context) -> Iterator[Problem]:
    entry = context.entry
    for alias, where in zip(entry.aliases, entry.alias_places, strict=True):
        if fault := name_fault(alias):
            yield context.problem(where, f"'{alias}' cannot be the name of a function: {fault}", "aliases")


def _check_taken(context: Context) -> Iterator[Problem]:
    """Names of ops, arguments, outputs and definitions that generated code, formulas or tensors use themselves."""
    entry, taken = context.entry, context.known.taken
    for name in public_names(entry):
        if name in taken.functions:
            yield context.problem(entry.where, TAKEN.format(name))
        elif "method" in entry.variants and name in taken.attributes:
            message = f"a tensor has an attribute '{name}': give the op another name, or leave method out of variants"
            yield context.problem(entry.where, message)
    for name in [a.name for a in entry.schema.arguments] + [r.name for r in entry.schema.returns]:
        if name in taken.locals or name.startswith("_"):
            yield context.problem(entry.where, TAKEN.format(name), name)
    for name, definition in entry.definitions.items():
        if name in taken.locals or name in MEANING:
            yield context.problem(definition.where, TAKEN.format(name), name)
