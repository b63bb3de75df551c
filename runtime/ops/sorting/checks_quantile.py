"""Argument checks of quantiles."""

from __future__ import annotations

from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import DtypeError, UnsupportedDtypeError
from ...tensor.base import TensorBase

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(op: str, self: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str) -> tuple[Any, ...]:
    """Wraps `dim`, None for all elements; x is a floating-point tensor with elements, q lies in [0, 1]."""
    if not self.is_floating_point():
        raise UnsupportedDtypeError(f"{op}(): expected a floating point dtype, but got {self.dtype!r}")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(f"{op}(): expected interpolation to be one of {INTERPOLATIONS}, but got {interpolation!r}")
    if not self.numel():
        raise RuntimeError(f"{op}(): expected a tensor with elements, but got shape {list(self._shape)}")
    _require_parts(op, self, q)
    return self, q, None if dim is None else wrap_dim(op, dim, self.ndim), keepdim, interpolation


def _require_parts(op: str, self: Any, q: Any) -> None:
    """q is a number or a vector of them, of the tensor's dtype, from 0 to 1."""
    if not isinstance(q, TensorBase):
        outside = not 0 <= q <= 1
    else:
        if q.ndim > 1:
            raise RuntimeError(f"{op}(): expected q to be a number or 1-D, but got shape {list(q._shape)}")
        if q.dtype is not self.dtype:
            raise DtypeError(f"{op}(): expected q to be {self.dtype!r} as the tensor, but got {q.dtype!r}")
        outside = not getattr(q, "is_example", False) and bool(((q.array < 0) | (q.array > 1)).any())
    if outside:
        raise RuntimeError(f"{op}(): expected q in [0, 1], but got {q}")
