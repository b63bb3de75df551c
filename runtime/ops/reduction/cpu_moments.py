"""Means, variances, norms and logsumexp of NumPy arrays; `dim` is a sorted tuple of dimensions, never negative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...kernels.cpu.folding import folding
from ..softmax.cpu_loops import log_totals
from . import cpu_reduce_loops as reducing
from .cpu import over_outputs, quiet, sum_dim, summed

Array = np.ndarray
Dims = tuple[int, ...]

_greatest: Any = np.maximum.reduce  # NumPy's stubs want a literal keepdims
_least: Any = np.minimum.reduce


def _count(a: Array, dim: Dims) -> int:
    return math.prod(a.shape[d] for d in dim)


def mean_all(a: Array) -> Array:
    """(1/n) sum_i a_i; nan of no elements."""
    return summed(a, tuple(range(a.ndim)), False, a.size) if a.size else mean_dim(a, tuple(range(a.ndim)), False)


def mean_dim(a: Array, dim: Dims, keepdim: bool) -> Array:
    """(1/n) sum_i a_i over `dim`; nan of no elements."""
    count = _count(a, dim)
    return summed(a, dim, keepdim, count) if count else quiet(np.divide)(sum_dim(a, dim, keepdim), 0)


def var_dim(a: Array, dim: Dims, correction: float, keepdim: bool) -> Array:
    """sum_i |a_i - mean|^2 / max(n - correction, 0), in two passes."""
    plan = folding(a.shape, dim, keepdim)
    divisor = max(_count(a, dim) - correction, 0)
    if a.dtype.kind == "f" and a.size:
        out = np.empty(plan.result, a.dtype)
        over_outputs(reducing.variances, plan.folded, plan.fold(a), float(divisor), out.reshape(-1))
        return out
    return _complex_variance(a, dim, divisor).reshape(plan.result)


@quiet
def _complex_variance(a: Array, dim: Dims, divisor: float) -> Array:
    away = a - mean_dim(a, dim, True)
    squares = sum_dim(away.real**2 + away.imag**2, dim, True)
    return squares / squares.dtype.type(divisor)


def std_dim(a: Array, dim: Dims, correction: float, keepdim: bool) -> Array:
    """sqrt(var)."""
    return np.sqrt(var_dim(a, dim, correction, keepdim))


def _length(a: Array, dim: Dims, keepdim: bool) -> Array:
    """sqrt(sum_i |a_i|^2) over `dim`."""
    if a.dtype.kind == "c":
        return np.sqrt(sum_dim(a.real**2 + a.imag**2, dim, keepdim))
    plan = folding(a.shape, dim, keepdim)
    out = np.zeros(plan.result, a.dtype)
    if a.size:
        over_outputs(reducing.square_sums, plan.folded, plan.fold(a), out.reshape(-1)[:0], out.reshape(-1))
    return np.sqrt(out, out=out)


@quiet
def norm(a: Array, p: float, dim: Dims, keepdim: bool) -> Array:
    """(sum_i |a_i|^p)^(1/p) over `dim`."""
    if p == 2:
        return _length(a, dim, keepdim)
    sizes = np.abs(a)
    if math.isinf(p):
        return (_greatest if p > 0 else _least)(sizes, axis=dim, keepdims=keepdim)
    if p == 0:
        return sum_dim((sizes != 0).astype(sizes.dtype), dim, keepdim)
    powers = sizes if p == 1 else sizes**p
    total = sum_dim(powers, dim, keepdim)
    return total if p == 1 else total ** (1 / p)


def logsumexp(a: Array, dim: Dims, keepdim: bool) -> Array:
    """m + log sum_i exp(a_i - m) over `dim`, m being the greatest (real part of an) element."""
    plan = folding(a.shape, dim, keepdim)
    if a.dtype.kind == "f" and a.size:
        out = np.empty(plan.result, a.dtype)
        over_outputs(log_totals, plan.folded, plan.fold(a), out.reshape(-1))
        return out
    return _complex_logsumexp(a, dim).reshape(plan.result)


@quiet
def _complex_logsumexp(a: Array, dim: Dims) -> Array:
    top = _greatest(a.real, axis=dim, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    return np.log(sum_dim(np.exp(a - top), dim, True)) + top
