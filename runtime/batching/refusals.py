"""What one example of a batch cannot be asked: its values, as they are those of all examples at once."""

from __future__ import annotations

from .levels import is_running

ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor, or reading its memory. We don't support vmap over calling "
    ".item() on a Tensor, please try to rewrite what you're doing with other operations: one example of a batch has no "
    "values of its own while the function runs for all of them at once"
)
CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. All examples of a "
    "batch take the same way through a function: use where() to choose between values"
)
ESCAPED = (
    "vmap: your tensor may have escaped from inside a function being vmapped: it is one example of a batch, and the "
    "vmap that it belongs to is not running. Return what is needed outside from the function"
)


def refusal(level: int, why: str) -> RuntimeError:
    """The error for an example of a level: why it has no values, or that its vmap is over."""
    return RuntimeError(why if is_running(level) else ESCAPED)
