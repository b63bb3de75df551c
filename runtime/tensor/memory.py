"""New memory for tensors, flat, wherever it is to lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.cpu import aligned
from ..kernels.cpu.filling import fills
from .devices import CPU, META


def empty(count: int, kind: np.dtype, device: Any) -> Any:
    """A 1-D array of `count` elements of a NumPy dtype that are not set."""
    return aligned.empty(count, kind) if device is CPU else _of(device).empty((count,), kind, device)


def exposed(flat: Any) -> Any:
    """An array that is not set, for the user, who may read what the memory happens to hold."""
    return flat if isinstance(flat, np.ndarray) or not flat.size else _of(flat.device).exposed(flat)


def zeros(count: int, kind: np.dtype, device: Any) -> Any:
    return fills.zeros(count, kind) if device is CPU else full(count, 0, kind, device)


def full(count: int, value: Any, kind: np.dtype, device: Any) -> Any:
    flat = empty(count, kind, device)
    if device is CPU:
        return fills.filled(flat, value)
    _of(device).fill(flat, value)
    return flat


def copied(array: Any) -> Any:
    return aligned.copied(array) if isinstance(array, np.ndarray) else _of(array.device).copied(array)


def copied_once(array: Any, memo: dict[int, Any]) -> Any:
    """The copy of a memory that one `copy.deepcopy` makes for all that lies in it."""
    if id(array) not in memo:
        memo[id(array)] = copied(array)
        memo.setdefault(id(memo), []).append(array)  # kept, as `copy` does: no other object may get this number
    return memo[id(array)]


def contiguous(array: Any) -> Any:
    """The array itself where its elements lie in row order, in the dtype that they are read in, else a copy."""
    return np.ascontiguousarray(array) if isinstance(array, np.ndarray) else _of(array.device).contiguous(array)


def on_host(array: Any) -> np.ndarray:
    """A NumPy array as it is; of a device's array a copy, once all is done that was to be done before."""
    return array if isinstance(array, np.ndarray) else _of(array.device).to_host(array)


def placed(array: np.ndarray, device: Any) -> Any:
    return array if device is CPU else _of(device).from_host(array, device)


def _of(device: Any) -> Any:
    """The module of the functions for a device's memory, loaded with its first tensor."""
    if device is META:
        from . import meta

        return meta
    from ..cuda import memory

    return memory
