"""State that every thread has for itself, and how a thread that goes on in the place of another gets the same."""

from __future__ import annotations

import threading
from typing import Any

_states: list[PerThread] = []


class PerThread(threading.local):
    """Base class of such states: each thread sees attributes of its own, which `__init__` sets."""

    def __new__(cls, *args: Any, **kwargs: Any) -> PerThread:
        state = super().__new__(cls, *args, **kwargs)
        _states.append(state)
        return state


def states_here() -> list[dict[str, Any]]:
    """The attributes of all states as this thread sees them."""
    return [dict(state.__dict__) for state in _states]


def set_states_here(found: list[dict[str, Any]]) -> None:
    """Let this thread see what `states_here` found in another."""
    for state, attributes in zip(_states, found, strict=False):
        state.__dict__.update(attributes)
