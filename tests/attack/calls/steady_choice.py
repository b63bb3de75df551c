"""Draws that stay what they are when names are added: with a new public name the other calls of a seed do not change.

Source: Karger et al., Consistent hashing and random trees (1997).
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterable
from typing import Generic, TypeVar
from zlib import crc32

Item = TypeVar("Item")
POINTS = 32  # of each item on the circle: the more, the more alike are their chances


class SteadyChoice(Generic[Item]):
    """Items on a circle, where each stands at places that its key alone decides."""

    def __init__(self, items: Iterable[tuple[str, Item]]) -> None:
        placed = [(crc32(f"{key} {point}".encode()), key, item) for key, item in items for point in range(POINTS)]
        placed.sort(key=lambda one: one[:2])
        self._indices = [index for index, _, _ in placed]
        self._items = [item for _, _, item in placed]

    def sampled(self, rng: random.Random) -> Item:
        """The first item after a random place."""
        return self._items[bisect(self._indices, rng.getrandbits(32)) % len(self._items)]
