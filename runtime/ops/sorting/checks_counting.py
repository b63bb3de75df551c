"""Argument checks of counting in bins and of distinct elements."""

from __future__ import annotations

import math
from typing import Any

from ... import namespace
from ...dispatch.checks import wrap_dim
from ...dispatch.shape_checks import require_kind
from ...errors import ShapeError


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
    """Two bounds that are finite and in order."""
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
