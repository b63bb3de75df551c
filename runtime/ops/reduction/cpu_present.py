"""Sums of what is not nan, of NumPy arrays, and their gradients: floats by plans (plans_present.py)."""

from __future__ import annotations

import numpy as np

from ...kernels.cpu.folding import folding
from ...kernels.cpu.movement.copies import contiguous
from ...kernels.cpu.plan import run
from . import plans_present
from .cpu import sum_dim

Array = np.ndarray
Dims = tuple[int, ...]


def nansum(a: Array, dim: Dims, keepdim: bool) -> Array:
    """sum_i a_i over `dim` of what is not nan."""
    if a.dtype.kind != "f" or not a.size:
        return sum_dim(a, dim, keepdim)
    fold = folding(a.shape, dim, keepdim)
    return run(plans_present.nansum, fold.fold(a), 1, False)[0].reshape(fold.result)


def nansum_backward(grad: Array, x: Array, dim: Dims) -> Array:
    """g for all elements that were added up in it, 0 for what is nan."""
    if not x.size:
        return np.empty(x.shape, x.dtype)
    fold = folding(x.shape, dim)
    return fold.unfold(run(plans_present.nansum_backward, contiguous(grad), fold.fold(x), 1)[0])
