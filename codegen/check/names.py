"""Checks that a name of an op, argument, output or definition has one meaning, in the spec and in generated code.

A registry holds who claimed a name first. All functions of a package stand in one module, whatever their namespace;
Tensor has one special method for an operator, and an overload's kernels have files of its name.
"""

import keyword
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ..spec.fields import RESERVED
from ..spec.model import Entry, Problem, Spec, Where
from ..spec.names import UNARY, special_methods
from ..spec.signature import name_fault
from .scope import Context

MEANING = ("self", "input", "grad", "grads", "result", "output_mask")  # words of formulas and of Python's parameters
NAME_RESERVED = "the generated code uses '{}' for something else: give it another name (docs/spec.md, Names)"


def check_names(context: Context) -> Iterator[Problem]:
    entry = context.entry
    arguments = [a.name for a in entry.schema.arguments]
    for argument in entry.tensor_arguments:
        if argument.name in ("grad", "grads"):
            message = "in a formula this is the incoming gradient: call the argument grad_output"
            yield context.problem(entry.where, message, argument.name)
        elif argument.name in RESERVED:
            yield context.problem(entry.where, "the argument's name is a key of the spec", argument.name)
        for suffix in ("_t", "_p"):
            if argument.name + suffix in arguments:
                message = f"in a formula this is a value of '{argument.name}' in forward mode: give it another name"
                yield context.problem(entry.where, message, argument.name + suffix)
    for output in entry.schema.returns:
        if output.name in arguments or output.name in RESERVED:
            message = "the output's name is that of an argument or a key of the spec"
            yield context.problem(entry.where, message, output.name)
    if len({*arguments, "input"}) == len(arguments) and "self" in arguments:
        yield context.problem(entry.where, "'self' is spelt 'input' in Python: there is one already", "input")
    lower = entry.schema.name.lower()
    if lower != entry.schema.name and lower not in context.ops.functions:
        yield context.problem(entry.where, f"an op's name has lower-case letters, as in '{lower}'")
    known = {word.lower(): word for word in (*keyword.kwlist, *RESERVED, *MEANING)}
    for name in (*arguments, *(output.name for output in entry.schema.returns)):
        other = known.setdefault(name.lower(), name)
        if name != other:
            message = f"'{name}' and '{other}' differ in case only: give it another name"
            yield context.problem(entry.where, message, name)
    for alias, where in zip(entry.aliases, entry.alias_locations, strict=True):
        if fault := name_fault(alias):
            yield context.problem(where, f"'{alias}' cannot be the name of a function: {fault}", "aliases")
    yield from _check_operator(context)
    reserved = context.known.reserved
    for name in [*entry.names, *(f"{name}_" for name in entry.names if "inplace" in entry.variants)]:
        if name in reserved.functions:
            yield context.problem(entry.where, NAME_RESERVED.format(name))
        elif "method" in entry.variants and name in reserved.attributes:
            message = f"a tensor has an attribute '{name}': give the op another name, or leave method out of variants"
            yield context.problem(entry.where, message)
    for name in [a.name for a in entry.schema.arguments] + [r.name for r in entry.schema.returns]:
        if name in reserved.locals or name.startswith("_"):
            yield context.problem(entry.where, NAME_RESERVED.format(name), name)
    for name, definition in entry.definitions.items():
        if name in reserved.locals or name in MEANING:
            yield context.problem(definition.where, NAME_RESERVED.format(name), name)


def _check_operator(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if entry.operator is None:
        return
    count = 1 if entry.operator in UNARY else 2
    required = [a for a in entry.schema.arguments if a.default is None]
    if len(required) != count or any(a.keyword_only for a in required) or not any(a.type.is_tensor for a in required):
        expected = f"the schema asks for {', '.join(a.name for a in required) or 'no argument'}"
        message = f"the operator '{entry.operator}' has {count} operand{'s' * (count - 1)}: {expected}"
        yield context.at("operator", message)


INPLACE_FUNCTION = "the in-place function"


@dataclass(frozen=True)
class Claim:
    """A name that an entry takes for itself; `owner` is the function that may have it, with all its overloads."""

    name: str
    owner: str
    what: str  # it is, of the entry: "an alias"
    entry: Entry
    where: Where
    key: str = ""  # that claims it, besides the schema
    spelt: str = ""  # what the key says, where that is another word
    from_base: bool = False  # of the spec that this one builds on

    def __str__(self) -> str:
        return f"'{self.spelt or self.name}' is {self.what} of {self.entry.name}, at {self.where}"


def name_problems(spec: Spec, base: Spec | None) -> Iterator[Problem]:
    first: dict[str, Claim] = {}
    for claim in (claim for entry in _claimed(base) for claim in entry):
        first.setdefault(claim.name.lower(), replace(claim, from_base=True))
    for entry in _claimed(spec):
        blamed: set[Where] = set()
        for claim in entry:
            message = _conflict(claim, first.setdefault(claim.name.lower(), claim))
            if message and claim.where not in blamed:
                yield Problem(claim.where, claim.entry.name, claim.key, message)
                blamed.add(claim.where)
                if not claim.key:
                    break


def _claimed(spec: Spec | None) -> list[list[Claim]]:
    entries = spec.entries if spec else ()
    counts = Counter(entry.schema.name for entry in entries)
    return [list(claims(entry, counts[entry.schema.name] > 1)) for entry in entries]


def claims(entry: Entry, has_overloads: bool) -> Iterator[Claim]:
    own = entry.schema.name
    functions = [(own, own, "the name")]
    functions += [(entry.function, entry.name, "the function")] if has_overloads or entry.schema.overload else []
    for name, owner, what in functions:
        yield Claim(name, owner, what, entry, entry.where)
        if "inplace" in entry.variants:
            yield Claim(f"{name}_", owner, INPLACE_FUNCTION, entry, entry.where)
    for alias, where in zip(entry.aliases, entry.alias_locations, strict=True):
        yield Claim(alias, own, "an alias", entry, where, "aliases")
        if "inplace" in entry.variants:
            yield Claim(f"{alias}_", own, "an alias of the in-place function", entry, where, "aliases")
    for method in special_methods(entry.operator or ""):
        where = entry.key_locations["operator"]
        yield Claim(method, own, "the operator", entry, where, "operator", entry.operator or "")


def _conflict(claim: Claim, other: Claim) -> str:
    if claim.entry is other.entry:
        if claim is other or claim.key != "aliases":
            return ""
        if claim.name != other.name:
            return f"'{claim.name}' and '{other.name}' differ in case only"
        return f"'{claim.name}' is given twice" if other.key else f"'{claim.name}' is {other.what} of the op itself"
    by_schema = not claim.key and not other.key
    if by_schema and claim.entry.name == other.entry.name:
        return f"duplicate entry, first at {other.where}"
    if claim.name != other.name:
        return f"'{claim.name}' and '{other.name}' differ in case only: {other}"
    if other.from_base:
        extends = not claim.key and claim.owner == other.owner and claim.entry.schema.overload
        package = PurePosixPath(other.entry.where.file).parent.name or "specgrad"
        has_name = claim.key or claim.entry.schema.overload
        hint = "" if has_name else f"; an overload of it is named, as {claim.name}.Mine"
        reported = str(other) if claim.spelt else f"{package} has an op of this name: {other}{hint}"
        return "" if extends else reported
    if claim.owner == other.owner:
        return ""
    if by_schema and INPLACE_FUNCTION not in (claim.what, other.what):
        return f"{other.entry.name} is the same in Python, first at {other.where}"
    return str(other)
