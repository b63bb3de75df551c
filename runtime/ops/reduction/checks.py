"""Argument checks of reductions: `dim` becomes a sorted tuple counted from the front, all for None and []."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import ShapeError


@functools.lru_cache(maxsize=4096)
def all_dims(op: str, dims: tuple[int, ...] | None, ndim: int) -> tuple[int, ...]:
    """`dims` counted from the front and sorted; all dimensions for None and []. A 0-d tensor has none."""
    wrapped = sorted(wrap_dim(op, dim, ndim) for dim in dims or ())
    for one, next_one in zip(wrapped, wrapped[1:], strict=False):
        if one == next_one:
            raise RuntimeError(f"{op}(): dim {one} appears multiple times in the list of dims {list(dims or ())}")
    return tuple(wrapped) if wrapped and ndim else tuple(range(ndim))


def reduced_dims(op: str, self: Any, dim: Sequence[int] | None, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`."""
    return self, all_dims(op, dim, len(self._shape)), *rest


def reduced_nonempty(op: str, self: Any, dim: Sequence[int], keepdim: bool) -> tuple[Any, ...]:
    """Wraps `dim`; what has no neutral element cannot be reduced over no elements."""
    if not dim:
        all_nonempty(op, self)
    dims = all_dims(op, dim, len(self._shape))
    for d in dims:
        _require_size(op, self, d)
    return self, dims, keepdim


def reduced_with_correction(
    op: str, self: Any, dim: Sequence[int] | None, correction: Any, keepdim: bool
) -> tuple[Any, ...]:
    """Wraps `dim`; the correction is 1 unless given, and real."""
    correction = 1 if correction is None else correction
    if isinstance(correction, complex):
        raise TypeError(f"{op}(): argument 'correction' must be a real number, not complex")
    return self, all_dims(op, dim, len(self._shape)), correction, keepdim


def one_dim(op: str, self: Any, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Wraps a single `dim`."""
    return self, wrap_dim(op, dim, self.ndim), *rest


def one_dim_nonempty(op: str, self: Any, dim: int, keepdim: bool) -> tuple[Any, ...]:
    """Wraps a single `dim`, which must have elements."""
    dim = wrap_dim(op, dim, self.ndim)
    _require_size(op, self, dim)
    return self, dim, keepdim


def optional_dim_nonempty(op: str, self: Any, dim: int | None, keepdim: bool) -> tuple[Any, ...]:
    """Wraps `dim`, None for the flattened tensor; there must be elements to choose from."""
    if dim is not None:
        return one_dim_nonempty(op, self, dim, keepdim)
    if not self.numel():
        raise IndexError(f"{op}(): Expected reduction dim to be specified for input.numel() == 0")
    return self, None, keepdim


def all_nonempty(op: str, self: Any) -> tuple[Any, ...]:
    """There must be elements to choose from."""
    if not self.numel():
        raise RuntimeError(
            f"{op}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )
    return (self,)


def _require_size(op: str, self: Any, dim: int) -> None:
    if self.ndim and not self._shape[dim]:
        raise IndexError(f"{op}(): Expected reduction dim {dim} to have non-zero size, got shape {list(self._shape)}")


def norm(op: str, self: Any, p: Any, dim: Sequence[int] | None, keepdim: bool, dtype: Any) -> tuple[Any, ...]:
    """Wraps `dim`; p is 2 unless given, and real. Norms with p < 0 or p = inf need an element."""
    p = 2 if p is None else p
    if isinstance(p, complex):
        raise TypeError(f"{op}(): argument 'p' must be a real number, not complex")
    dims = all_dims(op, dim, len(self._shape))
    if (p < 0 or math.isinf(p)) and 0 in [self._shape[d] for d in dims]:
        raise RuntimeError(f"{op}(): cannot compute the {p} norm over no elements: shape {list(self._shape)}")
    return self, float(p), dims, keepdim, dtype


def named_norm(op: str, self: Any, p: str, *rest: Any) -> tuple[Any, ...]:
    """The only norm known by a name is 'fro'."""
    if p != "fro":
        raise ValueError(f"{op}(): expected p to be a number or 'fro', but got {p!r}")
    return self, p, *rest


def sum_to_size(op: str, self: Any, size: Sequence[int]) -> tuple[Any, ...]:
    """`size` must broadcast to the tensor's shape."""
    shape = self._shape
    new = len(shape) - len(size)
    if new < 0 or any(m not in (1, n) for m, n in zip(size, shape[max(new, 0) :], strict=False)):
        raise ShapeError(f"{op}(): size {list(size)} is not expandable to size {list(shape)}")
    return self, tuple(size)
