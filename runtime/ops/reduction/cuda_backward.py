"""Backward of reductions on a device: row programs over the dimensions that were reduced."""

from __future__ import annotations

import math

from ...cuda import memory
from ...cuda.array import DeviceArray
from ...cuda.fallback import Fallback
from ...cuda.launching.layouts import MOST
from ...cuda.launching.moving import numbers, over_elements
from ...cuda.launching.rows import Given, compute, in_order, over, program, rows_of, run
from ...kernels.cpu.folding import folding, reduced_dims_of
from ...kernels.cuda.sorting.ranks import PUT_BACK
from ...tensor.row_shapes import Output
from . import cpu_backward as cpu
from .cuda_products import prod_backward as prod_backward

Dims = tuple[int, ...]
ROW = (Output("row"),)


def sum_backward(grad: DeviceArray, shape: Dims, dim: Dims | None) -> DeviceArray:
    return repeated(grad, shape, dim)


def mean_backward(grad: DeviceArray, shape: Dims, dim: Dims | None) -> DeviceArray:
    count = folding(tuple(shape), dim).folded[1] or 1
    given = (Given("grad", in_order(grad).ravel(), "row"),)
    divided = run("mean_backward", program("divided"), given, (float(count),), ROW, 0, False)
    return repeated(divided, shape, dim)


def repeated(grad: DeviceArray, shape: Dims, dim: Dims | None) -> DeviceArray:
    kept = folding(tuple(shape), dim).kept
    seen = in_order(grad).reshape(kept)
    steps = tuple(0 if own != n else step for own, n, step in zip(kept, shape, seen.byte_strides, strict=True))
    return memory.result_of(seen.laid(shape, steps))


def var_backward(grad: DeviceArray, x: DeviceArray, dim: Dims, correction: float) -> DeviceArray:
    return spread("variance_slopes", (grad, x), dim, float(correction))


def std_backward(grad: DeviceArray, x: DeviceArray, result: DeviceArray, dim: Dims, correction: float) -> DeviceArray:
    return spread("deviation_slopes", (grad, x, result), dim, float(correction))


def extremum_backward(grad: DeviceArray, x: DeviceArray, result: DeviceArray, dim: Dims | None) -> DeviceArray:
    return spread("extremum_slopes", (grad, x, result), dim)


def norm_backward(grad: DeviceArray, x: DeviceArray, result: DeviceArray, p: float, dim: Dims) -> DeviceArray:
    if p == 0:
        found: DeviceArray = over("no_slopes", (x,), reduced_dims_of(x.ndim, dim), outputs=ROW)
        return found
    if math.isinf(p):
        return spread("size_extremum_slopes", (grad, x, result), dim)
    return spread("length_slopes", (grad, x, result), dim, float(p))


def logsumexp_backward(grad: DeviceArray, x: DeviceArray, result: DeviceArray, dim: Dims) -> DeviceArray:
    return spread("logsumexp_slopes", (grad, x, result), dim)


def value_selecting_reduction_backward(grad: DeviceArray, shape: Dims, dim: int, indices: DeviceArray) -> DeviceArray:
    result = memory.result(grad, tuple(shape))
    before, along, after = folding(tuple(shape), dim).folded
    if result.size > MOST and grad.size != before * after:
        found: DeviceArray = Fallback(cpu.value_selecting_reduction_backward)(grad, shape, dim, indices)
        return found
    if grad.size != before * after or not result.size:
        return several_put_back(grad, indices, result, (before, along, after))
    arrays = result, in_order(grad), in_order(indices)
    compute(program("selected_slopes"), rows_of(before, along, after), arrays, (result,))
    return result


def several_put_back(
    grad: DeviceArray, indices: DeviceArray, result: DeviceArray, shape: tuple[int, int, int]
) -> DeviceArray:
    before, along, after = shape
    if grad.size != result.size:
        memory.fill(result, 0)
    if grad.size:
        given = [in_order(each).ravel() for each in (grad, indices)]
        layout = numbers(along, after, grad.size // (before * after))
        over_elements(PUT_BACK, grad.size, *given, result.ravel(), *layout)
    return result


def spread(name: str, arrays: tuple[DeviceArray, ...], dim: Dims | int | None, *numbers: float) -> DeviceArray:
    """The gradient of x, the second array, by a program of one gradient, and one result, a row."""
    grad, x, *results = arrays
    dims = reduced_dims_of(x.ndim, dim)
    result = folding(x.shape, dims).result
    given = [Given("x", x, "row"), *(Given("grad", in_order(a).reshape(result), "each") for a in (grad, *results))]
    found: DeviceArray = run(name, program(name), given, numbers, ROW, dims, False)
    return found
