"""Batches in page-locked memory, from which copies to a device need not be waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.tensor.devices import cuda_available


def pinned(batch: Any, requested: bool) -> Any:
    """A batch with its tensors in pinned memory, if that is wanted and there is a device that reads it."""
    return pin_memory(batch) if requested and cuda_available() else batch


def pin_memory(data: Any, device: Any = None) -> Any:
    """The tensors of nested mappings and sequences in pinned memory, and what has a method `pin_memory`; all else as
    it is.

    Args:
        data: a batch.
        device: where it will go, which does not matter.
    """
    if isinstance(data, Tensor):
        return data.pin_memory() if data.is_cpu else data
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return _like(data, {key: pin_memory(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(value) for value in data))
    if isinstance(data, Sequence):
        return _like(data, [pin_memory(value) for value in data])
    return data.pin_memory() if hasattr(data, "pin_memory") else data


def _like(value: Any, result: Any) -> Any:
    """A container of the class of the one that was given, where that takes one; else a plain one."""
    try:
        return type(value)(result)
    except TypeError:
        return result
