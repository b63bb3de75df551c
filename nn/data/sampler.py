"""Samplers: the order in which samples are drawn from a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

from ...runtime.creation import randint, randperm
from ...runtime.random import Generator

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """Base class of samplers: a subclass defines `__iter__`, and `__len__` where the number is known.

    Example:
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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

    Raises:
        ValueError: the number is not positive.

    Example:
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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

    Raises:
        ValueError: batch_size is no positive int, or drop_last no bool.

    Example:
        >>> import specgrad as sg
        >>> list(sg.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _check_positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        full, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return full if self.drop_last or not rest else full + 1


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")
