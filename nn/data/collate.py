"""Making one batch of many samples."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from ...generated.ops import stack
from ...generated.tensor import Tensor
from ...runtime.creation import as_tensor, tensor
from ...runtime.tensor.dtypes import float64


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one batch: tensors, arrays and numbers become a tensor with a new first dimension.

    Mappings and sequences are collated entry by entry; strings and bytes stay lists. Floats become float64.

    Args:
        batch: samples of one structure.

    Raises:
        TypeError: a sample holds something else.
        RuntimeError: sequences differ in length, or tensors in shape.

    Example:
        >>> import specgrad as sg
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
        return _collate_sequences(first, batch)
    result = first.dtype if isinstance(first, (np.ndarray, np.generic)) else type(first)
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {result}"
    )


def _collate_sequences(first: Sequence[Any], batch: Sequence[Any]) -> Any:
    if set(map(len, batch)) != {len(first)}:
        raise RuntimeError("each element in list of batch should be of equal size")
    return like_sequence(first, [default_collate(column) for column in zip(*batch, strict=True)])


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
    """The entries in a mapping of the original's class, where one can be made."""
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
