"""A computation of independent parts, which several threads share where it is large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..workers import in_parts

LARGE = 1 << 24  # products from this many on are worth a second thread


class Work(NamedTuple):
    """Loops over parts, each of which writes results of its own."""

    loops: Callable[..., Any]  # take arrays, then arguments, then the range of parts
    arguments: tuple[Any, ...]
    parts: int
    products: int  # of all parts together

    def on(self, *arrays: Any) -> None:
        """Do all of it."""
        if self.products < LARGE:
            self.loops(*arrays, *self.arguments, 0, self.parts)
        else:
            in_parts(self.parts, 1, lambda first, last: self.loops(*arrays, *self.arguments, first, last))
