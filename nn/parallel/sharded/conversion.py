"""Structures of tensors in another dtype."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....runtime.tensor.base import TensorBase


def converted(value: Any, dtype: Any) -> Any:
    """The structure with its floating-point tensors in a dtype; lists, tuples and mappings are gone into.

    Args:
        value: the structure.
        dtype: the dtype.
    """
    if isinstance(value, TensorBase):
        tensor: Any = value
        return tensor.to(dtype) if tensor.is_floating_point() else tensor
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[converted(one, dtype) for one in value])
    if isinstance(value, list | tuple):
        return type(value)(converted(one, dtype) for one in value)
    if isinstance(value, Mapping):
        return type(value)({name: converted(one, dtype) for name, one in value.items()})  # type: ignore[call-arg]
    return value
