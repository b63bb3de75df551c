"""Messages from rank to rank: each comes with a line that says what it is, which who receives it compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..transport.link import ANY, Request
from . import header
from .work import Steps, raw


def line(kind: str, count: int) -> str:
    """What sender and receiver say of a message alike.

    Args:
        kind: the dtype.
        count: how many numbers it has.
    """
    return header.called("message", kind, [count])


def mark(group: Any, call_description: str, to: int, tag: int) -> tuple[Request, Callable[[], str | None]] | None:
    """Send the line of a message, unless lines are left out."""
    return (group.control.send(header.field(call_description), to, tag), lambda: None) if header.checking else None


def received(group: Any, flat: np.ndarray, expected: str, source: int, tag: int, then: Callable[[], object]) -> Steps:
    """What the sender says of the message, and the message; of whoever is first, what it says tells who that is.

    Both begin at once where the sender is known, so that messages are received in the order of the calls.
    """
    data = None if source == ANY and header.checking else group.link.receive(raw(flat), source, tag)
    if header.checking:
        field = np.empty(header.LENGTH, np.uint8)
        call_description = group.control.receive(field, source, tag)
        yield call_description
        result = header.field_text(field)
        if result != expected:
            sender = group.ranks[call_description.source]
            raise ValueError(f"rank {sender} has sent a {result}, but this rank expects a {expected}")
        source = call_description.source
    yield data or group.link.receive(raw(flat), source, tag)
    then()
