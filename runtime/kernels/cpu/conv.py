"""Convolution over up to three dimensions, and its gradients: sums of shifted pictures, see conv_plan.py."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .conv_complex import complex_convolution, complex_input_grad, complex_weight_grad
from .conv_loops import ROWS, add_shifted, multiply_shifted
from .conv_plan import backward_plan, covered, forward_plan, slopes_layout
from .conv_sizes import Geometry, Ints, geometry
from .conv_stencil import filter_planes, filter_slopes, stencil_numbers
from .conv_work import Work

TOGETHER_BYTES = 1 << 19  # of the pictures of some samples: a share of the second-level cache
TOGETHER_COLUMNS = 1024  # so many are summed up in registers before they are added to the gradient of a weight


def convolution(
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> np.ndarray:
    """bias[o] + sum over c, k of input[n, c, stride p + dilation k - padding] weight[o, c, k], for all n, o, p."""
    if weight.dtype.kind == "c":
        return complex_convolution(convolution, input, weight, bias, stride, padding, dilation, groups)
    shape, work = _forward(input.shape, weight.shape, stride, padding, dilation, groups)
    output = np.empty(shape, input.dtype)
    start = np.zeros(shape[-len(stride) - 1], input.dtype) if bias is None else bias.ravel()
    work.on(input.ravel(), weight.ravel(), start, output.ravel())
    return output


def convolution_input_grad(
    grad_output: np.ndarray,
    weight: np.ndarray,
    input_shape: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> np.ndarray:
    """The transpose of `convolution` as a map of the input, of shape input_shape."""
    rest = (stride, padding, dilation, groups)
    if weight.dtype.kind == "c":
        return complex_input_grad(convolution_input_grad, grad_output, weight, input_shape, *rest)
    make, channels, work = _backward(input_shape, weight.shape, *rest)
    result = make(input_shape, weight.dtype)
    start = np.zeros(channels, weight.dtype)
    work.on(grad_output.ravel(), weight.ravel(), start, result.ravel())
    return result


def convolution_weight_grad(
    grad_output: np.ndarray,
    input: np.ndarray,
    weight_shape: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> np.ndarray:
    """sum over n, p of grad_output[n, o, p] input[n, c, stride p + dilation k - padding], for all o, c, k."""
    rest = (stride, padding, dilation, groups)
    if input.dtype.kind == "c":
        return complex_weight_grad(convolution_weight_grad, grad_output, input, weight_shape, *rest)
    result = np.zeros(weight_shape, input.dtype)
    work = _products(input.shape, weight_shape, *rest, input.itemsize)
    work.on(grad_output.ravel(), input.ravel(), result.ravel())
    return result


def _sizes(input_shape: Ints, weight_shape: Ints, *rest: Any) -> Geometry:
    """Those of the convolution of a batch, of one sample where the input is none."""
    return geometry((1,) * (len(weight_shape) - len(input_shape)) + tuple(input_shape), tuple(weight_shape), *rest)


@functools.lru_cache(maxsize=1024)
def _forward(input_shape: Ints, weight_shape: Ints, stride: Ints, *rest: Any) -> tuple[Ints, Work]:
    """The shape of the output, and how it is computed."""
    g = _sizes(input_shape, weight_shape, stride, *rest)
    lead = input_shape[: len(input_shape) - len(stride) - 1]
    shape = (*lead, weight_shape[0], *g.positions[3 - len(stride) :])
    numbers = stencil_numbers(g, mirrored=False)
    if numbers is not None:
        return shape, Work(filter_planes, (numbers,), g.batch * g.groups, g.products)
    return shape, Work(add_shifted, forward_plan(g), g.batch * g.groups * -(-g.outputs // ROWS), g.products)


@functools.lru_cache(maxsize=1024)
def _backward(input_shape: Ints, weight_shape: Ints, *rest: Any) -> tuple[Callable[..., np.ndarray], int, Work]:
    """How the gradient of the input is made, as zeros where not all of it is written; its channels; the computation."""
    g = _sizes(input_shape, weight_shape, *rest)
    channels, numbers = g.groups * g.channels, stencil_numbers(g, mirrored=True)
    if numbers is not None:
        return np.empty, channels, Work(filter_planes, (numbers,), g.batch * g.groups, g.products)
    plan = backward_plan(g)
    work = Work(add_shifted, plan, g.batch * g.groups * -(-g.channels // ROWS), g.products)
    return np.empty if covered(plan) == prod(g.sizes) else np.zeros, channels, work


@functools.lru_cache(maxsize=1024)
def _products(
    input_shape: Ints, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int, itemsize: int
) -> Work:
    """How the gradient of the weight is computed."""
    g = _sizes(input_shape, weight_shape, stride, padding, dilation, groups)
    numbers = stencil_numbers(g, mirrored=False)
    if numbers is not None:
        return Work(filter_slopes, (numbers,), g.groups, g.products)
    plan = forward_plan(g)
    columns = int(plan.tasks[0, 2])
    pictures = columns * g.outputs + int(plan.layout[5] * plan.layout[6]) * g.channels
    together = max(TOGETHER_BYTES // max(pictures * itemsize, 1), -(-TOGETHER_COLUMNS // columns))
    sizes = np.array([columns, g.batch, max(1, min(together, g.batch)), groups], np.int64)
    arguments = (*slopes_layout(g), plan.layout, plan.parts, plan.taps[0], sizes)
    return Work(multiply_shifted, arguments, groups * -(-g.outputs // ROWS), g.products)
