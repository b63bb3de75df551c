"""Steps of pipes that are iterated: where samples come from, what is done to each, and in which order they come."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ....runtime.creation import randint
from ....runtime.errors import type_name
from .base import IterDataPipe, functional_datapipe


class IterableWrapper(IterDataPipe[Any]):
    """The items of an iterable as samples.

    Args:
        iterable: the items.
        deepcopy: whether each pass has a copy of them.
    """

    def __init__(self, iterable: Iterable[Any], deepcopy: bool = True) -> None:
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self) -> Iterator[Any]:
        return iter(copy.deepcopy(self.iterable) if self.deepcopy else self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)  # type: ignore[arg-type]


@functional_datapipe("map")
class Mapper(IterDataPipe[Any]):
    """A function of each sample.

    Args:
        datapipe: the samples.
        fn: the function.
    """

    def __init__(self, datapipe: Any, fn: Callable[[Any], Any]) -> None:
        self.datapipe, self.fn = datapipe, fn

    def __iter__(self) -> Iterator[Any]:
        return map(self.fn, self.datapipe)

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("filter")
class Filter(IterDataPipe[Any]):
    """The samples of which something is true.

    Args:
        datapipe: the samples.
        filter_fn: says of a sample whether it is, by a bool.

    Raises:
        ValueError: `filter_fn` returns something else.
    """

    def __init__(self, datapipe: Any, filter_fn: Callable[[Any], bool]) -> None:
        self.datapipe, self.filter_fn = datapipe, filter_fn

    def __iter__(self) -> Iterator[Any]:
        return filter(self._passes_filter, self.datapipe)

    def _passes_filter(self, sample: Any) -> bool:
        result: Any = self.filter_fn(sample)
        if not isinstance(result, bool):
            raise ValueError(f"filter: Boolean output is required for `filter_fn`, got {type_name(result)}")
        return result


@functional_datapipe("concat")
class Concater(IterDataPipe[Any]):
    """The samples of several pipes, one pipe after the other.

    Args:
        *datapipes: the pipes.
    """

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self) -> int:
        return sum(len(pipe) for pipe in self.datapipes)


@functional_datapipe("zip")
class Zipper(IterDataPipe[Any]):
    """Tuples of the samples of several pipes, as many as the shortest has.

    Args:
        *datapipes: the pipes.
    """

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        return zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(len(pipe) for pipe in self.datapipes)


@functional_datapipe("shuffle")
class Shuffler(IterDataPipe[Any]):
    """The samples in random order: each is chosen among those in a buffer.

    Args:
        datapipe: the samples.
        buffer_size: how many samples wait.
    """

    def __init__(self, datapipe: Any, *, buffer_size: int = 10000) -> None:
        if buffer_size <= 0:
            raise ValueError("buffer_size should be larger than 0")
        self.datapipe, self.buffer_size = datapipe, buffer_size

    def __iter__(self) -> Iterator[Any]:
        waiting: list[Any] = []
        for sample in self.datapipe:
            if len(waiting) < self.buffer_size:
                waiting.append(sample)
                continue
            chosen = int(randint(0, len(waiting), ()))
            yield waiting[chosen]
            waiting[chosen] = sample
        while waiting:
            yield waiting.pop(int(randint(0, len(waiting), ())))

    def __len__(self) -> int:
        return len(self.datapipe)
