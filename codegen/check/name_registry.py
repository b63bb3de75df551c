"""The one registry of names: what every entry claims, in a spec and in the one that it builds on, and who was first.

All functions of a package stand in one module, whatever their namespace; `Tensor` has one special method for an
operator; an overload's kernels have files of its name. So a name has one owner: the function that it is, whose
overloads share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ..spec.model import Entry, Problem, Spec, Where
from ..spec.operators import special_methods

IN_PLACE = "the in-place function"


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
    older: bool = False  # of the spec that this one builds on

    def __str__(self) -> str:
        return f"'{self.spelt or self.name}' is {self.what} of {self.entry.name}, at {self.where}"


def name_problems(spec: Spec, base: Spec | None) -> Iterator[Problem]:
    """What two entries claim, or one entry twice, at the place of the second claim."""
    first: dict[str, Claim] = {}
    for claim in (claim for entry in _claimed(base) for claim in entry):
        first.setdefault(claim.name.lower(), replace(claim, older=True))
    for entry in _claimed(spec):
        yield from _second_claims(entry, first)


def _second_claims(own: list[Claim], first: dict[str, Claim]) -> Iterator[Problem]:
    """The problems of one entry: that its op has no name of its own, or that others are taken, once for each place."""
    blamed: set[Where] = set()
    for claim in own:
        message = _conflict(claim, first.setdefault(claim.name.lower(), claim))
        if message and claim.where not in blamed:
            yield Problem(claim.where, claim.entry.name, claim.key, message)
            blamed.add(claim.where)
            if not claim.key:
                return


def _claimed(spec: Spec | None) -> list[list[Claim]]:
    entries = spec.entries if spec else ()
    counts = Counter(entry.schema.name for entry in entries)
    return [list(claims(entry, counts[entry.schema.name] > 1)) for entry in entries]


def claims(entry: Entry, has_overloads: bool) -> Iterator[Claim]:
    """Every public name of an entry, those of its schema first."""
    own = entry.schema.name
    overload = entry.identifier if entry.schema.overload else f"{own}_default"
    functions = [(own, own, "the name")]
    functions += [(overload, entry.name, "the function")] if has_overloads or entry.schema.overload else []
    for name, owner, what in functions:
        yield Claim(name, owner, what, entry, entry.where)
        if "inplace" in entry.variants:
            yield Claim(f"{name}_", owner, IN_PLACE, entry, entry.where)
    for alias, where in zip(entry.aliases, entry.alias_places, strict=True):
        yield Claim(alias, own, "an alias", entry, where, "aliases")
        if "inplace" in entry.variants:
            yield Claim(f"{alias}_", own, "an alias of the in-place function", entry, where, "aliases")
    for method in special_methods(entry.operator or ""):
        yield Claim(method, own, "the operator", entry, entry.key_places["operator"], "operator", entry.operator or "")


def _conflict(claim: Claim, other: Claim) -> str:
    """What is wrong with a claim beside the first one to the name; empty where nothing is."""
    if claim.entry is other.entry:
        return _conflict_within(claim, other)
    by_schema = not claim.key and not other.key
    if by_schema and claim.entry.name == other.entry.name:
        return f"duplicate entry, first at {other.where}"
    if claim.name != other.name:
        return f"'{claim.name}' and '{other.name}' differ in case only: {other}"
    if other.older:
        extends = not claim.key and claim.owner == other.owner and claim.entry.schema.overload
        said = str(other) if claim.spelt else f"{_package(other)} has an op of this name: {other}{_hint(claim)}"
        return "" if extends else said
    if claim.owner == other.owner:
        return ""
    if by_schema and IN_PLACE not in (claim.what, other.what):
        return f"{other.entry.name} is the same in Python, first at {other.where}"
    return str(other)


def _package(claim: Claim) -> str:
    """The package that an entry of a base is from."""
    folder = PurePosixPath(claim.entry.where.file).parent.name
    return folder or "specgrad"


def _hint(claim: Claim) -> str:
    """How to add an overload, where that may have been meant."""
    return "" if claim.key or claim.entry.schema.overload else f"; an overload of it is named, as {claim.name}.Mine"


def _conflict_within(claim: Claim, other: Claim) -> str:
    """An alias that the entry has already, as an alias or as its name."""
    if claim is other or claim.key != "aliases":
        return ""
    if claim.name != other.name:
        return f"'{claim.name}' and '{other.name}' differ in case only"
    return f"'{claim.name}' is given twice" if other.key else f"'{claim.name}' is {other.what} of the op itself"
