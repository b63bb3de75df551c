"""Convolution over up to three dimensions, and its gradients; cpu_algorithm.py says which algorithm computes each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...kernels.cpu.plan import run
from . import cpu_whole, plans

Array = np.ndarray
Ints = tuple[int, ...]


def convolution(input: Array, weight: Array, bias: Array | None, *rest: Any) -> Array:
    """bias[o] + sum over c, k of input[n, c, stride p + dilation k - padding] weight[o, c, k], for all n, o, p.

    `rest` is stride, padding, dilation, groups.
    """
    if weight.dtype.kind in "iu":
        return cpu_whole.full_convolution(input, weight, bias, *rest)
    if weight.dtype.kind == "c":
        product = _complex_product(convolution, input, weight, None, *rest)
        return product if bias is None else product + bias.reshape(-1, *(1,) * len(rest[0]))
    return _made(plans.convolution, input, weight, bias, *rest)[0]


def convolution_input_backward(grad_output: Array, weight: Array, input_shape: Ints, *rest: Any) -> Array:
    """The transpose of `convolution` as a linear map of the input, of shape input_shape."""
    if weight.dtype.kind in "iu":
        return cpu_whole.full_convolution_input_backward(grad_output, weight, input_shape, *rest)
    if weight.dtype.kind == "c":
        return _complex_product(convolution_input_backward, grad_output, weight, input_shape, *rest)
    return _made(plans.convolution_input_backward, grad_output, weight, input_shape, *rest)[0]


def convolution_weight_backward(grad_output: Array, input: Array, weight_shape: Ints, *rest: Any) -> Array:
    """sum over n, p of grad_output[n, o, p] input[n, c, stride p + dilation k - padding], for all o, c, k."""
    if input.dtype.kind == "c":
        return _complex_product(convolution_weight_backward, grad_output, input, weight_shape, *rest)
    return _made(plans.convolution_weight_backward, grad_output, input, weight_shape, *rest)[0]


def convolution_backward(
    output_mask: Sequence[bool],
    grad_output: Array,
    input: Array | None,
    weight: Array | None,
    input_shape: Ints,
    weight_shape: Ints,
    *rest: Any,
) -> tuple[Array | None, ...]:
    result = _made(
        plans.convolution_backward, tuple(output_mask), grad_output, input, weight, input_shape, weight_shape, *rest
    )
    return tuple([*result, None, None, None][:3])


def _made(find: Callable[..., Any], *arguments: Any) -> list[Any]:
    return run(find, *[contiguous(a) if isinstance(a, np.ndarray) else a for a in arguments])


def _complex_product(bilinear: Callable[..., Array], a: Array, b: Array, *rest: Any) -> Array:
    """A bilinear function of complex arrays by four of real ones: (p + iq) (r + is) = pr - qs + i (ps + qr)."""
    p, q, r, s = (np.ascontiguousarray(part) for part in (a.real, a.imag, b.real, b.imag))
    real = bilinear(p, r, *rest) - bilinear(q, s, *rest)
    result = np.empty(real.shape, a.dtype)
    result.real = real
    np.add(bilinear(p, s, *rest), bilinear(q, r, *rest), out=result.imag)
    return result
