"""Argument checks of sorting, choosing by rank and searching in ordered rows."""

from __future__ import annotations

from typing import Any

from ...dispatch.checks import wrap_dim
from ...dispatch.shape_checks import is_known, require_kind
from ...errors import DtypeError, ShapeError, UnsupportedDtypeError
from ...tensor import dtypes
from ...tensor.base import TensorBase, host_array

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def topk(op: str, self: Any, k: int, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`, along which there are at least k elements."""
    shape = self._shape
    dim = wrap_dim(op, dim, len(shape))
    size = shape[dim] if shape else 1
    if not 0 <= k <= size:
        raise RuntimeError(f"{op}(): selected index k out of range: got k={k} for a dimension of size {size}")
    return self, k if shape else 1, dim, *rest  # of a 0-d tensor always the one


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


def quantile(op: str, self: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str) -> tuple[Any, ...]:
    """Wraps `dim`, None for all elements; x is a floating-point tensor with elements, q lies in [0, 1]."""
    require_kind(op, self, "f", "a floating point dtype")
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
        outside = is_known(q) and bool(((host_array(q) < 0) | (host_array(q) > 1)).any())
    if outside:
        raise RuntimeError(f"{op}(): expected q in [0, 1], but got {q}")


def bucketize(op: str, self: Any, boundaries: Any, out_int32: bool, right: bool) -> tuple[Any, ...]:
    """Real numbers; the boundaries are a vector."""
    _require_real(op, self, boundaries)
    if len(boundaries._shape) != 1:
        raise ShapeError(f"{op}(): expected boundaries to be 1-D, but got shape {list(boundaries._shape)}")
    return self, boundaries, out_int32, right


def searchsorted(
    op: str, sorted_sequence: Any, self: Any, out_int32: bool, right: bool, side: str | None, sorter: Any
) -> tuple[Any, ...]:
    """Real numbers; one row to search in, or one for each row of what is searched for. `right` is what `side` says."""
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"{op}(): expected side to be 'left' or 'right', but got {side!r}")
    if side == "left" and right:
        raise RuntimeError(f"{op}(): expected side and right to agree, but got side='left' and right=True")
    searchsorted_indices(op, sorted_sequence, self, right, sorter)
    _require_indices(op, sorted_sequence, sorter)
    return sorted_sequence, self, out_int32, right or side == "right", None, sorter


def searchsorted_indices(op: str, sorted_sequence: Any, self: Any, right: bool, sorter: Any) -> tuple[Any, ...]:
    """Real numbers; one row to search in, or one for each row of the values; an order of the elements of each."""
    _require_real(op, self, sorted_sequence)
    _require_rows(op, sorted_sequence, self)
    if sorter is not None and sorter._shape != sorted_sequence._shape:
        shape = list(sorted_sequence._shape)
        raise ShapeError(f"{op}(): expected sorter of shape {shape}, but got {list(sorter._shape)}")
    if sorter is not None and sorter.dtype.name != "int64":
        raise DtypeError(f"{op}(): expected sorter to be int64, but got {sorter.dtype!r}")
    return sorted_sequence, self, right, sorter


def _require_real(op: str, first: Any, second: Any) -> None:
    """Real numbers, not both of them bools; each is a tensor or a number."""
    kinds = _kind_of(first) + _kind_of(second)
    if "c" in kinds or kinds == "bb":
        shown = " and ".join(repr(v.dtype) if isinstance(v, TensorBase) else repr(v) for v in (first, second))
        raise UnsupportedDtypeError(f"{op}(): expected integers or real numbers, but got {shown}")


def _kind_of(value: Any) -> str:
    """The kind of a tensor's dtype; of numbers that of complex ones."""
    return value._dtype.kind if isinstance(value, TensorBase) else "c" if isinstance(value, complex) else ""


def _require_rows(op: str, rows: Any, values: Any) -> None:
    shape = values._shape if isinstance(values, TensorBase) else ()
    if len(rows._shape) != 1 and (not rows._shape or not shape or rows._shape[:-1] != shape[:-1]):
        raise ShapeError(
            f"{op}(): expected one row to search in, or one for each row of the values, but got shapes "
            f"{list(rows._shape)} and {list(shape)}"
        )


def _require_indices(op: str, rows: Any, sorter: Any) -> None:
    """Indices into its row for each element of the rows."""
    known = sorter is not None and is_known(sorter) and sorter.numel()
    if known and not 0 <= host_array(sorter).min() <= host_array(sorter).max() < rows._shape[-1]:
        raise RuntimeError(f"{op}(): expected sorter to hold indices into rows of {rows._shape[-1]}, but got {sorter}")
