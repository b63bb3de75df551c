"""What is in a storage: tensors over its memory, bytes that are given, and bytes in the other order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import type_name
from ...tensor.base import from_flat
from ...tensor.dtype_views import storage_as
from ...tensor.dtypes import dtype
from ...tensor.memory import empty, exposed, placed


def tensor_over(array: Any, kind: dtype) -> Any:
    """A 1-D tensor of a dtype over all of a memory; writes to it are not counted with those of others."""
    storage = storage_as(array, kind)
    return from_flat(storage, (storage.size,), kind)


def without_values(name: str, count: int, kind: dtype, target_device: Any) -> Any:
    """An array for `count` elements, which may be anything.

    Raises:
        RuntimeError: the count is negative, or there is not as much memory.
    """
    if count < 0:
        raise RuntimeError(f"{name}(): Storage size must be non-negative, but got {count}")
    try:
        return exposed(empty(count, kind.np, target_device))
    except (MemoryError, ValueError) as error:  # NumPy's for sizes that no memory has
        raise RuntimeError(f"{name}(): can't allocate memory: {error}") from None


def byte_array(values: Sequence[Any] | np.ndarray, target_device: Any) -> Any:
    """Whole numbers as bytes; negative ones wrap, as in C; a RuntimeError where one of them is no int."""
    for value in values:
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
            raise RuntimeError(
                f"UntypedStorage(): tried to construct a storage from a sequence ({type_name(values)}), but one of "
                f"the items was of type {type_name(value)} instead of int"
            )
    return placed(np.array([int(value) % 256 for value in values], np.uint8), target_device)


def swap_bytes(array: Any) -> None:
    """Turn round the order of the bytes of each number, in place; parts of complex numbers each for itself."""
    if not isinstance(array, np.ndarray):
        raise RuntimeError("byteswap(): expected a storage on the CPU")
    size = array.itemsize // (2 if array.dtype.kind == "c" else 1)
    if size > 1:
        array.view(np.dtype(f"u{size}")).byteswap(inplace=True)
