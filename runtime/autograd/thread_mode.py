"""`mode`: what a thread has switched on or off."""

from __future__ import annotations

from ..per_thread import PerThread


class Mode(PerThread):
    """The state of one thread: `grad` says that graphs are recorded, `inference` that they cannot be.

    `depth` is the number of backward passes that run within one another.
    """

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.depth = 0


mode = Mode()
