"""The vmaps that are running, per thread, and what they make of random numbers."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from ..modes.intercept import Watcher, watch
from ..modes.thread_state import PerThread

RANDOMNESS = ("error", "same", "different")
_numbers = itertools.count(1)


class VmapLevel(NamedTuple):
    """One running vmap: its number, larger than those around it, how many examples it has, and its `randomness`."""

    number: int
    size: int
    randomness: str


class _Running(PerThread):
    def __init__(self) -> None:
        self.levels: tuple[VmapLevel, ...] = ()
        self.numbers: tuple[int, ...] = ()  # also of those that a rule is `outside` of


_running = _Running()
_watcher = Watcher()


def let_watch(watcher: Watcher) -> None:
    """Register the functions that intercept ops and custom Functions while a vmap runs: this module knows no rules."""
    global _watcher
    _watcher = watcher


def running_levels() -> tuple[VmapLevel, ...]:
    return _running.levels


def is_running(number: int) -> bool:
    """Whether this thread is inside the vmap of a number, be it in a rule that computes on its batches."""
    return number in _running.numbers


class vmap_level:
    """Inside, ops on tensors of the level that `with` gives compute whole batches."""

    __slots__ = ("before", "level", "numbers")

    def __init__(self, size: int, randomness: str) -> None:
        self.level = VmapLevel(next(_numbers), size, randomness)

    def __enter__(self) -> int:
        self.before, self.numbers = _running.levels, _running.numbers
        number = self.level.number
        _running.levels, _running.numbers = (*self.before, self.level), (*self.numbers, number)
        watch.enter("vmap", _watcher)
        return number

    def __exit__(self, *_: object) -> None:
        watch.leave("vmap")
        _running.levels, _running.numbers = self.before, self.numbers


class outside:
    """Inside, the vmap of a number and those further in are not running: rules compute on whole batches."""

    __slots__ = ("before", "number")

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> None:
        self.before = levels = _running.levels
        while levels and levels[-1].number >= self.number:
            levels = levels[:-1]
        _running.levels = levels

    def __exit__(self, *_: Any) -> None:
        _running.levels = self.before
