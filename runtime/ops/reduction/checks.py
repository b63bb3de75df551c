"""Argument checks of reductions and statistics.

`dim` becomes a sorted tuple counted from the front, of all dimensions for None and [].
"""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.shape_rules import is_known, require_kind
from ...errors import DtypeError, ShapeError
from ...tensor.tensor import host_array


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
    return self, wrap_dim(op, dim, len(self._shape)), *rest


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
    """Norms known by a name are 'fro', and 'nuc' of a matrix, which lies in two dimensions."""
    if p not in ("fro", "nuc"):
        raise ValueError(f"{op}(): expected p to be a number, 'fro' or 'nuc', but got {p!r}")
    if p == "nuc" and (self.ndim if rest[0] is None else len(rest[0])) != 2:
        raise ShapeError(
            f"{op}(): the nuclear norm is one of matrices, but got shape {list(self._shape)}, dim={rest[0]}"
        )
    return self, p, *rest


def sum_to_size(op: str, self: Any, size: Sequence[int]) -> tuple[Any, ...]:
    """`size` must broadcast to the tensor's shape."""
    shape = self._shape
    new = len(shape) - len(size)
    if new < 0 or any(m not in (1, n) for m, n in zip(size, shape[max(new, 0) :], strict=False)):
        raise ShapeError(f"{op}(): size {list(size)} is not expandable to size {list(shape)}")
    return self, tuple(size)


def real_reduced_dims(op: str, self: Any, dim: Sequence[int] | None, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`; complex numbers are refused."""
    require_kind(op, self, "bif", "a real dtype")
    return reduced_dims(op, self, dim, *rest)


def float_reduced_dims(op: str, self: Any, dim: Sequence[int] | None, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`; the dtype is floating-point."""
    require_kind(op, self, "f", "a floating point dtype")
    return reduced_dims(op, self, dim, *rest)


def real_optional_dim(op: str, self: Any, dim: int | None, keepdim: bool) -> tuple[Any, ...]:
    """Wraps `dim`, None for all dimensions; there must be real elements to choose from."""
    require_kind(op, self, "bif", "a real dtype")
    if dim is not None:
        return one_dim_nonempty(op, self, dim, keepdim)
    return *all_nonempty(op, self), None, keepdim


def one_dim_of_two(op: str, self: Any, other: Any, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim` of two tensors of one shape."""
    if self._shape != other._shape:
        raise ShapeError(f"{op}(): expected two equal shapes, but got {list(self._shape)} and {list(other._shape)}")
    return self, other, wrap_dim(op, dim, self.ndim), *rest


def corrcoef(op: str, self: Any) -> tuple[Any, ...]:
    """At most a matrix, of numbers."""
    if self.ndim > 2:
        raise ShapeError(f"{op}(): expected at most two dimensions, but got shape {list(self._shape)}")
    require_kind(op, self, "ifc", "numbers")
    return (self,)


def cov(op: str, self: Any, correction: int, fweights: Any, aweights: Any) -> tuple[Any, ...]:
    """At most a matrix, of numbers; weights are vectors of whole or real numbers that are not negative."""
    corrcoef(op, self)
    if fweights is None and aweights is None:
        return self, correction, None, None
    count = self._shape[-1] if self.ndim else 1
    for name, weights, kind in (("fweights", fweights, "i"), ("aweights", aweights, "f")):
        if weights is not None:
            _require_weights(op, name, weights, kind, count)
    known = [host_array(w).reshape(-1) for w in (fweights, aweights) if w is not None and is_known(w)]
    if known and not functools.reduce(operator.mul, known).sum():
        raise RuntimeError(f"{op}(): expected weights that do not sum to zero")
    return self, correction, fweights, aweights


def _require_weights(op: str, name: str, weights: Any, kind: str, count: int) -> None:
    if weights.ndim > 1 or weights.numel() != count:
        raise ShapeError(f"{op}(): expected {name} for {count} observations, but got shape {list(weights._shape)}")
    if weights.dtype.kind != kind:
        requested = "an integral" if kind == "i" else "a floating point"
        raise DtypeError(f"{op}(): expected {name} to have {requested} dtype, but got {weights.dtype!r}")
    if is_known(weights) and bool((host_array(weights) < 0).any()):
        raise RuntimeError(f"{op}(): expected {name} that are not negative, but got {weights}")
