"""Argument checks of activations."""

from __future__ import annotations

import math
from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import DtypeError, ShapeError


def celu_scale(op: str, self: Any, alpha: Any) -> tuple[Any, ...]:
    """The scale is not 0."""
    if alpha == 0:
        raise RuntimeError(f"{op}(): expected alpha other than 0, but got {alpha} (ZeroDivisionError)")
    return self, alpha


def shrink_width(op: str, self: Any, lambd: Any) -> tuple[Any, ...]:
    """The width is finite and not negative."""
    if isinstance(lambd, complex) or not 0 <= lambd < math.inf:
        raise RuntimeError(f"{op}(): expected a finite lambd >= 0, but got {lambd}")
    return self, lambd


def two_halves(op: str, self: Any, dim: int) -> tuple[Any, ...]:
    """The dimension has an even number of elements."""
    if self.ndim == 0:
        raise ShapeError(f"{op}(): expected a tensor with a dimension to halve, but got one of no dimensions")
    dim = wrap_dim(op, dim, self.ndim)
    if self._shape[dim] % 2:
        raise ShapeError(f"{op}(): expected an even size to halve, but dimension {dim} is of size {self._shape[dim]}")
    return self, dim


def channel_slopes(op: str, self: Any, weight: Any) -> tuple[Any, ...]:
    """One slope for all, or one for each channel (dimension 1, if there is one); of the dtype of the numbers."""
    if self._dtype is not weight._dtype:
        raise DtypeError(f"{op}(): expected input and weight of one dtype, but got {self._dtype} and {weight._dtype}")
    if weight.ndim > 1:
        raise ShapeError(f"{op}(): expected weight to be a scalar or a 1-d tensor, but got {weight.ndim} dimensions")
    if weight.numel() == 1:
        return self, weight
    if self.ndim == 0:
        raise ShapeError(f"{op}(): expected an input with dimensions for {weight.numel()} weights, but got none")
    channels = self._shape[1] if self.ndim > 1 else 1
    if weight.numel() != channels:
        raise ShapeError(f"{op}(): expected one weight or {channels}, one for each channel, but got {weight.numel()}")
    return self, weight
