"""Who hears of calls of process groups: a profiler while it records, else nobody, and then nothing is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Ended = Callable[[], object]  # what is called when that ends whose beginning was told


class Listener(Protocol):
    """One that hears of calls: of each its `Work`."""

    def begun(self, work: Any) -> Ended:
        """A call begins; what is returned is called when it is complete, or has failed."""

    def waits(self, work: Any) -> Ended:
        """The program begins to wait for a call; what is returned is called when it goes on."""

    def drives(self) -> Ended:
        """The program begins to drive on what is under way; what is returned is called when it has."""


class Observed:
    __slots__ = ("listener", "rank", "size")

    def __init__(self) -> None:
        self.listener: Listener | None = None
        self.rank = 0
        self.size = 1


observed = Observed()
