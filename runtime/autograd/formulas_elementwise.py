"""Helpers of composite element-wise ops, written in ops and Tensor methods so that they differentiate."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from .. import dtypes
from ..limits import finfo
from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def along_channels(weight: Tensor, ndim: int) -> Tensor:
    """One number for each channel, lined up with dimension 1 of a tensor of `ndim` dimensions; or one for all."""
    if weight.numel() == 1:
        return weight.reshape(())
    return weight.reshape(-1, *[1] * (ndim - 2)) if ndim > 1 else weight


def in_double(x: Tensor) -> Tensor:
    """In float64, or complex128."""
    return x.to(dtypes.complex128 if x.is_complex() else dtypes.float64)


def made_finite(x: Tensor, nan: float | None, posinf: float | None, neginf: float | None) -> Tensor:
    """Other numbers for nan and for infinities; by default 0, the dtype's largest number and its smallest."""
    if x.is_complex():
        parts = [made_finite(part, nan, posinf, neginf) for part in (op.real_copy(x), op.imag_copy(x))]
        return op.complex(*parts)
    if not x.is_floating_point():
        return x.clone()
    limit = finfo(x.dtype).max
    above, below = limit if posinf is None else posinf, -limit if neginf is None else neginf
    return op.replace_odd(x, 0.0 if nan is None else nan, above, below)


def sum_of_lgammas(x: Tensor, p: int) -> Tensor:
    """p (p - 1) / 4 ln(pi) + sum_j lgamma(x - j / 2) over j = 0, ..., p - 1."""
    x = x if x.is_floating_point() else x.to(dtypes.get_default_dtype())
    total = op.lgamma(x)
    for j in range(1, p):
        total = total + op.lgamma(x - j / 2)
    return total + p * (p - 1) / 4 * math.log(math.pi)


def unfused(x: Tensor) -> Tensor:
    """x. A formula with it has no fused kernel, in which a large function would be compiled once more."""
    return x


def quotient(x: Tensor, y: Tensor, out: Tensor | None) -> Tensor:
    """x / y, written into `out` where that is given."""
    return x / y if out is None else op.div(x, y, out=out)
