"""Fetching: from what the sampler gives (a list of indices, an index, nothing) to a batch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from .collate import default_collate
from .dataset import IterableDataset


class Source(NamedTuple):
    """Dataset, collate function and mode of loading: all that a worker needs to make batches.

    `batch_size` is that of iterable datasets; `in_batches` says that samples are made into batches at all.
    """

    dataset: Any
    collate_fn: Callable[[Any], Any]
    in_batches: bool
    batch_size: int | None
    drop_last: bool

    def fetcher(self) -> Callable[[Any], Any]:
        """A function from what the sampler gives to a batch; StopIteration when an iterable dataset ends."""
        if isinstance(self.dataset, IterableDataset):
            return _IterableFetcher(self)
        return self._fetch_batch if self.in_batches else self._fetch_sample

    def _fetch_batch(self, indices: list[int]) -> Any:
        dataset = self.dataset
        if self.collate_fn is default_collate and hasattr(dataset, "collated"):
            batch = dataset.collated(indices)
            if batch is not None:
                return batch
        if getattr(dataset, "__getitems__", None):
            return self.collate_fn(dataset.__getitems__(indices))
        return self.collate_fn([dataset[index] for index in indices])

    def _fetch_sample(self, index: Any) -> Any:
        return self.collate_fn(self.dataset[index])


class _IterableFetcher:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.samples = iter(source.dataset)

    def __call__(self, _: Any) -> Any:
        source = self.source
        if not source.in_batches:
            return source.collate_fn(next(self.samples))
        samples = list(islice(self.samples, source.batch_size))
        if not samples or (source.drop_last and len(samples) < (source.batch_size or 0)):
            raise StopIteration
        return source.collate_fn(samples)
