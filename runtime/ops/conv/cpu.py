"""Convolution over up to three dimensions, and its gradients; cpu_algorithm.py says which algorithm computes each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .cpu_algorithm import INPUT_BACKWARD, OUTPUT, WEIGHT_BACKWARD, algorithm
from .cpu_batch_last import batch_last_convolution, batch_last_input_backward, batch_last_weight_backward
from .cpu_geometry import Ints

Array = np.ndarray


def convolution(
    input: Array, weight: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """bias[o] + sum over c, k of input[n, c, stride p + dilation k - padding] weight[o, c, k], for all n, o, p."""
    rest = (stride, padding, dilation, groups)
    if weight.dtype.kind == "c":
        product = _complex_product(convolution, input, weight, None, *rest)
        return product if bias is None else product + bias.reshape(-1, *(1,) * len(stride))
    block, work, shape = algorithm(OUTPUT, input.itemsize, input.shape, weight.shape, *rest)
    if work is None:
        return batch_last_convolution(convolution, block, input, weight, bias, *rest)
    output = np.empty(shape, input.dtype)
    start = np.zeros(weight.shape[0], input.dtype) if bias is None else bias.ravel()
    work.on(input.ravel(), weight.ravel(), start, output.ravel())
    return output


def convolution_input_backward(
    grad_output: Array, weight: Array, input_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """The transpose of `convolution` as a linear map of the input, of shape input_shape."""
    rest = (stride, padding, dilation, groups)
    if weight.dtype.kind == "c":
        return _complex_product(convolution_input_backward, grad_output, weight, input_shape, *rest)
    block, work, _ = algorithm(INPUT_BACKWARD, weight.itemsize, input_shape, weight.shape, *rest)
    if work is None:
        return batch_last_input_backward(convolution_input_backward, block, grad_output, weight, input_shape, *rest)
    result = (np.empty if work.whole else np.zeros)(input_shape, weight.dtype)
    start = np.zeros(weight.shape[1] * groups, weight.dtype)
    work.on(grad_output.ravel(), weight.ravel(), start, result.ravel())
    return result


def convolution_weight_backward(
    grad_output: Array, input: Array, weight_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    """sum over n, p of grad_output[n, o, p] input[n, c, stride p + dilation k - padding], for all o, c, k."""
    rest = (stride, padding, dilation, groups)
    if input.dtype.kind == "c":
        return _complex_product(convolution_weight_backward, grad_output, input, weight_shape, *rest)
    block, work, _ = algorithm(WEIGHT_BACKWARD, input.itemsize, input.shape, weight_shape, *rest)
    if work is None:
        return batch_last_weight_backward(convolution_weight_backward, block, grad_output, input, weight_shape, *rest)
    result = np.zeros(weight_shape, input.dtype)
    work.on(grad_output.ravel(), input.ravel(), result.ravel())
    return result


def _complex_product(bilinear: Callable[..., Array], a: Array, b: Array, *rest: Any) -> Array:
    """A bilinear function of complex arrays by four of real ones: (p + iq) (r + is) = pr - qs + i (ps + qr)."""
    p, q, r, s = (np.ascontiguousarray(part) for part in (a.real, a.imag, b.real, b.imag))
    real = bilinear(p, r, *rest) - bilinear(q, s, *rest)
    result = np.empty(real.shape, a.dtype)
    result.real = real
    np.add(bilinear(p, s, *rest), bilinear(q, r, *rest), out=result.imag)
    return result
