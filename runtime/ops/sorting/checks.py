"""Argument checks of sorting, choosing by rank, searching in ordered rows, counting, and of distinct elements."""

import math
from typing import Any

from ... import namespace
from ...dispatch.argument_checks import wrap_dim
from ...dispatch.shape_rules import is_known, require_kind
from ...errors import DtypeError, ShapeError, UnsupportedDtypeError
from ...tensor import dtypes
from ...tensor.tensor import TensorBase, host_array

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
    known = sorter is not None and is_known(sorter) and sorter.numel()
    length = sorted_sequence._shape[-1]
    if known and not 0 <= host_array(sorter).min() <= host_array(sorter).max() < length:
        raise RuntimeError(f"{op}(): expected sorter to hold indices into rows of {length}, but got {sorter}")
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
    return value._dtype.kind if isinstance(value, TensorBase) else "c" if isinstance(value, complex) else ""


def _require_rows(op: str, rows: Any, values: Any) -> None:
    shape = values._shape if isinstance(values, TensorBase) else ()
    if len(rows._shape) != 1 and (not rows._shape or not shape or rows._shape[:-1] != shape[:-1]):
        raise ShapeError(
            f"{op}(): expected one row to search in, or one for each row of the values, but got shapes "
            f"{list(rows._shape)} and {list(shape)}"
        )


def bincount(op: str, self: Any, weights: Any, minlength: int) -> tuple[Any, ...]:
    """A vector of whole numbers that are not negative, and a weight for each."""
    require_kind(op, self, "i", "an integral dtype")
    if self.ndim != 1:  # that none is negative is seen when they are counted
        raise RuntimeError(f"{op}(): expected a 1-D tensor of integers that are not negative, but got {self}")
    if minlength < 0:
        raise RuntimeError(f"{op}(): expected minlength >= 0, but got {minlength}")
    if weights is not None and weights._shape != self._shape:
        raise ShapeError(f"{op}(): expected weights of shape {list(self._shape)}, but got {list(weights._shape)}")
    return self, weights, minlength


def bin_counts(op: str, self: Any, minlength: int) -> tuple[Any, ...]:
    """Whole numbers."""
    require_kind(op, self, "i", "an integral dtype")
    return self, minlength


def histc(op: str, self: Any, bins: int, min: Any, max: Any) -> tuple[Any, ...]:
    """A floating-point tensor and a finite range; where both bounds are equal, the range of the elements."""
    require_kind(op, self, "f", "a floating point dtype")
    _require_bins(op, bins)
    return self, bins, *finite_range(op, float(min), float(max))


def _require_bins(op: str, bins: int) -> None:
    if bins <= 0:
        raise RuntimeError(f"{op}(): expected bins > 0, but got {bins}")


def finite_range(op: str, low: float, high: float) -> tuple[float, float]:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"{op}(): expected a finite range, but got [{low}, {high}]")
    if low > high:
        raise RuntimeError(f"{op}(): expected min <= max, but got [{low}, {high}]")
    return low, high


def histogram_of_edges(op: str, self: Any, bins: Any, weight: Any, density: bool) -> tuple[Any, ...]:
    """Floating-point numbers, a weight for each, and a vector of at least two edges."""
    _require_weight(op, self, weight)
    if bins.ndim != 1 or bins.numel() < 2 or bins.dtype is not self.dtype:
        result = f"shape {list(bins._shape)} and {bins.dtype!r}"
        raise RuntimeError(f"{op}(): expected at least two edges in a vector of {self.dtype!r}, but got {result}")
    return self, bins, weight, density


def histogram_of_parts(op: str, self: Any, bins: int, range: Any, weight: Any, density: bool) -> tuple[Any, ...]:
    """Floating-point numbers, a weight for each, a number of bins and a finite range, by default of the numbers."""
    _require_weight(op, self, weight)
    _require_bins(op, bins)
    if range is None:
        result = self.numel() and not self.is_meta
        range = [float(x) for x in namespace.op.aminmax(self.detach())] if result else (0.0, 1.0)
    if len(range) != 2:
        raise RuntimeError(f"{op}(): expected a range of 2 numbers, but got {len(range)}")
    low, high = finite_range(op, *range)
    return self, bins, (low, high) if low < high else (low - 0.5, high + 0.5), weight, density


def _require_weight(op: str, self: Any, weight: Any) -> None:
    require_kind(op, self, "f", "a floating point dtype")
    if weight is not None and (weight._shape != self._shape or weight.dtype is not self.dtype):
        result = f"{list(weight._shape)} and {weight.dtype!r}"
        raise RuntimeError(f"{op}(): expected weight of shape {list(self._shape)} and {self.dtype!r}, but got {result}")


def distinct_in_order(
    op: str, self: Any, sorted: bool, inverse: bool, counts: bool, dim: int | None
) -> tuple[Any, ...]:
    """Wraps `dim`; the dtype is real, and of other dimensions none is empty."""
    return self, sorted, inverse, counts, _slices(op, self, dim)


def distinct_runs(op: str, self: Any, inverse: bool, counts: bool, dim: int | None) -> tuple[Any, ...]:
    """Wraps `dim`; the dtype is real, and of other dimensions none is empty."""
    return self, inverse, counts, _slices(op, self, dim)


def _slices(op: str, self: Any, dim: int | None) -> int | None:
    require_kind(op, self, "bif", "a real dtype")
    if dim is None:
        return None
    dim = wrap_dim(op, dim, self.ndim, wrap_scalar=False)
    if 0 in (*self._shape[:dim], *self._shape[dim + 1 :]):
        raise RuntimeError(f"{op}(): expected no empty dimension but dim={dim}, but got shape {list(self._shape)}")
    return dim
