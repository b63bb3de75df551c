"""Datasets: samples by index, or one after the other; parts of datasets, and several joined."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

from ...generated.tensor import Tensor
from ...runtime.errors import warn_user
from ...runtime.methods.argument_guard import explained
from ...runtime.ops.creation import randperm, tensor
from ...runtime.tensor.generator import Generator

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Samples by index: a subclass defines `__getitem__` and, for most samplers, `__len__`.

    It may also define `__getitems__(indices)`, which gives the list of a batch's samples at once.

    Example:
        >>> class Squares(sg.utils.data.Dataset):
        ...     def __len__(self):
        ...         return 4
        ...     def __getitem__(self, index):
        ...         return index**2
        >>> [batch.tolist() for batch in sg.utils.data.DataLoader(Squares(), batch_size=2)]
        [[0, 1], [4, 9]]
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> Any:
        return ConcatDataset([self, other])

    def _repr_html_(self) -> str:
        from ...runtime.extensions.display.html import data_html  # notebooks ask for it

        return data_html(self)


class IterableDataset(Dataset[T_co]):
    """Samples one after the other: a subclass defines `__iter__`.

    With several workers each iterates a copy of its own; `get_worker_info` tells a copy which part is its share.

    Example:
        >>> class Squares(sg.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return (i**2 for i in range(4))
        >>> [batch.tolist() for batch in sg.utils.data.DataLoader(Squares(), batch_size=2)]
        [[0, 1], [4, 9]]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Sample i is the tuple of the i-th entries of some tensors.

    Args:
        tensors: tensors of equal first size.

    Raises: AssertionError: their first sizes differ.

    Example:
        >>> sg.utils.data.TensorDataset(sg.tensor([1.0, 2.0]), sg.tensor([3, 4]))[1]
        (tensor(2.), tensor(4))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(t.size(0) != tensors[0].size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)

    def collated(self, indices: Sequence[int]) -> list[Tensor] | None:
        """The batch of the samples `indices`, as default_collate gives it, by one index; None in subclasses."""
        if type(self) is not TensorDataset:
            return None
        rows = tensor(list(indices))
        return [t[rows] for t in self.tensors]


class Subset(Dataset[T_co]):
    """Some samples of a dataset.

    Args:
        dataset: the whole.
        indices: which samples.

    Example:
        >>> data = sg.utils.data.TensorDataset(sg.arange(5))
        >>> sg.utils.data.Subset(data, [3, 1])[0]
        (tensor(3),)
    """

    dataset: Dataset[T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> T_co:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        chosen = [self.indices[i] for i in indices]
        if hasattr(self.dataset, "__getitems__"):
            return self.dataset.__getitems__(chosen)
        return [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)

    def collated(self, indices: Sequence[int]) -> Any:
        """The batch of the samples `indices`, as default_collate gives it, where one index suffices; else None."""
        if type(self) is not Subset or not hasattr(self.dataset, "collated"):
            return None
        return self.dataset.collated([self.indices[i] for i in indices])


def random_split(
    dataset: Dataset[T_co], lengths: Sequence[int | float], generator: Generator | None = None
) -> list[Subset[T_co]]:
    """Divide a dataset at random into parts that do not overlap.

    Args:
        dataset: the dataset; it has a length.
        lengths: sizes that sum to it, or fractions that sum to 1: what rounding down leaves over goes to the first
            parts, one each.
        generator: source of the order.

    Raises: ValueError: the sizes do not sum to the length, or a fraction is not in [0, 1].

    Example:
        >>> parts = sg.utils.data.random_split(range(10), [0.75, 0.25])
        >>> [len(part) for part in parts]
        [8, 2]
    """
    total = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = _sizes_of_fractions(lengths, total)
    else:
        sizes = [int(length) for length in lengths]
    if sum(sizes) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    for number, size in enumerate(sizes):
        if size == 0:
            warn_user(f"Length of split at index {number} is 0. This might result in an empty dataset.")
    order = randperm(total, generator=generator).tolist()
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _sizes_of_fractions(fractions: Sequence[float], total: int) -> list[int]:
    for number, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {number} is not between 0 and 1")
    sizes = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(sizes)):
        sizes[i % len(sizes)] += 1
    return sizes


class ConcatDataset(Dataset[Any]):
    """The samples of several datasets, one dataset after the other; `first + second` makes one of two.

    Args:
        datasets: datasets with a length.

    Raises: AssertionError: there are none, or one without indices.

    Example:
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
    """The samples of several iterable datasets, one dataset after the other; `first + second` makes one of two.

    Args:
        datasets: iterable datasets.

    Raises: AssertionError: while iterating: one is no IterableDataset.

    Example:
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

    Raises: ValueError: no datasets, datasets of both kinds, or of different lengths.

    Example:
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
        return dict(zip(self.datasets, items, strict=True)) if isinstance(self.datasets, dict) else tuple(items)

    def __getitem__(self, index: int) -> Any:
        return self._sample(part[index] for part in self._parts())

    def __getitems__(self, indices: list[int]) -> list[Any]:
        columns = []
        for part in self._parts():
            has_getitems = callable(getattr(part, "__getitems__", None))
            columns.append(part.__getitems__(indices) if has_getitems else [part[index] for index in indices])
            if len(columns[-1]) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(columns[-1])}"
                )
        return [self._sample(items) for items in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return len(self._parts()[0])
