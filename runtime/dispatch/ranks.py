"""`Ranks`: the group of an op that is a collective, whether the ranks are processes or parts of a tensor."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Finish = Callable[[], np.ndarray]  # waits for a call that is under way, and gives what this rank has then


class Ranks(ABC):
    """A group of ranks, as kernels see it.

    An array is one for each rank, or the same on all ("replicated"). Where all ranks are in one process, arrays of the
    first kind have a first dimension with a part for each."""

    leading = 0  # how many dimensions arrays have in front of those of a rank

    @abstractmethod
    def size(self) -> int:
        """How many ranks there are."""

    @abstractmethod
    def members(self) -> list[Any]:
        """The ranks that this process is: itself, or all."""

    @abstractmethod
    def parts(self, array: np.ndarray) -> list[np.ndarray]:
        """What each of these ranks has of an array that has one for each."""

    @abstractmethod
    def copies(self, array: np.ndarray) -> list[np.ndarray]:
        """What each of these ranks has of an array that is the same on all."""

    @abstractmethod
    def run(self, begun: Sequence[Finish]) -> list[np.ndarray]:
        """Wait for calls that these ranks have begun."""

    @abstractmethod
    def stacked(self, result: Sequence[np.ndarray]) -> np.ndarray:
        """The array of what each of these ranks has."""


_default: list[Callable[[], Ranks]] = []


def offer_default(find: Callable[[], Ranks]) -> None:
    """`find` gives the default group of processes."""
    _default[:] = [find]


def chosen(group: Ranks | None) -> Ranks:
    """The group that a call is about, the default one for None."""
    if group is not None:
        return group
    if not _default:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _default[0]()
