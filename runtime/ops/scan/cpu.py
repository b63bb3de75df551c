"""Scans along a dimension: cumulative extrema, sums and products, linear recurrences, logcumsumexp.

Sums, products and what they are composed of are computed more exactly than they are given: each result is rounded once,
however many elements come before it. A line is one thread's, so their number changes no bit.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ...device.threads.parallel_for import shared
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, run
from . import plans
from .cpu_cummax import complex_logarithms, running_logarithms
from .cpu_cumprod import complex_recurrence, recurrence
from .cpu_cumsum import NARROW, running_lines_in_two, running_sums, running_sums_of_lines


def cummax(a: Array, dim: int) -> tuple[Array, Array]:
    return _cummax_cummin(plans.cummax, a, dim)


def cummin(a: Array, dim: int) -> tuple[Array, Array]:
    return _cummax_cummin(plans.cummin, a, dim)


def _cummax_cummin(find: Any, a: Array, dim: int) -> tuple[Array, Array]:
    """nan is extreme: from the first one on all are nan, and each later one has its own index."""
    if not a.ndim or not a.size:
        return a.copy(), np.zeros(a.shape, np.int64)
    values, positions = run(find, contiguous(a), dim)
    return values, positions


def cumsum(a: Array, dim: int) -> Array:
    return running_sum(a, dim, False)


def running_sum(a: Array, dim: int, reverse: bool) -> Array:
    """y_i = sum_{j <= i} a_j along `dim`, or j >= i in `reverse`."""
    if a.dtype.kind == "b":
        return _of_bools(np.logical_or, a, dim)
    plan = _lines(a, dim, a.dtype.kind == "c")
    if plan is None:
        return a.copy()
    out = np.empty(a.shape, a.dtype)
    if plan.after == 1 and plan.dtype == np.float32 and not reverse:
        running_sums_of_lines(_flat(a, plan), _flat(out, plan), plan.along)
        return out
    if plan.after == 1 and plan.dtype == np.float64 and not reverse:
        _shared(running_lines_in_two, (_flat(a, plan), _flat(out, plan), plan.along), plan)
        return out
    wide = _wide(plan.dtype)
    arguments = _flat(a, plan), _flat(out, plan), wide, plan.dtype == wide.dtype == np.float64
    _shared(running_sums, (*arguments, plan.along, plan.after, reverse), plan)
    return out


def cumprod(a: Array, dim: int) -> Array:
    if a.dtype.kind == "b":
        return _of_bools(np.logical_and, a, dim)
    return _recurrence(np.empty(0, a.dtype), a, dim, False)


def _of_bools(running: Any, a: Array, dim: int) -> Array:
    return running.accumulate(a, axis=dim) if a.ndim else a.copy()


def linear_recurrence(self: Array, factor: Array, dim: int, reverse: bool) -> Array:
    """y_i = x_i + f_i y_(i-1) along `dim`, or y_(i+1) in reverse; the first has nothing before it."""
    return _recurrence(self, factor, dim, reverse)


def _recurrence(added: Array, factor: Array, dim: int, reverse: bool) -> Array:
    """The running products of the factors where nothing is added."""
    plan = _lines(factor, dim, False)
    if plan is None:
        return (added if added.size else factor).copy()
    out = np.empty(factor.shape, factor.dtype)
    arrays = _flat(added, plan), _flat(factor, plan), _flat(out, plan)
    if factor.dtype.kind == "c":
        in_two = factor.dtype == np.complex128
        _shared(complex_recurrence, (*arrays, in_two, plan.along, plan.after, reverse), plan)
    else:
        wide = _wide(factor.dtype)
        in_two = factor.dtype == wide.dtype == np.float64
        _shared(recurrence, (*arrays, wide, in_two, plan.along, plan.after, reverse), plan)
    return out


def logcumsumexp(a: Array, dim: int) -> Array:
    plan = _lines(a, dim, False)
    if plan is None:
        return a.copy()
    out = np.empty(a.shape, a.dtype)
    loop = complex_logarithms if a.dtype.kind == "c" else running_logarithms
    _shared(loop, (_flat(a, plan), _flat(out, plan), plan.along, plan.after), plan)
    return out


class _Lines(NamedTuple):
    """The layout of an array for a scan: (before, along, after) elements of a dtype."""

    before: int
    along: int
    after: int
    dtype: np.dtype


def _lines(a: Array, dim: int, as_pairs: bool) -> _Lines | None:
    if a.size <= 1 or a.shape[dim] == 1:
        return None
    before, after = math.prod(a.shape[:dim]), math.prod(a.shape[dim + 1 :])
    if as_pairs:
        return _Lines(before, a.shape[dim], 2 * after, a.real.dtype)
    return _Lines(before, a.shape[dim], after, a.dtype)


def _flat(a: Array, lines: _Lines) -> Array:
    return np.ascontiguousarray(a).reshape(-1).view(lines.dtype)


def _wide(dtype: np.dtype) -> Array:
    return np.empty(0, np.float64 if dtype.kind == "f" else np.int64)


def _shared(loop: Any, arguments: tuple[Any, ...], lines: _Lines) -> None:
    count = lines.before * lines.after
    shared(loop, arguments, count, count * lines.along, 4 if lines.after <= NARROW else 64)
