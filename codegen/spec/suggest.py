"""The nearest known name, for the end of an error message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 100  # letters of a name that could be a slip of the pen


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` for the known name nearest to `name`, or nothing when none is near."""
    if len(name) > LONGEST:
        return ""
    known = sorted(set(known))
    folded = {each.lower(): each for each in known}
    if folded.get(name.lower(), name) != name:
        return f" (did you mean '{folded[name.lower()]}'?)"
    matches = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean '{matches[0]}'?)" if matches else ""
