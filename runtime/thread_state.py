"""State of each thread, `mode` above all, and how a thread that goes on in the place of another gets the same."""

import threading
from typing import Any

_states: "list[PerThread]" = []


class PerThread(threading.local):
    """Base class of such states: each thread sees attributes of its own, which `__init__` sets."""

    def __new__(cls, *args: Any, **kwargs: Any) -> "PerThread":
        state = super().__new__(cls, *args, **kwargs)
        _states.append(state)
        return state

    def restored(self) -> None:
        """This thread has the attributes of another now."""


def states_here() -> list[dict[str, Any]]:
    return [dict(state.__dict__) for state in _states]


def set_states_here(result: list[dict[str, Any]]) -> None:
    for state, attributes in zip(_states, result, strict=False):
        state.__dict__.update(attributes)
        state.restored()


NOWHERE = -1  # no depth of backward passes


class Mode(PerThread):
    """`grad`: graphs are recorded; None in a backward pass that records nothing: nobody asks how its views were made.

    `inference`: they cannot be; None in the function of a transform, whose graph may keep inference tensors. `depth`:
    the backward passes within one another; `captures`: those of them asked for certain inputs only. `autocast`: the
    depth at which ops are cast; what a backward pass calls inside autocast is not. `transform`: the number of the call
    by a transform that runs (tensor/captured.py), 0 for none."""

    def __init__(self) -> None:
        self.grad: bool | None = True
        self.inference: bool | None = False
        self.depth = 0
        self.captures = 0
        self.autocast = NOWHERE
        self.transform = 0


mode = Mode()
