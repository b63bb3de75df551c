"""The vmaps that are running, per thread, and what they make of random numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..autograd.grad_mode import Watcher, watch
from ..per_thread import PerThread

RANDOMNESS = ("error", "same", "different")
_numbers = itertools.count(1)


class VmapLevel(NamedTuple):
    """One running vmap: its number, larger than those around it, how many examples it has, and its `randomness`."""

    number: int
    size: int
    randomness: str


class _Running(PerThread):
    def __init__(self) -> None:
        self.levels: list[VmapLevel] = []


_running = _Running()


def running_levels() -> tuple[VmapLevel, ...]:
    """The vmaps of this thread, outermost first."""
    return tuple(_running.levels)


@contextmanager
def vmap_level(size: int, randomness: str) -> Iterator[int]:
    """Inside, ops on tensors of the level yielded compute whole batches."""
    from .intercept import intercept

    level = VmapLevel(next(_numbers), size, randomness)
    _running.levels.append(level)
    watch.enter("vmap", Watcher(lift=intercept, order=10))
    try:
        yield level.number
    finally:
        watch.leave("vmap")
        _running.levels.pop()


@contextmanager
def outside(level: int) -> Iterator[Any]:
    """Inside, this vmap and those further in are not running: rules compute on whole batches."""
    before = _running.levels
    _running.levels = [other for other in before if other.number < level]
    try:
        yield
    finally:
        _running.levels = before
