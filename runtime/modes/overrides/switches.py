"""Whether a thread asks arguments and modes for their `__torch_function__`, and blocks in which it does not."""

from __future__ import annotations

from typing import Any

from ..thread_state import PerThread


class Overriding(PerThread):
    """Of one thread: whether arguments are asked, and the modes that are, the innermost last.

    In a backward pass no arguments are; `outside` says whether they were where it began.
    """

    def __init__(self) -> None:
        self.arguments = True
        self.outside = True
        self.modes: list[Any] = []


state = Overriding()


class DisableTorchFunctionSubclass:
    """A block in which no argument's `__torch_function__` is asked; modes still are."""

    def __init__(self) -> None:
        self.before = state.arguments

    def __enter__(self) -> None:
        self.before, state.arguments = state.arguments, False

    def __exit__(self, *error: object) -> None:
        state.arguments = self.before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A block in which neither arguments nor modes are asked."""

    def __enter__(self) -> None:
        super().__enter__()
        self.modes, state.modes = state.modes, []

    def __exit__(self, *error: object) -> None:
        super().__exit__()
        state.modes = self.modes
