"""What is costly to make and is kept by a key: so many of them, the one that was not used for longest goes first."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class CachedHandles(Generic[Value]):
    """Values by key.

    Args:
        most: how many are kept.
        forget: called with each value that goes.
    """

    def __init__(self, max_entries: int, forget: Callable[[Value], object] | None = None) -> None:
        self.max_entries, self.forget = max_entries, forget
        self.values: dict[Hashable, Value] = {}  # the last one used last

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key; a new one takes the place of that which was not used for the longest time."""
        if key in self.values:
            self.values[key] = self.values.pop(key)
            return self.values[key]
        if len(self.values) >= self.max_entries:
            gone = self.values.pop(next(iter(self.values)))
            if self.forget is not None:
                self.forget(gone)
        self.values[key] = made = make()
        return made
