"""Calls with examples of batches that are made again later, when the vmaps that they were made in may be over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from .levels import is_running, running_levels, vmap_level
from .tensor import BatchedMethods, wrap


class Levels:
    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels = running_levels()

    @contextmanager
    def running(self) -> Iterator[Mapping[int, int]]:
        """Inside, all of them run: new ones stand for those that are over. Gives the number of each by the old one."""
        with ExitStack() as stack:
            numbers = {}
            for number, size, randomness in self.levels:
                over = not is_running(number)
                numbers[number] = stack.enter_context(vmap_level(size, randomness)) if over else number
            yield numbers


def bared(tensor: Any) -> tuple[Any, list[int]]:
    """All examples of all levels of a tensor, and the numbers of these levels, the innermost first."""
    levels = []
    while isinstance(tensor, BatchedMethods):
        levels.append(tensor.level)
        tensor = tensor.value
    return tensor, levels


def as_examples(value: Any, levels: list[int], numbers: Mapping[int, int]) -> Any:
    """A whole batch from `bared` as an example again, of the vmaps that stand for its levels now."""
    for level in reversed(levels):
        value = wrap(value, numbers[level])
    return value
