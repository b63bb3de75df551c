"""What ranks tell each other when something goes wrong: who still waits in which call, and who has failed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .errors import DistBackendError
from .observers import ranks_text
from .peers import END, texts

_GRACE = 0.5  # seconds in which ranks whose time is up at about the same moment hear of each other
_PAUSE = 0.005  # seconds between looks
_WAITS = "waits in"
_pending: list[Any] = []  # notices under way


def tag(group: Any) -> int:
    return int(group.control.last_tag)


def give(group: Any, text: str) -> None:
    data = np.frombuffer(text.encode(), np.uint8)
    for rank in range(group.size()):
        if rank != group.rank():
            _pending.append(group.control.send(data, rank, tag(group)))


def heard(group: Any) -> dict[int, str]:
    """What others have told since this was last asked, by their ranks in the world."""
    return {group.ranks[source]: text for source, text in texts(group.control, tag(group), _pending)}


def look(group: Any, work: Any) -> None:
    """While a call waits: end it where another rank has given up, or has ended."""
    messages = {**heard(group), **group.lost()}
    if messages:
        error = DistBackendError(f"{group.about(work)}: {combined_message(group, work, messages)}")
        with group._lock:
            if not work._ended:
                work.end(error)


def combined_message(group: Any, work: Any, messages: dict[int, str]) -> str:
    """Tell the others that this rank waits, and hear who does too; a rank that has failed is told of at once.

    A rank at the end of its program may have done this call, which another that is stopped or dead keeps from its end.
    """
    give(group, f"{_WAITS} {work.call_description}")
    end = time.monotonic() + _GRACE
    while time.monotonic() < end and len(messages) < group.size() - 1 and not _has_reason(messages):
        time.sleep(_PAUSE)
        messages |= {**heard(group), **group.lost()}
    silent = [rank for rank in group.ranks if rank not in messages and rank != group.ranks[group.rank()]]
    if any(not text.startswith(_WAITS) for text in messages.values()):
        silent = [rank for rank in silent if group.state(rank)]
    parts = [f"rank {rank} {text}" for rank, text in sorted(messages.items())]
    if silent:
        parts.append(f"{ranks_text([f'{rank}{group.state(rank)}' for rank in silent])} did not answer")
    return "; ".join(parts)


def _has_reason(messages: dict[int, str]) -> bool:
    return any(not text.startswith((_WAITS, END)) for text in messages.values())
