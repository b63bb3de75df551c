"""Convolution in any number of dimensions: windows are copied to the columns of a matrix, BLAS does the rest.

A block of samples is handled at a time, so that its columns stay in the cache: forward, input gradient and weight
gradient are one matrix product each per block and group.
"""

from __future__ import annotations

import numpy as np

from .columns import add_columns, columns, to_columns, to_samples
from .conv_sizes import Geometry, geometry

Ints = tuple[int, ...]


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
    x = input if input.ndim == weight.ndim else input[None]
    plan = geometry(x.shape, weight.shape, stride, padding, dilation, groups)
    output = np.empty((plan.batch, plan.outputs, *plan.positions), input.dtype)
    matrix = weight.reshape(plan.matrix)
    for block in plan.blocks(x.itemsize):
        product = np.matmul(matrix, columns(x[block], plan))
        if bias is not None:
            product += bias.reshape(groups, -1, 1)
        output[block] = to_samples(product, plan.positions)
    return output if x is input else output[0]


def convolution_input_grad(
    grad_output: np.ndarray,
    weight: np.ndarray,
    input_shape: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> np.ndarray:
    """The transpose of `convolution` as a map of the input, of shape input_shape.

    With stride 1 it is a convolution with the mirrored weight; otherwise, or where that would have far more columns,
    every product is added back to where its input stood.
    """
    grad = grad_output if grad_output.ndim == weight.ndim else grad_output[None]
    shape = tuple(input_shape) if grad is grad_output else (1, *input_shape)
    plan = geometry(shape, weight.shape, stride, padding, dilation, groups)
    pads = plan.mirrored_pads
    if set(stride) == {1} and min(pads) >= 0 and plan.outputs <= 3 * plan.channels:
        result = convolution(grad, _mirrored(weight, groups), None, stride, pads, dilation, groups)
    else:
        result = _scattered(grad, weight, plan)
    return result if grad is grad_output else result[0]


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
    batched = input.ndim == len(weight_shape)
    x, grad = (input, grad_output) if batched else (input[None], grad_output[None])
    plan = geometry(x.shape, tuple(weight_shape), stride, padding, dilation, groups)
    total = np.zeros(plan.matrix, grad.dtype)
    for block in plan.blocks(x.itemsize):
        total += np.matmul(to_columns(grad[block], groups), columns(x[block], plan).transpose(0, 2, 1))
    return total.reshape(weight_shape)


def _mirrored(weight: np.ndarray, groups: int) -> np.ndarray:
    """The weight with input and output channels exchanged in each group, and reversed along the kernel."""
    outputs, channels, *kernel = weight.shape
    grouped = weight.reshape(groups, outputs // groups, channels, *kernel).swapaxes(1, 2)
    return np.flip(grouped, tuple(range(3, grouped.ndim))).reshape(groups * channels, outputs // groups, *kernel)


def _scattered(grad: np.ndarray, weight: np.ndarray, plan: Geometry) -> np.ndarray:
    """The input gradient: the gradient of the columns, added back window by window."""
    matrix = weight.reshape(plan.matrix).transpose(0, 2, 1)
    result = np.empty((plan.batch, plan.channels, *plan.sizes), grad.dtype)
    for block in plan.blocks(grad.itemsize):
        result[block] = add_columns(np.matmul(matrix, to_columns(grad[block], plan.groups)), plan)
    return result
