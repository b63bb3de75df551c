"""Shape rules of distances."""

from typing import Any

from ...shapes import Shape


def pairs_of_one(x: Any, p: float) -> Shape:
    return (x.shape[0] * (x.shape[0] - 1) // 2,)


def pairs_of_rows(x1: Any, x2: Any, p: float) -> Shape:
    return (*x1.shape[:-1], x2.shape[-2])
