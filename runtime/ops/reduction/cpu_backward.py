"""Backward of reductions, one kernel each: the gradient of the input from that of the result.

`dim` is a sorted tuple of dimensions, one dimension, or None for all; `grad` has the result's shape, with the reduced
dimensions as 1 or without them, which is the same memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...kernels.cpu.folding import Folding, folding
from ...pool.parallel_for import shared
from ..scan.cpu import running_sum
from . import cpu_backward_loops as spreading
from . import cpu_reduce_loops as reducing
from .cpu import over_outputs, quiet

Array = np.ndarray
Dims = tuple[int, ...]


def _plan(shape: Dims, dim: Dims | int | None) -> Folding:
    if dim is None or not shape:
        return folding(shape, tuple(range(len(shape))))
    return folding(shape, (dim,) if isinstance(dim, int) else dim)


def _line(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(-1)


def spread_sum(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    """g for all elements that were added up in it."""
    return _spread_plain(grad, shape, dim, 1)


def spread_mean(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    """g / n for the n elements behind one mean."""
    count = math.prod(shape if dim is None else (shape[d] for d in dim))
    return _spread_plain(grad, shape, dim, count or 1)


def _spread_plain(grad: Array, shape: Dims, dim: Dims | None, divisor: float) -> Array:
    plan = _plan(shape, dim)
    result = np.empty(shape, grad.dtype)
    if plan.order:
        np.copyto(result, (grad / grad.dtype.type(divisor)).reshape(plan.kept))
    elif result.size:
        before, along, after = plan.folded
        arguments = (_line(grad), float(divisor), result.reshape(plan.folded))
        shared(spreading.spread_plain, arguments, before * along, result.size, -(-reducing.COLUMNS // after))
    return result


def variance_slope(grad: Array, x: Array, dim: Dims, correction: float) -> Array:
    """2 g (x - mean) / (n - correction)."""
    plan = _plan(x.shape, dim)
    free = plan.folded[1] - correction
    return _spread(spreading.spread_variance, plan, x, (grad,), 2 / free if free > 0 else math.inf)


def deviation_slope(grad: Array, x: Array, result: Array, dim: Dims, correction: float) -> Array:
    """g (x - mean) / (n - correction) / std, and 0 where that is 0."""
    return variance_slope(grad / np.where(result == 0, math.inf, 2 * result).astype(grad.dtype), x, dim, correction)


def extreme_slope(grad: Array, x: Array, result: Array, dim: Dims | None) -> Array:
    """g, shared evenly between the elements that are the extremum."""
    return _spread(spreading.spread_over_equals, _plan(x.shape, dim), x, (result, grad))


def choice_slope(grad: Array, shape: Dims, dim: int, indices: Array) -> Array:
    """g at the places along `dim` that were chosen, 0 elsewhere."""
    result = np.empty(shape, grad.dtype)
    if result.size:
        folded = _plan(shape, dim).folded
        over_outputs(spreading.spread_to_places, folded, _line(indices), _line(grad), result.reshape(folded))
    return result


@quiet
def norm_slope(grad: Array, x: Array, result: Array, p: float, dim: Dims) -> Array:
    """g sgn(x) (|x| / norm)^(p - 1), and 0 where x is 0."""
    plan = _plan(x.shape, dim)
    if math.isinf(p):
        sizes = np.abs(x)
        top = (np.maximum if p > 0 else np.minimum).reduce(sizes, axis=dim, keepdims=True)
        return extreme_slope(grad, sizes, top, dim) * np.sign(x)
    if p == 2:
        factors = grad / np.where(result == 0, math.inf, result).astype(x.dtype)
        return _spread(spreading.spread_scaled, plan, x, (factors,))
    grads, length = grad.reshape(plan.kept), result.reshape(plan.kept)
    if p in (0, 1):
        return np.multiply(np.sign(x), grads if p else 0, out=np.empty(x.shape, x.dtype))
    share = np.abs(x) / np.where(length == 0, math.inf, length).astype(x.dtype)
    return np.multiply(grads * np.sign(x), np.where(share == 0, 1, share) ** x.dtype.type(p - 1))


def logsumexp_slope(grad: Array, x: Array, result: Array, dim: Dims) -> Array:
    """g exp(x - result), and 0 where all x are -inf."""
    tops = np.where(result == -math.inf, 0, result).astype(x.dtype)
    return _spread(spreading.spread_exponentials, _plan(x.shape, dim), x, (tops, grad))


def cumsum_slope(grad: Array, dim: int) -> Array:
    """x_j gets sum_{i >= j} g_i."""
    return running_sum(grad, dim, True)


def product_slope(grad: Array, x: Array, dim: int | None) -> Array:
    """g times the product of the other elements."""
    return _spread(spreading.spread_product, _plan(x.shape, dim), x, (grad,))


def _spread(loop: Callable[..., None], plan: Folding, x: Array, given: tuple[Array, ...], *numbers: float) -> Array:
    """Runs a loop over the folded x, with what there is one of for each element of the result."""
    if plan.order:
        result = np.empty(plan.folded, x.dtype)
        over_outputs(loop, plan.folded, plan.fold(x), *map(_line, given), *numbers, result)
        return plan.unfold(result)
    result = np.empty(plan.shape, x.dtype)
    if result.size:
        over_outputs(loop, plan.folded, plan.fold(x), *map(_line, given), *numbers, result.reshape(plan.folded))
    return result
