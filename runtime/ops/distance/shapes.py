"""Shape rules of distances."""

from __future__ import annotations

from typing import Any

from ...shapes import Shape


def pairs_of_one(x: Any, p: float) -> Shape:
    """Pairs of different rows."""
    return (x.shape[0] * (x.shape[0] - 1) // 2,)


def pairs_of_rows(x1: Any, x2: Any, p: float) -> Shape:
    """The rows of one matrix by those of the other."""
    return (*x1.shape[:-1], x2.shape[-2])
