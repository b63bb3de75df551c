"""Datasets made of others: one after the other, or side by side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from ...runtime.arguments import explained
from .dataset import Dataset, IterableDataset


class ConcatDataset(Dataset[Any]):
    """The samples of several datasets, one dataset after the other; `first + second` is the same of two.

    Args:
        datasets: datasets with a length.

    Raises:
        AssertionError: there are none, or one without indices.

    Example:
        >>> import specgrad as sg
        >>> joined = sg.utils.data.ConcatDataset([range(3), range(10, 12)])
        >>> len(joined), joined[3], joined[-1]
        (5, 10, 11)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(len(part) for part in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    @explained
    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        number = bisect_right(self.cumulative_sizes, index)
        before = self.cumulative_sizes[number - 1] if number else 0
        return self.datasets[number][index - before]


class ChainDataset(IterableDataset[Any]):
    """The samples of several iterable datasets, one dataset after the other; `first + second` is the same of two.

    Args:
        datasets: iterable datasets.

    Raises:
        AssertionError: while iterating: one is no IterableDataset.

    Example:
        >>> import specgrad as sg
        >>> class Letters(sg.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter("ab")
        >>> list(sg.utils.data.ChainDataset([Letters(), Letters()]))
        ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for part in self.datasets:
            _require_iterable(part)
            yield from part

    def __len__(self) -> int:
        total = 0
        for part in self.datasets:
            _require_iterable(part)
            total += len(part)
        return total


def _require_iterable(part: Any) -> None:
    if not isinstance(part, IterableDataset):
        raise AssertionError("ChainDataset only supports IterableDataset")


class StackDataset(Dataset[Any]):
    """Samples side by side: sample i is the tuple, or the dict, of the samples i of all datasets.

    Args:
        *args: datasets of equal length, for tuples.
        **kwargs: the same by name, for dicts.

    Raises:
        ValueError: no datasets, datasets of both kinds, or of different lengths.

    Example:
        >>> import specgrad as sg
        >>> sg.utils.data.StackDataset("abc", range(3))[1]
        ('b', 1)
        >>> sg.utils.data.StackDataset(letter="abc", number=range(3))[1]
        {'letter': 'b', 'number': 1}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        self.datasets: Any = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        if len({len(part) for part in self._parts()}) > 1:
            raise ValueError("Size mismatch between datasets")

    def _parts(self) -> list[Any]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _sample(self, items: Iterable[Any]) -> Any:
        """The items of all datasets as one sample."""
        return dict(zip(self.datasets, items, strict=True)) if isinstance(self.datasets, dict) else tuple(items)

    def __getitem__(self, index: int) -> Any:
        return self._sample(part[index] for part in self._parts())

    def __getitems__(self, indices: list[int]) -> list[Any]:
        """The samples of a batch, from datasets that give a batch at once where they can."""
        columns = []
        for part in self._parts():
            together = callable(getattr(part, "__getitems__", None))
            columns.append(part.__getitems__(indices) if together else [part[index] for index in indices])
            if len(columns[-1]) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(columns[-1])}"
                )
        return [self._sample(items) for items in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return len(self._parts()[0])
