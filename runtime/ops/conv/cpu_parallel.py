"""A computation of independent parts, which several threads share where it is large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ...kernels.cpu.matmul import PRODUCTS
from ...pool.parallel_for import shared


class Work(NamedTuple):
    """Loops that are ready but for the arrays, which come first among their arguments."""

    loops: Callable[..., Any]
    arguments: tuple[Any, ...]
    parts: int
    products: int  # of all parts together

    def on(self, *arrays: Any) -> None:
        """Do all of it."""
        shared(self.loops, (*arrays, *self.arguments), self.parts, self.products // PRODUCTS)
