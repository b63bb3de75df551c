"""The nearest known name, for the end of an error message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` for the known name nearest to `name`, or nothing when none is near."""
    near = difflib.get_close_matches(name, sorted(set(known)), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
