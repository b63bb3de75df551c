"""Argument checks of sorting and choosing."""

from __future__ import annotations

from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import DtypeError
from ...tensor import dtypes


def topk(op: str, self: Any, k: int, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`, along which there are at least k elements."""
    shape = self._shape
    dim = wrap_dim(op, dim, len(shape))
    size = shape[dim] if shape else 1
    if not 0 <= k <= size:
        raise RuntimeError(f"{op}(): selected index k out of range: got k={k} for a dimension of size {size}")
    return self, k, dim, *rest


def kthvalue(op: str, self: Any, k: int, dim: int, keepdim: bool) -> tuple[Any, ...]:
    """Wraps `dim`; there is a k-th element, counted from 1."""
    shape = self._shape
    dim = wrap_dim(op, dim, len(shape))
    size = shape[dim] if shape else 1
    if shape and not size:
        raise IndexError(f"{op}(): Expected reduction dim {dim} to have non-zero size, got shape {list(shape)}")
    if not 1 <= k <= size:
        raise RuntimeError(f"{op}(): selected number k out of range for dimension {dim}: got k={k}, size {size}")
    return self, k, dim, keepdim


def isin(op: str, first: Any, second: Any, assume_unique: bool, invert: bool) -> tuple[Any, ...]:
    """Real numbers."""
    for value in (first, second):
        kind = dtypes.result_type(value, value)
        if kind.kind not in "if":
            raise DtypeError(f"{op}(): Unsupported input type encountered: expected real numbers, got {kind}")
    return first, second, assume_unique, invert
