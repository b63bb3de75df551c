"""Checks and shape rules that entries do not name: functions of the op's name, `max_dim` or `max` for `max.dim`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..spec.model import Entry, Spec
from .op_library import KEYS, OpLibrary

BIN_SEARCH = {
    "check": "check",
    "shape": "meta",
}  # fields of an entry whose functions are found, and the keys that name them


def with_parts_by_name(spec: Spec, op_library: OpLibrary | None) -> Spec:
    if op_library is None:
        return spec
    names = {field: frozenset(part.name for part in op_library.tables[KEYS[key]]) for field, key in BIN_SEARCH.items()}
    return replace(spec, entries=tuple(_with_parts(entry, names) for entry in spec.entries))


def _with_parts(entry: Entry, names: dict[str, frozenset[str]]) -> Entry:
    results = {field: name for field in BIN_SEARCH if (name := _own_part(entry, field, names[field])) is not None}
    if not results:
        return entry
    locations = entry.key_locations | {BIN_SEARCH[field]: entry.where for field in results}
    return replace(entry, key_locations=locations, **results)  # type: ignore[arg-type]


def _own_part(entry: Entry, field: str, names: Collection[str]) -> str | None:
    if BIN_SEARCH[field] in entry.key_locations or (field == "shape" and entry.compute.kind != "kernel"):
        return None
    return next((name for name in (entry.identifier, entry.schema.name) if name in names), None)
