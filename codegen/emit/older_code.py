"""Older forms of a call, `x.add(alpha, other)`, which PyTorch has deprecated and takes: the key `deprecated`.

A function that has some takes as many more arguments by place as they need. Where these are given, the form that the
values fit says what each of them is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..spec.model import Entry
from .properties import Properties


def extra_positional(entries: Iterable[Entry]) -> list[str]:
    """The names of the parameters behind those that have places, as many as the longest older form of any needs."""
    entries = list(entries)
    longest = max((len(form) for entry in entries for form in entry.deprecated), default=0)
    plain = sum(not a.keyword_only for a in entries[0].schema.arguments)
    return [f"more{k}" for k in range(1, longest - plain + 1)]


def deprecated_calls(
    function: str, args: Sequence[str], codes: Sequence[Properties], has_out: bool = False
) -> list[str]:
    """The lines that hand a call with more arguments by place than the function has to its older forms."""
    more = extra_positional(code.entry for code in codes)
    if not more:
        return []
    forms = tuple(form for code in codes for form in _typed(code))
    named = codes[0].arguments
    options = "".join(f"({a.python_name!r}, {a.python_name}, {a.python_default}), " for a in named if a.keyword_only)
    out = ", out" if has_out else ""
    call = f"call_deprecated_signature({function}, {forms!r}, ({', '.join([*args, *more])}), ({options}){out})"
    return [f"if {more[0]} is not None:", f"    return {call}"]


def _typed(code: Properties) -> list[tuple[tuple[str, str], ...]]:
    """Each older form: (name, type) of its arguments in their order."""
    arguments = {a.name: a for a in code.arguments}
    return [tuple((arguments[n].python_name, code.match_type(arguments[n])) for n in f) for f in code.entry.deprecated]
