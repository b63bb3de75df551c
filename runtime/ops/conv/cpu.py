"""Convolution over up to three dimensions, and its gradients; conv_choice.py says which way each one goes."""

from __future__ import annotations

import numpy as np

from .cpu_algorithm import for_input_grad, for_output, for_weight_grad
from .cpu_batch_last import turned_convolution, turned_input_grad, turned_weight_grad
from .cpu_complex import complex_convolution, complex_input_grad, complex_weight_grad
from .cpu_geometry import Ints


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
    rest = (stride, padding, dilation, groups)
    if weight.dtype.kind == "c":
        return complex_convolution(convolution, input, weight, bias, *rest)
    block, work, shape, channels, _ = for_output(input.itemsize, input.shape, weight.shape, *rest)
    if work is None:
        return turned_convolution(convolution, block, input, weight, bias, *rest)
    output = np.empty(shape, input.dtype)
    start = np.zeros(channels, input.dtype) if bias is None else bias.ravel()
    work.on(input.ravel(), weight.ravel(), start, output.ravel())
    return output


def convolution_input_backward(
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
        return complex_input_grad(convolution_input_backward, grad_output, weight, input_shape, *rest)
    block, work, shape, channels, whole = for_input_grad(weight.itemsize, input_shape, weight.shape, *rest)
    if work is None:
        return turned_input_grad(convolution_input_backward, block, grad_output, weight, input_shape, *rest)
    result = (np.empty if whole else np.zeros)(shape, weight.dtype)
    work.on(grad_output.ravel(), weight.ravel(), np.zeros(channels, weight.dtype), result.ravel())
    return result


def convolution_weight_backward(
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
        return complex_weight_grad(convolution_weight_backward, grad_output, input, weight_shape, *rest)
    block, work, *_ = for_weight_grad(input.itemsize, input.shape, weight_shape, *rest)
    if work is None:
        return turned_weight_grad(convolution_weight_backward, block, grad_output, input, weight_shape, *rest)
    result = np.zeros(weight_shape, input.dtype)
    work.on(grad_output.ravel(), input.ravel(), result.ravel())
    return result
