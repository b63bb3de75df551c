"""Where the elements of rows lie in memory, and those of numbers that rows share.

A layout is a tuple of sizes that a kernel is given, and the functions that read it. Of an array seen as (before, along,
after), a row is what lies along; of one seen as (outer, rows, inner), a row is what lies in the first and the last.
"""

from __future__ import annotations

from typing import Any

from .kernel import Target
from .vocabulary import uint32, uint64

# Texts name it; a kernel has its own in its place: the type of places in memory.
index: Any = None


def near(x: Any) -> Any:
    return uint32(x)


def far(x: Any) -> Any:
    return uint64(x)


def begin_rows(layout: Any, r: Any) -> Any:
    return index(r * layout[0])


def place_rows(layout: Any, start: Any, i: Any) -> Any:
    return index(start + i)


def begin_columns(layout: Any, r: Any) -> Any:
    q = index(r // layout[1])
    return index(index(index(q * layout[0]) * layout[1]) + index(r - index(q * layout[1])))


def place_columns(layout: Any, start: Any, i: Any) -> Any:
    return index(start + index(i * layout[1]))


def begin_segments(layout: Any, r: Any) -> Any:
    return index(r * layout[0])


def place_segments(layout: Any, start: Any, i: Any) -> Any:
    q = index(i // layout[0])
    return index(start + index(index(q * layout[1]) + index(i - index(q * layout[0]))))


def shared_by_all(layout: Any, r: Any, i: Any) -> Any:
    return i


def shared_in_groups(layout: Any, r: Any, i: Any) -> Any:
    q = index(r // layout[1])
    return index(index(index(r - index(q * layout[1])) * layout[2]) + index(i // layout[3]))


def shared_by_samples(layout: Any, r: Any, i: Any) -> Any:
    return index(index(index(i // layout[0]) * layout[2]) + index(r // layout[3]))


LAYOUTS = {
    "rows": (begin_rows, place_rows, shared_by_all),  # (n,)
    "columns": (begin_columns, place_columns, shared_by_all),  # (n, after)
    "segments": (begin_segments, place_segments, shared_by_all),  # (inner, rows * inner)
    "channels": (begin_segments, place_segments, shared_by_samples),  # (..., groups, channels of a group)
    "groups": (begin_rows, place_rows, shared_in_groups),  # (n, groups, channels of a group, elements of a channel)
}


def names_of_layout(target: Target, kind: str, is_far: bool) -> dict[str, Any]:
    """What a kernel calls of its layout, by name; `is_far` says that 32 bits do not reach all places."""
    of_places = target.device(far if is_far else near)
    begin, place, shared = (target.device(function, index=of_places) for function in LAYOUTS[kind])
    return {"begin": begin, "place": place, "shared_place": shared}
