"""Argument checks of distances, covariances and norms that are kept small."""

from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.kernel_ops.general import require_equal
from ...errors import ShapeError, UnsupportedDtypeError
from ...shapes import broadcast_shapes

COMPUTE_MODES = tuple(
    f"{mode}use_mm_for_euclid_dist{when}" for mode, when in (("", "_if_necessary"), ("", ""), ("donot_", ""))
)


def dist(op: str, self: Any, other: Any, p: float) -> tuple[Any, ...]:
    """Numbers with fractions, real or complex, of shapes that broadcast."""
    for x in (self, other):
        require_fractions(op, x)
    broadcast_shapes(op, self._shape, other._shape)
    return self, other, p


def require_fractions(op: str, x: Any) -> None:
    if x.dtype.kind not in "fc":
        raise UnsupportedDtypeError(f"{op}(): expected a floating point or complex dtype, but got {x.dtype!r}")


def cdist(op: str, x1: Any, x2: Any, p: float, compute_mode: str) -> tuple[Any, ...]:
    """Matrices, or batches of them that broadcast, with equally many columns, of one floating-point dtype."""
    for x in (x1, x2):
        if not x.is_floating_point():
            raise UnsupportedDtypeError(f"{op}(): expected a floating point dtype, but got {x.dtype!r}")
        if x.ndim < 2:
            raise ShapeError(f"{op}(): expected at least 2-D tensors, but got shape {list(x._shape)}")
    require_equal(op, (x1, x2))
    if x1._shape[-1] != x2._shape[-1]:
        raise ShapeError(f"{op}(): expected equally many columns, but got {x1._shape[-1]} and {x2._shape[-1]}")
    if compute_mode not in COMPUTE_MODES:
        raise ValueError(f"{op}(): expected compute_mode to be one of {COMPUTE_MODES}, but got {compute_mode!r}")
    broadcast_shapes(op, x1._shape[:-2], x2._shape[:-2])
    return x1, x2, not_negative(op, p), compute_mode


def not_negative(op: str, p: float) -> float:
    """p, which is not negative."""
    if not p >= 0:
        raise RuntimeError(f"{op}(): expected p >= 0, but got p={p}")
    return p


def pdist(op: str, self: Any, p: float) -> tuple[Any, ...]:
    """A matrix of floating-point numbers; p is not negative."""
    if self.ndim != 2:
        raise ShapeError(f"{op}(): expected a 2-D tensor, but got shape {list(self._shape)}")
    if not self.is_floating_point():
        raise UnsupportedDtypeError(f"{op}(): expected a floating point dtype, but got {self.dtype!r}")
    return self, not_negative(op, p)


def renorm(op: str, self: Any, p: float, dim: int, maxnorm: float) -> tuple[Any, ...]:
    """Wraps `dim` of at least two dimensions; p is positive, maxnorm not negative."""
    if not p > 0 or not maxnorm >= 0:
        raise RuntimeError(f"{op}(): expected p > 0 and maxnorm >= 0, but got p={p}, maxnorm={maxnorm}")
    require_fractions(op, self)
    if self.ndim < 2:
        raise ShapeError(f"{op}(): expected at least 2 dimensions, but got shape {list(self._shape)}")
    return self, p, wrap_dim(op, dim, self.ndim), maxnorm
