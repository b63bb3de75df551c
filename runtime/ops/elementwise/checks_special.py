"""Argument checks of special functions."""

from __future__ import annotations

from typing import Any

MOST = 1_000_000  # steps of a loop; what asks for more was no order


def nonnegative_order(op: str, n: int, self: Any) -> tuple[Any, ...]:
    """The order of a derivative is not negative."""
    if n < 0:
        raise RuntimeError(f"{op}(): expected an order n >= 0, but got {n}")
    return n, self


def positive_order(op: str, self: Any, p: int) -> tuple[Any, ...]:
    """The number of dimensions is positive, and one that can be counted to."""
    if p < 1:
        raise RuntimeError(f"{op}(): expected p >= 1, but got {p}")
    if p > MOST:
        raise RuntimeError(f"{op}(): expected p <= {MOST}, but got {p}")
    return self, p
