"""Backward of reductions: the fused forms of the formulas in derivatives.yaml, which `codegen verify` compares.

`dim` is a sorted tuple of dimensions, one dimension, or None for all; `grad` has the result's shape, with the reduced
dimensions as 1 or without them, which is the same memory.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.index_select import put_along
from ...kernels.cpu.plan import Array, Plan, run
from ...kernels.cpu.reduce_layout import Dims, folding
from ..scan.cpu import running_sum
from . import plans


def sum_backward(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    return _broadcast_gradient(grad, shape, dim, 1)


def mean_backward(grad: Array, shape: Dims, dim: Dims | None) -> Array:
    return _broadcast_gradient(grad, shape, dim, folding(shape, dim).folded[1] or 1)


def _broadcast_gradient(grad: Array, shape: Dims, dim: Dims | None, divisor: float) -> Array:
    if plans.stands(grad.size, shape):
        one = (grad.reshape(-1) / np.float64(divisor)).astype(grad.dtype)
        return as_strided(one, shape, (0,) * len(shape))
    fold = folding(shape, dim)
    if fold.order:
        expand_grad = (grad / grad.dtype.type(divisor)).reshape(fold.keepdim_shape)
        return np.broadcast_to(expand_grad, shape).copy()
    if not math.prod(shape):
        return np.empty(shape, grad.dtype)
    return run(plans.divided, contiguous(grad), shape, dim, divisor)[0]


def value_selecting_reduction_backward(grad: Array, shape: Dims, dim: int, indices: Array) -> Array:
    """Zeros with each gradient at the index along `dim` that its element came from (max, median, sort, topk)."""
    result = np.zeros(shape, grad.dtype)
    if grad.size:
        before, along, after = folding(shape, dim).folded
        where, value = (np.ascontiguousarray(a).reshape(before, -1, after) for a in (indices, grad))
        put_along(result.reshape(before, along, after), where, value, False)
    return result


def cumsum_backward(grad: Array, dim: int) -> Array:
    return running_sum(grad, dim, True)


def prod_backward(grad: Array, x: Array, dim: int | None) -> Array:
    return _expand_grad(plans.prod_backward, (grad, x), dim)


def _expand_grad(
    find: Callable[..., Plan | None], operands: Sequence[Array], dim: Dims | int | None, *numbers: float
) -> Array:
    """The plan's gradient of x, the second operand, in any layout: the dimensions `dim` are brought together first."""
    grad, x, *others = operands
    fold = folding(x.shape, dim)
    if not x.size:
        return np.empty(x.shape, x.dtype)
    return fold.unfold(run(find, contiguous(grad), fold.fold(x), *map(contiguous, others), 1, *numbers)[0])
