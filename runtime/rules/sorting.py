"""Argument rules of sorting and choosing."""

from __future__ import annotations

from typing import Any

from ..checks import wrap_dim


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
