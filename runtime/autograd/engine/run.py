"""Starting a backward pass: its class, the thread's mode while it runs, and what to do when passes nest deep."""

from __future__ import annotations

import functools
from typing import Any

from ...modes.grad_mode import mode, watch
from ..hooks.hooks import registered
from ..hooks.leaves import propagate_with_hooks
from .capture import Capture
from .engine import BackwardPass
from .reentrant import DEEPEST, in_new_thread


def run(edges: list[Any], grads: list[Any], retain: bool, create: bool, capture: Capture | None = None) -> None:
    """Propagate `grads` from `edges` to the leaves (or to what `capture` asks for)."""
    state = mode.__dict__  # of this thread
    before, depth = state["grad"], state["depth"]
    if depth == DEEPEST:
        return in_new_thread(run, edges, grads, retain, create, capture)
    state["grad"], state["depth"] = create or None, depth + 1
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
        if capture is not None:
            state["captures"] -= 1


@functools.cache
def watched_pass(watching: tuple[type, ...]) -> Any:
    """One class of backward passes out of those of all watchers; it may have attributes of its own."""
    return type("WatchedPass", watching, {})
