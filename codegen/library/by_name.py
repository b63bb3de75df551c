"""Checks and shape rules that entries do not name: functions of the package with the op's own name.

An entry `max.dim` finds `max_dim` or, of all overloads of a function, `max`. `check: none` says that a function of the
name is not meant.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..spec.model import Entry, Spec
from .homes import KEYS, Home

FOUND = {"check": "check", "shape": "meta"}  # fields of an entry whose functions are found, and the keys that name them


def with_parts_by_name(spec: Spec, home: Home | None) -> Spec:
    """The spec, with the functions of its own package that its entries have by their names."""
    if home is None:
        return spec
    names = {field: frozenset(part.name for part in home.tables[KEYS[key]]) for field, key in FOUND.items()}
    return replace(spec, entries=tuple(_with_parts(entry, names) for entry in spec.entries))


def _with_parts(entry: Entry, names: dict[str, frozenset[str]]) -> Entry:
    found = {field: name for field in FOUND if (name := _own_part(entry, field, names[field])) is not None}
    if not found:
        return entry
    places = entry.key_places | {FOUND[field]: entry.where for field in found}
    return replace(entry, key_places=places, **found)  # type: ignore[arg-type]


def _own_part(entry: Entry, field: str, names: Collection[str]) -> str | None:
    """The function of the entry's name that a field would name; None where it does, or none is needed."""
    if FOUND[field] in entry.key_places or (field == "shape" and entry.compute.kind != "kernel"):
        return None
    return next((name for name in (entry.identifier, entry.schema.name) if name in names), None)
