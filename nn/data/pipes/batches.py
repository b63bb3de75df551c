"""Samples in lists, and lists as samples again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..collate import default_collate
from .base import IterDataPipe, functional_datapipe


class DataChunk(list[Any]):
    """The samples of a batch before they are collated."""

    def raw_iterator(self) -> Iterator[Any]:
        """The samples, one after the other."""
        return iter(self)


@functional_datapipe("batch")
class Batcher(IterDataPipe[Any]):
    """Samples in lists.

    Args:
        datapipe: the samples.
        batch_size: length of the lists.
        drop_last: leave out a last list that is shorter.
        wrapper_class: makes a batch of a list.
    """

    def __init__(
        self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: type = DataChunk
    ) -> None:
        if not isinstance(batch_size, int):
            raise TypeError(f"batch(): expected batch_size to be an int, but got {type(batch_size).__name__}")
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last = datapipe, batch_size, drop_last
        self.wrapper_class = wrapper_class

    def __iter__(self) -> Iterator[Any]:
        samples = iter(self.datapipe)
        while batch := list(islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.wrapper_class(batch)

    def __len__(self) -> int:
        full, rest = divmod(len(self.datapipe), self.batch_size)
        return full if self.drop_last or not rest else full + 1


@functional_datapipe("unbatch")
class UnBatcher(IterDataPipe[Any]):
    """The samples of lists.

    Args:
        datapipe: the lists.
        unbatch_level: how deep lists in lists are opened; -1 for all.
    """

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        if unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator[Any]:
        for item in self.datapipe:
            yield from _opened(item, self.unbatch_level)


def _opened(item: Any, level: int) -> Iterator[Any]:
    if level == 0 or not isinstance(item, list):
        yield item
        return
    for inner in item:
        yield from _opened(inner, level - 1)


@functional_datapipe("collate")
class Collator(IterDataPipe[Any]):
    """Lists of samples as batches of tensors.

    Args:
        datapipe: the lists.
        collate_fn: makes a batch of a list; `default_collate` when left out.
    """

    def __init__(self, datapipe: Any, collate_fn: Any = None) -> None:
        self.datapipe = datapipe
        self.collate_fn = collate_fn or default_collate

    def __iter__(self) -> Iterator[Any]:
        return (self.collate_fn(item) for item in self.datapipe)

    def __len__(self) -> int:
        return len(self.datapipe)
