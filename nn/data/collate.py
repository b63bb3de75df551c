"""Making one batch of many samples: fetching them, collating by a table of classes, and page-locked memory."""

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from ...generated.ops import stack
from ...generated.tensor import Tensor
from ...runtime.device.device import cuda_available
from ...runtime.errors import ArgumentError, type_name
from ...runtime.ops.creation import as_tensor, tensor
from ...runtime.tensor.dtypes import float64
from .dataset import IterableDataset


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one batch: tensors, arrays and numbers become a tensor with a new first dimension.

    Mappings and sequences are collated entry by entry; strings and bytes stay lists. Floats become float64.

    Args:
        batch: samples of one structure.

    Raises:
        TypeError: a sample holds something else.
        RuntimeError: sequences differ in length, or tensors in shape.

    Example:
        >>> sg.utils.data.default_collate([{"x": 1}, {"x": 2}])
        {'x': tensor([1, 2])}
    """
    if not len(batch):
        raise IndexError("default_collate: expected at least one sample, but the batch is empty")
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, np.ndarray) and first.dtype.kind not in "USO":
        return stack([as_tensor(array) for array in batch])
    if isinstance(first, float):
        return tensor(list(batch), dtype=float64)
    if isinstance(first, int) or (isinstance(first, np.generic) and first.dtype.kind not in "USO"):
        return tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return like_mapping(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, Sequence):
        return _collate_sequences(first, batch, default_collate)
    result = first.dtype if isinstance(first, (np.ndarray, np.generic)) else type(first)
    raise TypeError(default_collate_err_msg_format.format(result))


def _collate_sequences(first: Sequence[Any], batch: Sequence[Any], collate: Callable[[Any], Any]) -> Any:
    if set(map(len, batch)) != {len(first)}:
        raise RuntimeError("each element in list of batch should be of equal size")
    return like_sequence(first, [collate(column) for column in zip(*batch, strict=True)])


def default_convert(data: Any) -> Any:
    """One sample with its arrays as tensors: what is done to samples when batches are not made automatically.

    Args:
        data: a sample: an array, or a mapping or sequence of samples; anything else stays as it is.

    Example:
        >>> import numpy, specgrad as sg
        >>> sg.utils.data.default_convert([numpy.arange(2), "a"])
        [tensor([0, 1]), 'a']
    """
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind not in "USO":
        return as_tensor(data)
    if isinstance(data, Mapping):
        return like_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return like_sequence(data, [default_convert(value) for value in data])
    return data


def like_mapping(original: Mapping[Any, Any], entries: dict[Any, Any]) -> Any:
    if isinstance(original, MutableMapping):
        made = copy.copy(original)
        made.update(entries)
        return made
    return _made(type(original), entries)


def like_sequence(original: Sequence[Any], entries: list[Any]) -> Any:
    """The entries in a sequence of the original's class, where one can be made; tuples become lists."""
    if isinstance(original, tuple) and hasattr(original, "_fields"):
        return type(original)(*entries)
    if isinstance(original, (list, tuple)):
        return entries
    return _made(type(original), entries)


def _made(cls: Callable[[Any], Any], entries: Any) -> Any:
    try:
        return cls(entries)
    except TypeError:
        return entries


default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
Collate = Callable[..., Any]


def _collate_default(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    return default_collate(batch)


collate_tensor_fn = collate_numpy_array_fn = collate_numpy_scalar_fn = _collate_default
collate_float_fn = collate_int_fn = collate_str_fn = _collate_default
np_str_obj_array_pattern = re.compile(r"[SaUO]")  # dtypes of arrays that no tensor has
default_collate_fn_map: dict[Any, Collate] = dict.fromkeys(
    (Tensor, np.ndarray, (np.bool_, np.number, np.object_), float, int, str, bytes), _collate_default
)


def collate(batch: Sequence[Any], *, collate_fn_map: Mapping[Any, Collate] | None = None) -> Any:
    """Samples as one batch, by the function that a table has for their class.

    Mappings and sequences are collated entry by entry.

    Args:
        batch: samples of one structure.
        collate_fn_map: by class, or tuple of classes, a function that is called with samples and, by name, the table.

    Raises:
        TypeError: a sample is of no class of the table.
        RuntimeError: sequences differ in length.

    Example:
        >>> collate([{"a": 1}, {"a": 2}], collate_fn_map={int: lambda batch, *, collate_fn_map: sum(batch)})
        {'a': 3}
    """
    table = {} if collate_fn_map is None else collate_fn_map
    if not isinstance(table, Mapping):
        raise ArgumentError(f"collate(): argument 'collate_fn_map' must be a Mapping, not {type_name(table)}")
    first = batch[0]
    function = table.get(type(first)) or next((f for cls, f in table.items() if isinstance(first, cls)), None)
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    by_table = partial(collate, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return like_mapping(first, {key: by_table([one[key] for one in batch]) for key in first})
    if isinstance(first, Sequence):
        return _collate_sequences(first, batch, by_table)
    raise TypeError(default_collate_err_msg_format.format(type(first)))


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


def pinned(batch: Any, requested: bool) -> Any:
    return pin_memory(batch) if requested and cuda_available() else batch


def pin_memory(data: Any, device: Any = None) -> Any:
    """The tensors of nested mappings and sequences in `data` in pinned memory, and what has a method `pin_memory`.

    All else stays as it is; `device` does not matter.
    """
    if isinstance(data, Tensor):
        return data.pin_memory() if data.is_cpu else data
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return _made(type(data), {key: pin_memory(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(value) for value in data))
    if isinstance(data, Sequence):
        return _made(type(data), [pin_memory(value) for value in data])
    return data.pin_memory() if hasattr(data, "pin_memory") else data
