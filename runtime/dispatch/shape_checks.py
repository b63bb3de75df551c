"""Checks of shapes and dtypes that several families of ops make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import DtypeError, ShapeError, UnsupportedDtypeError
from ..tensor import dtypes
from ..tensor.shapes import broadcast_shapes


def require_shape(op: str, name: str, tensor: Any, shape: Sequence[int]) -> None:
    """`tensor` must have exactly this shape."""
    if tuple(tensor._shape) != tuple(shape):
        raise ShapeError(f"{op}(): expected {name} of shape {list(shape)}, got {list(tensor._shape)}")


def require_index_dtype(op: str, name: str, tensor: Any, allowed: Sequence[dtypes.dtype]) -> None:
    """`tensor` must hold integers of one of the `allowed` dtypes."""
    if tensor.dtype not in allowed:
        names = " or ".join(d.name for d in allowed)
        raise DtypeError(f"{op}(): expected {name} of dtype {names}, got {tensor.dtype.name}")


def broadcastable(op: str, name: str, tensor: Any, shape: Sequence[int]) -> None:
    """`tensor` must broadcast to `shape`, not widen it."""
    if tensor is not None and broadcast_shapes(op, tensor._shape, shape) != tuple(shape):
        raise ShapeError(f"{op}(): {name} of shape {list(tensor._shape)} does not broadcast to {list(shape)}")


def all_examples(tensor: Any) -> Any:
    """The tensor with the values of all examples, of one inside vmap; any other as it is."""
    while hasattr(tensor, "level"):
        tensor = tensor.value
    return tensor


def require_kind(op: str, tensor: Any, kinds: str, expected: str) -> None:
    """`tensor` must have a dtype of one of the `kinds`, of "bifc" for bool, integers, floating-point and complex."""
    if tensor.dtype.kind not in kinds:
        raise UnsupportedDtypeError(f"{op}(): expected {expected}, but got {tensor.dtype!r}")


def is_known(value: Any) -> bool:
    """Whether the elements of a tensor can be looked at: not those of one example of a batch under vmap, and not those
    that are not there."""
    return not getattr(value, "is_example", False) and not is_recorded(value)


def is_recorded(value: Any) -> bool:
    """Whether the elements of a tensor are not there: it is on a device whose current stream is recorded for a graph,
    or has no memory."""
    if getattr(value, "is_cuda", False):
        return is_recorded_on(value.device)
    return getattr(value, "is_meta", False)


def is_recorded_on(place: Any) -> bool:
    """Whether the current stream of a device is recorded for a graph."""
    if place.type != "cuda":
        return False
    from ..cuda.graphs.captures import here_on  # loaded with the first device

    return here_on(place.index) is not None
