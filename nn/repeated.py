"""One number for all dimensions, and each number twice: what layers written for PyTorch do to their sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any


def ntuple(count: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple: of what can be iterated over, or of one value `count` times."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, count))

    parse.__name__ = name
    return parse


def reverse_repeated(t: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """The elements from the last one on, each `n` times."""
    return tuple(x for x in reversed(t) for _ in range(n))
