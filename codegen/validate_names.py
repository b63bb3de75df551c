"""Checks of the names of ops, arguments and outputs: each means one thing in the spec and in what is generated."""

from __future__ import annotations

from collections.abc import Iterator

from .context import Context
from .keys import KEYS
from .model import Entry, Problem, Spec
from .operators import UNARY
from .signature import name_fault

TAKEN = "the generated code uses '{}' for something else: give it another name"


def duplicates(spec: Spec, base: Spec | None) -> Iterator[Problem]:
    """Entries of the same name, or whose names differ only in what Python, or a file's name, cannot tell apart."""
    first = {entry.identifier.lower(): entry for entry in base.entries} if base else {}
    functions = {name: entry for entry in base.entries for name in _all_names(entry)} if base else {}
    overloads: dict[str, list[Entry]] = {}
    for entry in base.entries if base else ():
        overloads.setdefault(entry.schema.name, []).append(entry)
    for entry in spec.entries:
        other = first.setdefault(entry.identifier.lower(), entry)
        extended = overloads.get(entry.schema.name, []) if entry.schema.overload else []
        names = entry.aliases if extended else public_names(entry)
        again = next((functions[name] for name in names if name in functions), None)
        if other is not entry:
            same = "duplicate entry" if other.name == entry.name else f"{other.name} is the same in Python"
            yield Problem(entry.where, entry.name, "", f"{same}, first at {other.where}")
        elif again is not None:
            what = "specgrad" if again.where.file == "derivatives.yaml" else again.where.file.partition("/")[0]
            yield Problem(entry.where, entry.name, "", f"{what} has an op of this name, at {again.where}{_hint(entry)}")
        else:
            yield from _overload_faults(entry, extended)
        yield from _operator_faults(entry, base)


def _operator_faults(entry: Entry, base: Spec | None) -> Iterator[Problem]:
    """An operator of Tensor that a base's op has, where it stays."""
    methods = UNARY.get(entry.operator or "", entry.operator)
    entries = base.entries if base and entry.operator else ()
    other = next((e for e in entries if UNARY.get(e.operator or "", e.operator) == methods), None)
    if other is not None:
        message = f"the operator {entry.operator} is that of {other.name} at {other.where}, and stays so"
        yield Problem(entry.key_places["operator"], entry.name, "operator", message)


def _hint(entry: Entry) -> str:
    """How to add an overload, where that may have been meant."""
    return "" if entry.schema.overload else f"; an overload of it is named, as {entry.schema.name}.Mine"


def _overload_faults(entry: Entry, extended: list[Entry]) -> Iterator[Problem]:
    """An overload of a base's function that would hide one of the base's, or that would have to change Tensor."""
    types = [argument.type for argument in entry.schema.arguments]
    hidden = next((e for e in extended if [argument.type for argument in e.schema.arguments] == types), None)
    if hidden is not None:
        message = f"its arguments have the types of those of {hidden.name} at {hidden.where}: nothing tells them apart"
        yield Problem(entry.where, entry.name, "", message)
    if extended and {"method", "inplace"} & {*entry.variants}:
        message = (
            f"Tensor.{entry.schema.name} stays as it is: an overload that a package adds needs `variants: [function]`"
        )
        yield Problem(entry.key_places.get("variants", entry.where), entry.name, "variants", message)


def public_names(entry: Entry) -> list[str]:
    """The functions that an entry gives: its own, its aliases, and their in-place ones."""
    names = [entry.schema.name, *entry.aliases]
    return names + [f"{name}_" for name in names] if "inplace" in entry.variants else names


def _all_names(entry: Entry) -> list[str]:
    """Its public functions, and those of this overload."""
    return [*public_names(entry), entry.identifier, f"{entry.identifier}_"]


def check_names(context: Context) -> Iterator[Problem]:
    """Names that mean something else already, in formulas, among ops, in generated code or as an attribute."""
    yield from _check_values(context)
    yield from _check_aliases(context)
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


def _check_aliases(context: Context) -> Iterator[Problem]:
    entry = context.entry
    for alias in entry.aliases:
        if fault := name_fault(alias):
            message = f"'{alias}' cannot be the name of a function: {fault}"
            yield context.problem(entry.key_places["aliases"], message, "aliases")
        elif any(schema.name == alias for schema in context.ops.functions.get(alias, ())):
            yield context.problem(entry.key_places["aliases"], f"'{alias}' is an op of its own", "aliases")


def _check_taken(context: Context) -> Iterator[Problem]:
    """Names of ops, arguments and outputs that generated code, formulas or tensors use themselves."""
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
