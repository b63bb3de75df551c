"""Memory that belongs to graphs: blocks that were allocated in captures, by the allocator's lists.

What is freed in a capture is given out again in that one or in a later one of the same pool, never elsewhere: replays
write to it for as long as one of the pool's graphs lives.
"""

from __future__ import annotations

import itertools
from typing import Any

_numbers = itertools.count(1)


class PrivatePool:
    """The blocks of graphs that share memory on one device."""

    def __init__(self, handle: tuple[int, int]) -> None:
        self.handle = handle
        self.size_classes: dict[tuple[int, int], Any] = {}  # by stream and size class
        self.graphs = 0  # that live, or are captured
        self.blocks = 0  # that the driver has given


def new_handle() -> tuple[int, int]:
    return next(_numbers), 0
