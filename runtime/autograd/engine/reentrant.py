"""Backward passes within backward passes: those that are nested deep go on in threads with stacks of their own."""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable
from typing import Any

from ...modes.grad_mode import mode
from ...modes.thread_mode import set_states_here, states_here

DEEPEST = 24  # so many nested passes share a stack, which leaves each 40 frames of Python's limit of 1,000


def in_new_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in another thread, which sees the states of this one, and wait for what it returns or raises.

    At the interpreter's end, in a finaliser, no thread can start any more.
    """
    if sys.is_finalizing():
        return function(*args)
    found: list[Any] = []
    raised: list[BaseException] = []
    states, context = states_here(), contextvars.copy_context()

    def work() -> None:
        set_states_here(states)
        mode.depth = 0
        try:
            found.append(context.run(function, *args))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work, name="nested backward")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return found[0]
