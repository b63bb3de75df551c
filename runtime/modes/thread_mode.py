"""`mode`: what a thread has switched on or off."""

from __future__ import annotations

from .per_thread import PerThread


class Mode(PerThread):
    """The state of one thread: `grad` says that graphs are recorded, `inference` that they cannot be.

    `grad` is None in a backward pass that records nothing: nobody will ask how the views made there were made.
    `depth` is the number of backward passes that run within one another, `captures` how many of them were asked for
    the gradients of certain inputs only.
    """

    def __init__(self) -> None:
        self.grad: bool | None = True
        self.inference = False
        self.depth = 0
        self.captures = 0


mode = Mode()
