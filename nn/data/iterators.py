"""One pass over a DataLoader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...runtime.extensions.profiler.named_ranges import record_function
from ...runtime.tensor.observers import watch
from .collate import pinned

if TYPE_CHECKING:
    from .processes import WorkerPool


class _LoaderIterator:
    shown_as = ""  # what profilers call the making of a batch

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self.loader)

    def __next__(self) -> Any:
        if not watch.active:
            return pinned(self._next_batch(), self.loader.pin_memory)
        with record_function(f"enumerate(DataLoader)#{self.shown_as}.__next__"):
            return pinned(self._next_batch(), self.loader.pin_memory)

    def _next_batch(self) -> Any:
        raise NotImplementedError


class OneProcessIterator(_LoaderIterator):
    """Makes each batch when it is asked for."""

    shown_as = "_SingleProcessDataLoaderIter"

    def __init__(self, loader: Any, fetch: Callable[[Any], Any], order: Iterator[Any]) -> None:
        super().__init__(loader)
        self.fetch, self.order = fetch, order

    def _next_batch(self) -> Any:
        return self.fetch(next(self.order))


class WorkersIterator(_LoaderIterator):
    """Takes batches from worker processes, which end with it unless the loader keeps them."""

    shown_as = "_MultiProcessingDataLoaderIter"

    def __init__(self, loader: Any, pool: WorkerPool, order: Iterator[Any]) -> None:
        super().__init__(loader)
        self.pool: WorkerPool | None = pool
        self.number = pool.start_pass(order)

    def _next_batch(self) -> Any:
        pool = self.pool
        if pool is None or pool.passes != self.number:  # ended, or the loader is in a later pass
            raise StopIteration
        try:
            return pool.next_batch()
        except StopIteration:
            self.pool = None
            if not self.loader.persistent_workers:
                pool.close()
            raise
