"""Norms on a device over any dimensions, with weights of any shape that broadcasts.

Rows are copied together and standardized without weights; these come before and after, element by element.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.launching.elements import apply, made
from ...cuda.launching.rows import Rows, compute, program
from ...cuda.views import in_order as in_memory_order
from ...cuda.views import permuted
from ..reduction.cuda import sum_to_size
from . import cuda_kernels as kernels

Ints = tuple[int, ...]
Maybe = DeviceArray | None
Three = tuple[DeviceArray, DeviceArray, DeviceArray]


def standardize_any(
    input: DeviceArray, weight: Maybe, bias: Maybe, dim: Ints, affine_shape: Ints, eps: float, stats_shape: Ints
) -> Three:
    """(x - mean) / sqrt(var + eps) * weight + bias, with the mean and the (biased) variance over `dim`."""
    order, rows = rows_over(input.shape, dim)
    units, mean, var = memory.scratch(input, input.shape), *(memory.result(input, stats_shape) for _ in range(2))
    compute(program("standardize_plain"), rows, (merged_view(input, order),), (units, mean, var), (eps,))
    args = restored_order(units, order, input.shape), seen(weight, affine_shape, 1.0), seen(bias, affine_shape, 0.0)
    return made(kernels.scaled, input.shape, args), mean, var


def standardize_backward_any(
    output_mask: Sequence[bool],
    grad: DeviceArray,
    input: DeviceArray,
    weight: Maybe,
    stats: tuple[DeviceArray, DeviceArray],
    dim: Ints,
    affine_shape: Ints,
    eps: float,
) -> Sequence[Maybe]:
    order, rows = rows_over(input.shape, dim)
    result = share = shift = None
    if output_mask[0]:
        weighted = memory.scratch(grad, grad.shape)
        apply(kernels.scaled, grad.dtype, (grad, seen(weight, affine_shape, 1.0), 0.0), weighted)
        value = memory.result(input, input.shape)
        args = merged_view(weighted, order), merged_view(input, order), *map(in_memory_order, stats)
        compute(program("standardize_plain_backward"), rows, args, (value,), (eps,))
        result = memory.moved(restored_order(value, order, input.shape))
    if output_mask[1]:
        remaining_dims = tuple(1 if d in dim else n for d, n in enumerate(input.shape))
        factors = (in_memory_order(each).reshape(remaining_dims) for each in stats)
        parts = memory.scratch(input, input.shape)
        apply(kernels.unit_scaled, input.dtype, (input, grad, *factors, eps), parts)
        share = sum_to_size(parts, affine_shape)
    if output_mask[2]:
        shift = sum_to_size(grad, affine_shape)
    return result, share, shift


def rows_over(shape: Ints, dim: Ints) -> tuple[Ints, Rows]:
    """The order of dimensions in which rows over `dim` lie in row order, and these rows."""
    remaining_dims = tuple(d for d in range(len(shape)) if d not in dim)
    along = prod(shape[d] for d in dim)
    return (*remaining_dims, *dim), Rows("rows", prod(shape[d] for d in remaining_dims), along, (along,))


def merged_view(array: DeviceArray, order: Ints) -> DeviceArray:
    return memory.moved(permuted(array, *order))


def restored_order(array: DeviceArray, order: Ints, shape: Ints) -> DeviceArray:
    """A view of an array whose memory has dimensions in this order, in the order that they have in a shape."""
    back = sorted(range(len(order)), key=order.__getitem__)
    return permuted(array.reshape(tuple(shape[d] for d in order)), *back)


def seen(values: Maybe, shape: Ints, neutral: float) -> DeviceArray | float:
    """Weights or shifts in the shape in which they broadcast; `neutral` in place of None."""
    return neutral if values is None else in_memory_order(values).reshape(shape)
