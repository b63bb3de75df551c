"""Starting a backward pass: its class, the thread's mode meanwhile, and other threads where passes nest deep."""

from __future__ import annotations

import contextvars
import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

from ...modes.grad_mode import mode
from ...modes.intercept import watch
from ...modes.overrides.switches import state as overriding
from ...modes.thread_state import set_states_here, states_here
from ..hooks.hooks import registered
from ..hooks.leaves import propagate_with_hooks
from .engine import BackwardPass
from .inputs import Capture


def run(edges: list[Any], grads: list[Any], retain: bool, create: bool, capture: Capture | None = None) -> None:
    """Propagate `grads` from `edges` to the leaves (or to what `capture` asks for)."""
    state = mode.__dict__  # of this thread
    before, depth = state["grad"], state["depth"]
    if depth == DEEPEST:
        return in_new_thread(run, edges, grads, retain, create, capture)
    create = create and not state["inference"]
    state["grad"], state["depth"] = create or None, depth + 1
    asking = overriding.__dict__
    needs_arguments, outside = asking["arguments"], asking["outside"]
    asking["arguments"], asking["outside"] = False, needs_arguments  # formulas are no calls of the user's
    if capture is not None:
        state["captures"] += 1
    try:
        pass_class = watched_pass(watch.passes) if watch.passes else BackwardPass
        backward_pass = pass_class(retain, create, capture)
        if registered.leaf_hooks:
            propagate_with_hooks(backward_pass, edges, grads)
        else:
            backward_pass.propagate(edges, grads)
    finally:
        state["grad"], state["depth"] = before, depth
        asking["arguments"], asking["outside"] = needs_arguments, outside
        if capture is not None:
            state["captures"] -= 1


@functools.cache
def watched_pass(watching: tuple[type, ...]) -> Any:
    """One class of backward passes out of those of all watchers; it may have attributes of its own."""
    return type("WatchedPass", watching, {})


DEEPEST = 24  # so many nested passes share a stack, which leaves each 40 frames of Python's limit of 1,000


def in_new_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in another thread, which sees the states of this one, and wait for what it returns or raises.

    At the interpreter's end, in a finaliser, no thread can start any more.
    """
    if sys.is_finalizing():
        return function(*args)
    matches: list[Any] = []
    raised: list[BaseException] = []
    states, context = states_here(), contextvars.copy_context()

    def work() -> None:
        set_states_here(states)
        mode.depth = 0
        try:
            matches.append(context.run(function, *args))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work, name="nested backward")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return matches[0]
