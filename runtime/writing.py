"""Writing into tensors that exist already: in-place ops, `out=`, and what autograd must know of it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .autograd.grad_mode import mode
from .casting import copy_cast
from .dtypes import can_cast
from .errors import DtypeError, ShapeError
from .tensor import TensorBase, alias, fresh

ONE_VALUE = ("fill_", "zero_")  # where elements that share a place get the same value, whatever the order


def write(name: str, into: Any, result: Any) -> Any:
    """Copy a freshly computed result into `into`, cast to its dtype, and count the write."""
    if into._shape != result._shape:
        raise ShapeError(
            f"{name}(): output with shape {list(into._shape)} doesn't match the broadcast shape {list(result._shape)}"
        )
    if not can_cast(result._dtype, into._dtype):
        raise DtypeError(
            f"{name}(): result type {result._dtype!r} can't be cast to the desired output type {into._dtype!r}"
        )
    copy_cast(into.array, result.array)
    into._bump_version(name)
    return into


def before_write(name: str, tensor: Any, keep: bool) -> Any:
    """Check that an in-place op may write here; return the tensor as it was, for the op to read and to record.

    Where the gradient formula reads the old value (`keep`) and a graph is being recorded, that is a copy.
    """
    original = unchanged(name, tensor)
    if 0 in (tensor._strides or ()) and name not in ONE_VALUE and overlaps(tensor):
        raise RuntimeError(
            f"{name}(): more than one element of the written-to tensor refers to a single memory location; "
            "clone() the tensor before the operation"
        )
    if keep and mode.grad:
        return as_recorded(fresh(tensor.array.flatten(), tensor._shape, tensor._dtype), tensor)
    return original


def overlaps(tensor: Any) -> bool:
    """Whether several elements lie in one place, as after `expand`."""
    return any(size > 1 and not step for size, step in zip(tensor._shape, tensor.stride(), strict=True))


def unchanged(name: str, tensor: Any) -> Any:
    """The tensor as it is before an in-place op changes it, in the same memory; after checking that the op may."""
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"{name}(): argument 'self' must be Tensor, not {type(tensor).__name__}")
    if mode.grad and (tensor._rg or tensor._base is not None):
        check_history(name, tensor)
    return as_recorded(alias(tensor, tensor._shape, tensor._strides, tensor._offset), tensor)


def as_recorded(other: Any, tensor: Any) -> Any:
    """Give another tensor the place of this one in the graph."""
    other._rg, other._fn, other._tangent = tensor._rg, tensor._fn, tensor._tangent
    return other


def check_history(name: str, tensor: Any) -> None:
    """Whether the history of a tensor can be extended by a write, where it has one."""
    if tensor._rg:
        check_not_leaf(name, tensor)
    elif tensor._base._rg and tensor._base._fn is not None:
        raise RuntimeError(
            f"{name}(): a view that was created in no_grad mode is being modified inplace with grad mode enabled; "
            "write to it under no_grad, or make the view outside of it"
        )


def check_not_leaf(name: str, tensor: Any) -> None:
    """A leaf that requires grad has no history to extend: writing to it, or to a view of it, would be lost."""
    if tensor._fn is None:
        raise RuntimeError(f"{name}(): a leaf Variable that requires grad is being used in an in-place operation.")
    base = tensor._base
    if base is not None and base._rg and base._fn is None:
        raise RuntimeError(
            f"{name}(): a view of a leaf Variable that requires grad is being used in an in-place operation."
        )


def write_out(name: str, out: Any, result: Any) -> Any:
    """The `out=` form: the result copied into `out`, which nothing may be differentiating."""
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if mode.grad and (out._rg or result._rg):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad"
        )
    if out._shape != result._shape and out.numel() == 0 and out._base is None:
        blank = fresh(np.empty(prod(result._shape), out._dtype.np), result._shape, out._dtype)
        out._flat = out._storage = blank._flat
        out._shape, out._nd, out._strides = blank._shape, None, None
    return write(name, out, result)
