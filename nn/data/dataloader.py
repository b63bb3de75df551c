"""DataLoader: batches of a dataset, made in this process or by worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, Generic

from ...runtime.errors import type_name
from ...runtime.extensions.profiler.named_ranges import record_function
from ...runtime.ops.creation import randint
from ...runtime.tensor.generator import Generator
from ...runtime.tensor.observers import watch
from .collate import Source, default_collate, default_convert, pinned
from .dataset import Dataset, IterableDataset, T_co
from .sampler import BatchSampler, RandomSampler, SequentialSampler, batch_count

if TYPE_CHECKING:
    from .processes import WorkerPool

Collate = Callable[[list[Any]], Any]
WorkerInit = Callable[[int], None]
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader(Generic[T_co]):
    """Batches of a dataset, in an order, ready to be trained on.

    Args:
        dataset: what is loaded, by index or (IterableDataset) one after the other.
        batch_size: samples in a batch; None gives single samples.
        shuffle: a new random order in every pass.
        sampler: the order, if another one is wanted.
        batch_sampler: lists of indices, one per batch; instead of the four arguments before and drop_last.
        num_workers: processes that make batches; 0 makes them in this process when they are asked for.
        collate_fn: makes a batch of a list of samples; default_collate when left out.
        pin_memory: give tensors in page-locked memory, where there is a CUDA device.
        drop_last: leave out a last batch that is smaller.
        timeout: seconds to wait for a worker's batch; 0 waits as long as the worker lives.
        worker_init_fn: called in each worker with its number.
        multiprocessing_context: 'fork', 'spawn', 'forkserver', or a context.
        generator: source of the order and of the workers' seeds.
        prefetch_factor: batches that each worker makes ahead; 2 when left out.
        persistent_workers: keep the workers from one pass to the next.
        pin_memory_device: accepted for compatibility.
        in_order: accepted for compatibility; batches always come in order.

    Raises: ValueError: arguments that exclude each other, or out of range.

    Example:
        >>> data = sg.utils.data.TensorDataset(sg.arange(5))
        >>> [batch.tolist() for (batch,) in sg.utils.data.DataLoader(data, batch_size=2)]
        [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Dataset[T_co] | Sequence[T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset: Any = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers > 0 else prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.timeout, self.worker_init_fn = timeout, worker_init_fn
        if multiprocessing_context is not None and num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={num_workers}"
            )
        chosen = multiprocessing_context
        self.multiprocessing_context = None if chosen is None else _processes().context_of(chosen)
        self.generator, self.persistent_workers = generator, persistent_workers
        self.in_order = in_order
        self._is_iterable = isinstance(dataset, IterableDataset)
        if self._is_iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        _check_exclusive(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.batch_size = None if batch_sampler is not None else batch_size
        self.drop_last = drop_last
        self.sampler = self._default_sampler(shuffle) if sampler is None else sampler
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self._pool: WorkerPool | None = None
        self._complete = True

    def _default_sampler(self, shuffle: bool | None) -> Iterable[Any]:
        if self._is_iterable:
            return _Endless()
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)
        return SequentialSampler(self.dataset)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and self.__dict__.get("_complete"):
            raise ValueError(f"{name} attribute should not be set after DataLoader is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        # A seed is drawn with and without workers, so that their number does not change what comes next.
        seed = int(randint(0, 2**62, (), generator=self.generator))
        order = self._index_sampler
        if self.num_workers == 0:
            return OneProcessIterator(self, self._source().fetcher(), iter(order))
        pool = self._pool if self._pool is not None and self._pool.is_running() else self._new_pool(seed)
        if self.persistent_workers:
            self._pool = pool
        return WorkersIterator(self, pool, iter(order))

    @property
    def _dataset_kind(self) -> int:
        """Whether samples have indices: trainers that make a loader like another ask for this and the next two."""
        return DatasetKind.Iterable if self._is_iterable else DatasetKind.Map

    @property
    def _auto_collation(self) -> bool:
        """Whether a batch is made of samples, rather than by the dataset: loaders of other libraries say otherwise."""
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def _source(self) -> Source:
        return Source(self.dataset, self.collate_fn, self._auto_collation, self.batch_size, self.drop_last)

    def _new_pool(self, seed: int) -> WorkerPool:
        processes = _processes()
        context = self.multiprocessing_context or processes.context_of(None)
        init_fn, prefetch = self.worker_init_fn, self.prefetch_factor or 2
        return processes.WorkerPool(context, self.num_workers, seed, self._source(), init_fn, prefetch, self.timeout)

    def __len__(self) -> int:
        if self._is_iterable and self.batch_size is not None:
            return batch_count(len(self.dataset), self.batch_size, self.drop_last)
        if self._is_iterable:
            return len(self.dataset)
        return len(self._index_sampler)


def _processes() -> Any:
    """The module of worker processes, which few programs need and multiprocessing makes slow to import."""
    from . import processes

    return processes


class DatasetKind:
    """How samples are found: by their index, or one after the other."""

    Map = 0
    Iterable = 1


class _Endless:
    """The sampler of iterable datasets: the dataset says when it ends."""

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


def _check_workers(count: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    if not isinstance(count, int):
        raise TypeError(f"num_workers option should be an int, but got {type_name(count)}")
    if count < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if count == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing. Let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch is not None and prefetch < 1:
        raise ValueError("prefetch_factor option should be positive")
    if persistent and count == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    arguments = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def _check_exclusive(batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool) -> None:
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_size is None and batch_sampler is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


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
