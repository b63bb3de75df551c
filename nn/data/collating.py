"""Batches by a table: which function makes one of samples of a class."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from .collate import default_collate, like_mapping, like_sequence

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
    first = batch[0]
    function = table.get(type(first)) or next((f for cls, f in table.items() if isinstance(first, cls)), None)
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        columns = {key: collate([one[key] for one in batch], collate_fn_map=collate_fn_map) for key in first}
        return like_mapping(first, columns)
    if isinstance(first, Sequence):
        if {len(one) for one in batch} != {len(first)}:
            raise RuntimeError("each element in list of batch should be of equal size")
        rows = zip(*batch, strict=True)
        return like_sequence(first, [collate(column, collate_fn_map=collate_fn_map) for column in rows])
    raise TypeError(default_collate_err_msg_format.format(type(first)))
