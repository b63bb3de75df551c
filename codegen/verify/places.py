"""The entries of the ops under check, read off the spec when there is something to show of them.

Generated code knows no lines. The generator's own reader gives them, so they are exact however the YAML is laid out.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ..library.homes import Home, Library
from ..spec.load import load_spec
from ..spec.model import Entry


def spec_entry(op: Any) -> Entry | None:
    """The entry of an op with the places of its keys; None where the spec is gone or no longer holds it."""
    return entries_of(op.spec).get(op.name)


@cache
def entries_of(spec: str | Path) -> dict[str, Entry]:
    """The entries of a spec by name, each file read once."""
    path = Path(spec)
    home = Home(path.resolve().parent, "", relative=True, label="own")
    functions, _ = Library((home,)).functions  # formulas are derived from them, and stand where expressions do
    return load_spec(path, path.name, functions)[0].by_name()


def has_key(op: Any, key: str) -> bool:
    """Whether an op's entry says something under a key."""
    entry = spec_entry(op)
    return entry is not None and key in entry.key_places
