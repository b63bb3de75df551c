"""Argument checks of differences between neighbours and of areas under samples."""

from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.shape_rules import require_kind
from ...errors import ShapeError


def diff(op: str, self: Any, n: int, dim: int, prepend: Any, append: Any) -> tuple[Any, ...]:
    """Wraps `dim`; n is not negative, and what is put before or behind fits except along `dim`."""
    if not self.ndim:
        raise RuntimeError(f"{op}(): expected a tensor of at least one dimension, but got 0-d")
    if n < 0:
        raise RuntimeError(f"{op}(): expected n >= 0, but got n={n}")
    dim = wrap_dim(op, dim, self.ndim)
    shape = list(self._shape)
    for added in [list(x._shape) for x in (prepend, append) if x is not None]:
        if added[:dim] != shape[:dim] or added[dim + 1 :] != shape[dim + 1 :] or len(added) != len(shape):
            raise ShapeError(f"{op}(): expected shape {shape} except in dimension {dim}, but got {added} to add")
    return self, n, dim, prepend, append


def samples_and_spacing(op: str, y: Any, dx: Any, dim: int) -> tuple[Any, ...]:
    """Wraps `dim` of y, which is not bool."""
    require_kind(op, y, "ifc", "numbers")
    return y, dx, wrap_dim(op, dim, y.ndim, wrap_scalar=False)


def samples_and_points(op: str, y: Any, x: Any, dim: int) -> tuple[Any, ...]:
    """Wraps `dim` of y, which is not bool; there is a point for each sample."""
    require_kind(op, y, "ifc", "numbers")
    dim = wrap_dim(op, dim, y.ndim, wrap_scalar=False)
    if x.ndim > y.ndim:
        raise ShapeError(f"{op}(): expected x of at most {y.ndim} dimensions, but got shape {list(x._shape)}")
    points = x.numel() if x.ndim < 2 else x._shape[dim - y.ndim] if x.ndim >= y.ndim - dim else 1
    if points != y._shape[dim]:
        raise RuntimeError(
            f"{op}(): expected one x for each of {y._shape[dim]} samples, but got shape {list(x._shape)}"
        )
    require_kind(op, x, "ifc", "numbers")
    return y, x, dim
