"""Argument checks of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import ShapeError, UnsupportedDtypeError
from .checks import all_nonempty, one_dim_nonempty, reduced_dims


def real_reduced_dims(op: str, self: Any, dim: Sequence[int] | None, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`; complex numbers are refused."""
    if self.is_complex():
        raise UnsupportedDtypeError(f"{op}(): expected a real dtype, but got {self.dtype!r}")
    return reduced_dims(op, self, dim, *rest)


def float_reduced_dims(op: str, self: Any, dim: Sequence[int] | None, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`; the dtype is floating-point."""
    if not self.is_floating_point():
        raise UnsupportedDtypeError(f"{op}(): expected a floating point dtype, but got {self.dtype!r}")
    return reduced_dims(op, self, dim, *rest)


def real_optional_dim(op: str, self: Any, dim: int | None, keepdim: bool) -> tuple[Any, ...]:
    """Wraps `dim`, None for all dimensions; there must be real elements to choose from."""
    if self.is_complex():
        raise UnsupportedDtypeError(f"{op}(): expected a real dtype, but got {self.dtype!r}")
    if dim is not None:
        return one_dim_nonempty(op, self, dim, keepdim)
    return *all_nonempty(op, self), None, keepdim


def one_dim_of_two(op: str, self: Any, other: Any, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim` of two tensors of one shape."""
    if self._shape != other._shape:
        raise ShapeError(f"{op}(): expected two equal shapes, but got {list(self._shape)} and {list(other._shape)}")
    return self, other, wrap_dim(op, dim, self.ndim), *rest
