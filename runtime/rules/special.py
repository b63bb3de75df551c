"""Argument rules of special functions."""

from __future__ import annotations

from typing import Any


def nonnegative_order(op: str, n: int, self: Any) -> tuple[Any, ...]:
    """The order of a derivative is not negative."""
    if n < 0:
        raise RuntimeError(f"{op}(): expected an order n >= 0, but got {n}")
    return n, self


def positive_order(op: str, self: Any, p: int) -> tuple[Any, ...]:
    """The number of dimensions is positive."""
    if p < 1:
        raise RuntimeError(f"{op}(): expected p >= 1, but got {p}")
    return self, p
