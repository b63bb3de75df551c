"""Datasets that worker processes read, and what is asked of loaders and workers."""

from collections.abc import Iterator
from typing import Any

from specgrad.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from tests.patience import comes_true


class Numbers(Dataset[Any]):
    """0, 1, ... n - 1, with a task for some indices."""

    def __init__(self, n: int, act: Any = None) -> None:
        self.n = n
        self.act = act

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> Any:
        return index if self.act is None else self.act(index)


class Shares(IterableDataset[int]):
    """Worker w of k gives w, w + k, w + 2k, ... below n."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        assert info is not None
        return iter(range(info.id, self.n, info.num_workers))


def forked(dataset: Any, **options: Any) -> DataLoader:
    """A loader with workers that are forked, whatever this Python does by default: they know local functions, which
    cannot be sent."""
    return DataLoader(dataset, multiprocessing_context="fork", **options)


def lists(loader: Any) -> list[Any]:
    """The batches of a pass, as lists of numbers."""
    return [batch.tolist() for batch in loader]


def gone(processes: list[Any]) -> bool:
    """Whether all processes end, now or after a while."""
    return comes_true(lambda: not any(p.is_alive() for p in processes))
