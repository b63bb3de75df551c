"""Convolution over up to three dimensions, and its gradients: sums of shifted pictures, see conv_plan.py."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from . import conv_complex
from .conv_loops import add_shifted, multiply_shifted
from .conv_plan import Plan, backward_plan, covered, forward_plan, slopes_layout
from .conv_sizes import Geometry, Ints, geometry

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
        return conv_complex.convolution(convolution, input, weight, bias, stride, padding, dilation, groups)
    shape, plan = _forward(input.shape, weight.shape, stride, padding, dilation, groups)
    output = np.empty(shape, input.dtype)
    start = np.zeros(shape[-len(stride) - 1], input.dtype) if bias is None else bias.ravel()
    add_shifted(input.ravel(), weight.ravel(), start, output.ravel(), *plan)
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
        return conv_complex.input_grad(convolution_input_grad, grad_output, weight, input_shape, *rest)
    make, channels, plan = _backward(input_shape, weight.shape, *rest)
    result = make(input_shape, weight.dtype)
    start = np.zeros(channels, weight.dtype)
    add_shifted(grad_output.ravel(), weight.ravel(), start, result.ravel(), *plan)
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
        return conv_complex.weight_grad(convolution_weight_grad, grad_output, input, weight_shape, *rest)
    arrays, sizes = _products(input.shape, weight_shape, *rest, input.itemsize)
    result = np.zeros(weight_shape, input.dtype)
    multiply_shifted(grad_output.ravel(), input.ravel(), result.ravel(), *arrays, *sizes)
    return result


def _sizes(input_shape: Ints, weight_shape: Ints, *rest: Any) -> Geometry:
    """Those of the convolution of a batch, of one sample where the input is none."""
    return geometry((1,) * (len(weight_shape) - len(input_shape)) + tuple(input_shape), tuple(weight_shape), *rest)


@functools.lru_cache(maxsize=1024)
def _forward(input_shape: Ints, weight_shape: Ints, stride: Ints, *rest: Any) -> tuple[Ints, Plan]:
    """The shape of the output, and how it is computed."""
    sizes = _sizes(input_shape, weight_shape, stride, *rest)
    lead = input_shape[: len(input_shape) - len(stride) - 1]
    return (*lead, weight_shape[0], *sizes.positions[3 - len(stride) :]), forward_plan(sizes)


@functools.lru_cache(maxsize=1024)
def _backward(input_shape: Ints, weight_shape: Ints, *rest: Any) -> tuple[Callable[..., np.ndarray], int, Plan]:
    """How the gradient of the input is made, as zeros where tasks do not write all of it; its channels; the tasks."""
    sizes = _sizes(input_shape, weight_shape, *rest)
    plan = backward_plan(sizes)
    return np.empty if covered(plan) == prod(sizes.sizes) else np.zeros, sizes.groups * sizes.channels, plan


@functools.lru_cache(maxsize=1024)
def _products(
    input_shape: Ints, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int, itemsize: int
) -> tuple[tuple[np.ndarray, ...], Ints]:
    """What the loops for the gradient of the weight take: layouts, and how much they do at a time."""
    sizes = _sizes(input_shape, weight_shape, stride, padding, dilation, groups)
    plan = forward_plan(sizes)
    columns = int(plan.tasks[0, 2])
    pictures = columns * sizes.outputs + int(plan.layout[5] * plan.layout[6]) * sizes.channels
    together = max(TOGETHER_BYTES // max(pictures * itemsize, 1), -(-TOGETHER_COLUMNS // columns))
    arrays = (*slopes_layout(sizes), plan.layout, plan.parts, plan.taps[0])
    return arrays, (columns, sizes.batch, max(1, min(together, sizes.batch)))
