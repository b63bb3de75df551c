"""Samplers: the order in which samples are drawn, all of them, a process's share, or with given probabilities."""

import math
from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

from ...runtime.ops.creation import as_tensor, multinomial, randint, randperm
from ...runtime.tensor.dtypes import float64
from ...runtime.tensor.generator import Generator

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """Base class of samplers: a subclass defines `__iter__`, and `__len__` where the number is known.

    Example:
        >>> class Backwards(sg.utils.data.Sampler):
        ...     def __init__(self, data):
        ...         self.data = data
        ...     def __iter__(self):
        ...         return iter(range(len(self.data) - 1, -1, -1))
        >>> list(Backwards("abc"))
        [2, 1, 0]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler[int]):
    """The indices from first to last.

    Args:
        data_source: what is indexed.

    Example:
        >>> list(sg.utils.data.SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices in random order.

    Args:
        data_source: what is indexed.
        replacement: draw each index independently of those before.
        num_samples: how many to draw; the size of the data when left out.
        generator: source of the order.

    Raises: ValueError: the number is not positive.

    Example:
        >>> sorted(sg.utils.data.RandomSampler("abc"))
        [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _check_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """The number of indices drawn; the data may change its size between two passes."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        size = len(self.data_source)
        if self.replacement:
            return iter(randint(0, size, (self.num_samples,), generator=self.generator).tolist())
        return islice(self._permutations(size), self.num_samples)

    def _permutations(self, size: int) -> Iterator[int]:
        while True:
            yield from randperm(size, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order.

    Args:
        indices: the indices.
        generator: source of the order.

    Example:
        >>> sorted(sg.utils.data.SubsetRandomSampler([4, 2]))
        [2, 4]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        return (self.indices[i] for i in randperm(len(self.indices), generator=self.generator).tolist())

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler in lists.

    Args:
        sampler: the other sampler, or any iterable.
        batch_size: length of the lists.
        drop_last: leave out a last list that is shorter.

    Raises: ValueError: batch_size is no positive int, or drop_last no bool.

    Example:
        >>> list(sg.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _check_positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        return batches(self.sampler, self.batch_size, self.drop_last)

    def __len__(self) -> int:
        return batch_count(len(self.sampler), self.batch_size, self.drop_last)  # type: ignore[arg-type]


def batches(items: Iterable[Any], size: int, drop_last: bool) -> Iterator[list[Any]]:
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        if len(batch) == size or not drop_last:
            yield batch


def batch_count(count: int, size: int, drop_last: bool) -> int:
    return count // size if drop_last else -(-count // size)


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class DistributedSampler(Sampler[int]):
    """The indices that one of several processes draws; all of them together draw each, and some twice for equal shares.

    Args:
        dataset: what is indexed.
        num_replicas: how many processes there are; as many as ranks of the default process group when left out.
        rank: the number of this process, from 0; its rank there when left out.
        shuffle: whether the order is random, another one in each epoch, the same in all processes.
        seed: what the order starts from, the same in all processes.
        drop_last: whether shares are made equal by leaving samples out, and not by drawing some twice.

    Raises: ValueError: one is left out and there is no process group, or rank is not one of 0 to num_replicas - 1.

    Example:
        >>> samplers = [sg.utils.data.DistributedSampler(range(5), 2, rank, shuffle=False) for rank in (0, 1)]
        >>> [list(sampler) for sampler in samplers]
        [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            from ...runtime.extensions.distributed.world import get_rank, get_world_size

            num_replicas = get_world_size() if num_replicas is None else num_replicas
            rank = get_rank() if rank is None else rank
        for name, number in (("num_replicas", num_replicas), ("rank", rank)):
            if not isinstance(number, int):
                raise TypeError(f"DistributedSampler(): {name} must be an int, but got {type(number).__name__}")
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch = 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        size = len(dataset)
        self.num_samples = size // num_replicas if drop_last else math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        indices = list(range(size))
        if self.shuffle:
            indices = randperm(size, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        if not self.drop_last and indices:
            indices *= math.ceil(self.total_size / size)
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose the order: call it with the number of the `epoch` before each."""
        self.epoch = epoch


class WeightedRandomSampler(Sampler[int]):
    """Indices 0, 1, ... drawn with probabilities in proportion to weights, as for classes of different sizes.

    Args:
        weights: a number for each index; they need not sum to 1.
        num_samples: how many to draw.
        replacement: whether an index may be drawn more than once.
        generator: source of the random numbers.

    Raises: ValueError: the number is not positive, or the weights are no sequence of numbers.

    Example:
        >>> list(sg.utils.data.WeightedRandomSampler([0.0, 1.0, 0.0], 3))
        [1, 1, 1]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        _check_positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        result: Any = as_tensor(weights, dtype=float64)
        if result.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(result.shape)}")
        self.weights = result
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        sampled_indices = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(sampled_indices.tolist())

    def __len__(self) -> int:
        return self.num_samples
