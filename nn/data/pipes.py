"""Data pipes: the classes to derive from, their methods, and the steps that come with them."""

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from ...runtime.errors import type_name
from ...runtime.ops.creation import randint
from .collate import default_collate
from .dataset import Dataset, IterableDataset
from .sampler import batch_count, batches

__all__ = ["IterDataPipe", "MapDataPipe", "functional_datapipe"]

T_co = TypeVar("T_co", covariant=True)
AnyClass = TypeVar("AnyClass", bound=type)


class _Functional:
    """The part of a pipe that finds steps by the names that they were registered under."""

    functions: ClassVar[dict[str, Callable[..., Any]]]

    def __getattr__(self, name: str) -> Any:
        if name in self.functions:
            function = self.functions[name]
            return lambda *args, **kwargs: function(self, *args, **kwargs)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Make a method `function_name` of all pipes: `function(pipe, ...)`."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Callable[..., Any], enable_df_api_tracing: bool = False
    ) -> None:
        """Make a method `function_name` of all pipes, which gives `cls_to_register(pipe, ...)`.

        `enable_df_api_tracing` has no meaning: there are no data frames.
        """
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register


class IterDataPipe(_Functional, IterableDataset[T_co]):
    """A dataset of samples one after the other, whose methods are further steps.

    Example:
        >>> from specgrad.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).filter(lambda n: n % 2 == 0).map(str).batch(2))
        [['0', '2'], ['4']]
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}

    def reset(self) -> None:
        """Called before each pass: nothing is kept from one to the next."""


class MapDataPipe(_Functional, Dataset[T_co]):
    """A dataset of samples by index, whose methods are further steps."""

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


def functional_datapipe(name: str, enable_df_api_tracing: bool = False) -> Callable[[AnyClass], AnyClass]:
    """A decorator that makes a class of pipes a method of pipes.

    Args:
        name: the name of the method.
        enable_df_api_tracing: has no meaning: there are no data frames.

    Raises: TypeError: the class is none of pipes.

    Example:
        >>> from specgrad.utils.data import IterDataPipe, functional_datapipe
        >>> from specgrad.utils.data.datapipes.iter import IterableWrapper
        >>> @functional_datapipe("doubled")
        ... class Doubled(IterDataPipe):
        ...     def __init__(self, source):
        ...         self.source = source
        ...     def __iter__(self):
        ...         return (2 * item for item in self.source)
        >>> list(IterableWrapper([1, 2]).doubled())
        [2, 4]
    """

    def register(cls: AnyClass) -> AnyClass:
        if not issubclass(cls, (IterDataPipe, MapDataPipe)):
            raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")
        cls.register_datapipe_as_function(name, cls)
        return cls

    return register


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

    Raises: ValueError: `filter_fn` returns something else.
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
        return map(self.wrapper_class, batches(self.datapipe, self.batch_size, self.drop_last))

    def __len__(self) -> int:
        return batch_count(len(self.datapipe), self.batch_size, self.drop_last)


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
