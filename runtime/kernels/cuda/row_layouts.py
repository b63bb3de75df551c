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


def index32(x: Any) -> Any:
    return uint32(x)


def index64(x: Any) -> Any:
    return uint64(x)


def begin_rows(layout: Any, r: Any) -> Any:
    return index(r * layout[0])


def row_offset(layout: Any, start: Any, i: Any) -> Any:
    return index(start + i)


def begin_columns(layout: Any, r: Any) -> Any:
    q = index(r // layout[1])
    return index(index(index(q * layout[0]) * layout[1]) + index(r - index(q * layout[1])))


def column_offset(layout: Any, start: Any, i: Any) -> Any:
    return index(start + index(i * layout[1]))


def begin_segments(layout: Any, r: Any) -> Any:
    return index(r * layout[0])


def segment_offset(layout: Any, start: Any, i: Any) -> Any:
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
    "rows": (begin_rows, row_offset, shared_by_all),  # (n,)
    "columns": (begin_columns, column_offset, shared_by_all),  # (n, after)
    "segments": (begin_segments, segment_offset, shared_by_all),  # (inner, rows * inner)
    "channels": (begin_segments, segment_offset, shared_by_samples),  # (..., groups, channels of a group)
    "groups": (begin_rows, row_offset, shared_in_groups),  # (n, groups, channels of a group, elements of a channel)
}


def names_of_layout(target: Target, kind: str, needs_int64: bool) -> dict[str, Any]:
    """What a kernel calls of its layout, by name; `needs_int64` says that 32 bits do not reach all places."""
    offset_type = target.device(index64 if needs_int64 else index32)
    begin, element_offset, shared = (target.device(function, index=offset_type) for function in LAYOUTS[kind])
    return {"begin": begin, "element_offset": element_offset, "shared_offset": shared}
