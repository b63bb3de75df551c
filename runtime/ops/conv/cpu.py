"""Convolution over up to three dimensions, and its gradients; cpu_algorithm.py says which algorithm computes each.

Of whole numbers it is a product of matrices for each element of the kernel; overflow wraps around.
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Ints, run
from . import plans

Index = tuple[Any, ...]


def full_convolution(
    input: Array, weight: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    dims = len(stride)
    sides = np.asarray(padding).reshape(dims, -1)[:, [0, -1]]
    items = input.reshape(-1, *input.shape[-dims - 1 :])
    padded = np.pad(items, [(0, 0), (0, 0), *sides])
    kernel = weight.shape[2:]
    size = tuple(
        (n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(padded.shape[2:], kernel, stride, dilation, strict=True)
    )
    out = np.zeros((len(items), groups, len(weight) // groups, prod(size)), input.dtype)
    for tap, region in _taps(kernel, size, stride, dilation):
        seen = padded[region].reshape(len(items), groups, weight.shape[1], prod(size))
        out += weight[tap].reshape(groups, -1, weight.shape[1]) @ seen
    result = out.reshape(*input.shape[: -dims - 1], len(weight), *size)
    return result if bias is None else result + bias.reshape(-1, *(1,) * dims)


def full_convolution_input_backward(
    grad_output: Array, weight: Array, input_shape: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Array:
    dims = len(stride)
    sides = np.asarray(padding).reshape(dims, -1)[:, [0, -1]]
    size, plane = grad_output.shape[-dims:], input_shape[-dims:]
    items = grad_output.reshape(-1, groups, len(weight) // groups, prod(size))
    channels = weight.shape[1]
    padded = np.zeros((len(items), groups * channels, *np.add(plane, sides.sum(1))), grad_output.dtype)
    for tap, region in _taps(weight.shape[2:], size, stride, dilation):
        tap_grad = weight[tap].reshape(groups, -1, channels).swapaxes(1, 2) @ items
        padded[region] += tap_grad.reshape(len(items), groups * channels, *size)
    inner = [slice(before, before + n) for (before, _), n in zip(sides, plane, strict=True)]
    return padded[:, :, *inner].reshape(input_shape)


def _taps(kernel: Ints, size: Ints, stride: Ints, dilation: Ints) -> Iterator[tuple[Index, Index]]:
    for tap in np.ndindex(*kernel):
        starts = [k * d for k, d in zip(tap, dilation, strict=True)]
        met = (slice(a, a + s * (n - 1) + 1, s) for a, s, n in zip(starts, stride, size, strict=True))
        yield (slice(None), slice(None), *tap), (slice(None), slice(None), *met)


def convolution(input: Array, weight: Array, bias: Array | None, *rest: Any) -> Array:
    """bias[o] + sum over c, k of input[n, c, stride p + dilation k - padding] weight[o, c, k], for all n, o, p."""
    if weight.dtype.kind in "iu":
        return full_convolution(input, weight, bias, *rest)
    if weight.dtype.kind == "c":
        product = _complex_product(convolution, input, weight, None, *rest)
        return product if bias is None else product + bias.reshape(-1, *(1,) * len(rest[0]))
    return _made(plans.convolution, input, weight, bias, *rest)[0]


def convolution_input_backward(grad_output: Array, weight: Array, input_shape: Ints, *rest: Any) -> Array:
    if weight.dtype.kind in "iu":
        return full_convolution_input_backward(grad_output, weight, input_shape, *rest)
    if weight.dtype.kind == "c":
        return _complex_product(convolution_input_backward, grad_output, weight, input_shape, *rest)
    return _made(plans.convolution_input_backward, grad_output, weight, input_shape, *rest)[0]


def convolution_weight_backward(grad_output: Array, input: Array, weight_shape: Ints, *rest: Any) -> Array:
    """sum over n, p of grad_output[n, o, p] input[n, c, stride p + dilation k - padding], for all o, c, k."""
    if input.dtype.kind == "c":
        return _complex_product(convolution_weight_backward, grad_output, input, weight_shape, *rest)
    return _made(plans.convolution_weight_backward, grad_output, input, weight_shape, *rest)[0]


def convolution_backward(output_mask: Sequence[bool], *rest: Any) -> tuple[Array | None, ...]:
    result = _made(plans.convolution_backward, tuple(output_mask), *rest)
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
