"""A computation of independent parts, which several threads share where it is large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..workers import in_parts

LARGE = 1 << 24  # products from this many on are worth a second thread


def in_parts_if_large(loops: Callable[..., Any], arguments: tuple[Any, ...], parts: int, products: int) -> None:
    """Loops over parts, each of which writes results of its own; they take the range of parts after their arguments."""
    if products < LARGE:
        loops(*arguments, 0, parts)
    else:
        in_parts(parts, 1, lambda first, last: loops(*arguments, first, last))


class Work(NamedTuple):
    """Loops that are ready but for the arrays, which come first among their arguments."""

    loops: Callable[..., Any]
    arguments: tuple[Any, ...]
    parts: int
    products: int  # of all parts together

    def on(self, *arrays: Any) -> None:
        """Do all of it."""
        in_parts_if_large(self.loops, (*arrays, *self.arguments), self.parts, self.products)
