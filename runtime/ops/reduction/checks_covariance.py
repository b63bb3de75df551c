"""Argument checks of covariances and correlations."""

from __future__ import annotations

from functools import reduce
from operator import mul as multiply
from typing import Any

from ...errors import DtypeError, ShapeError, UnsupportedDtypeError


def corrcoef(op: str, self: Any) -> tuple[Any, ...]:
    """At most a matrix, of numbers."""
    if self.ndim > 2:
        raise ShapeError(f"{op}(): expected at most two dimensions, but got shape {list(self._shape)}")
    if self.dtype.kind == "b":
        raise UnsupportedDtypeError(f"{op}(): expected numbers, but got {self.dtype!r}")
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
    _require_sum(op, [w.array for w in (fweights, aweights) if w is not None and not getattr(w, "is_example", False)])
    return self, correction, fweights, aweights


def _require_weights(op: str, name: str, weights: Any, kind: str, count: int) -> None:
    if weights.ndim > 1 or weights.numel() != count:
        raise ShapeError(f"{op}(): expected {name} for {count} observations, but got shape {list(weights._shape)}")
    if weights.dtype.kind != kind:
        wanted = "an integral" if kind == "i" else "a floating point"
        raise DtypeError(f"{op}(): expected {name} to have {wanted} dtype, but got {weights.dtype!r}")
    if not getattr(weights, "is_example", False) and bool((weights.array < 0).any()):
        raise RuntimeError(f"{op}(): expected {name} that are not negative, but got {weights}")


def _require_sum(op: str, weights: list[Any]) -> None:
    """The weights of all observations do not sum to zero."""
    if weights and not reduce(multiply, [w.reshape(-1) for w in weights]).sum():
        raise RuntimeError(f"{op}(): expected weights that do not sum to zero")
