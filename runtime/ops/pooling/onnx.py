"""Pooling in ONNX operators. Sizes that are rounded up are reached by more padding behind, which no mean counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np


def max_pooled(
    onnx: Any,
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil: bool,
    spatial: int,
    shape: Sequence[int],
) -> Any:
    """The largest value of each window of the last dimensions."""
    kernel, steps, padding, dilation = _broadcast_params(spatial, kernel, stride or kernel, padding, dilation)
    pads = _pads(x, kernel, steps, padding, dilation, shape) if ceil else [*padding, *padding]
    options = {"kernel_shape": kernel, "strides": steps, "pads": pads, "dilations": dilation}
    return _batched(onnx, x, spatial, lambda planes: onnx.MaxPool(planes, **options)[0])


def unpooled(onnx: Any, x: Any, indices: Any, shape: Sequence[int], spatial: int) -> Any:
    """Each maximum at its index into the flattened plane, on zeros."""
    lead, area = list(x.shape[:-spatial]), prod(x.shape[-spatial:])
    zeros = onnx.Expand(np.zeros([1] * (len(lead) + 1), x.dtype), [*lead, prod(shape[-spatial:])])
    positions, values = (onnx.Reshape(each, [*lead, area]) for each in (indices, x))
    return onnx.Reshape(onnx.ScatterElements(zeros, positions, values, axis=len(lead)), list(shape))


def mean_pooled(
    onnx: Any,
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceil: bool,
    count_padding: bool,
    divisor: int | None,
    spatial: int,
    shape: Sequence[int],
) -> Any:
    """The mean of each window of the last dimensions."""
    kernel, steps, padding = _broadcast_params(spatial, kernel, stride or kernel, padding)
    pads = _pads(x, kernel, steps, padding, [1] * spatial, shape) if ceil else [*padding, *padding]
    if not ceil or divisor is not None or not count_padding or not any(padding):
        counted = divisor is not None or (count_padding and not ceil)
        options = {"kernel_shape": kernel, "strides": steps, "pads": pads, "count_include_pad": counted}
        result = _batched(onnx, x, spatial, lambda planes: onnx.AveragePool(planes, **options))
        return result if divisor is None else result * (prod(kernel) / divisor)
    rest = [max(after - before, 0) for before, after in zip(padding, pads[spatial:], strict=True)]
    before = [*[0] * (x.ndim - spatial), *padding]
    options = {"kernel_shape": kernel, "strides": steps, "pads": [*[0] * spatial, *rest]}
    padded = onnx.Pad(x, [*before, *before], 0)
    return _batched(onnx, padded, spatial, lambda planes: onnx.AveragePool(planes, **options), x.ndim)


def adaptive_means(onnx: Any, x: Any, shape: Sequence[int], spatial: int) -> Any:
    """Means over windows that cover a dimension, as many as the result is long."""
    if all(size == 1 for size in shape[-spatial:]):
        return onnx.ReduceMean(x, list(range(x.ndim - spatial, x.ndim)), keepdims=1)
    for dim in range(x.ndim - spatial, x.ndim):
        weights = np.zeros((x.shape[dim], shape[dim]), x.dtype)
        for number, (start, stop) in enumerate(_windows(x.shape[dim], shape[dim])):
            weights[start:stop, number] = 1 / (stop - start)
        order = [each for each in range(x.ndim) if each != dim] + [dim]
        moved = onnx.MatMul(onnx.Transpose(x, perm=order), weights)
        result = onnx.Transpose(moved, perm=np.argsort(order))
        result.shape = (*x.shape[:dim], shape[dim], *x.shape[dim + 1 :])
        x = result
    return x


def adaptive_maxima(onnx: Any, x: Any, shape: Sequence[int], spatial: int) -> Any:
    """The largest values of such windows."""
    ndim = x.ndim
    for dim in range(ndim - spatial, ndim):
        parts = [onnx.Slice(x, [a], [b], [dim]) for a, b in _windows(x.shape[dim], shape[dim])]
        result = onnx.Concat(*(onnx.ReduceMax(part, [dim], keepdims=1) for part in parts), axis=dim)
        result.shape = (*x.shape[:dim], shape[dim], *x.shape[dim + 1 :])
        x = result
    return x


def _windows(size: int, count: int) -> list[tuple[int, int]]:
    return [(k * size // count, -(-(k + 1) * size // count)) for k in range(count)]


def _broadcast_params(spatial: int, *numbers: Sequence[int]) -> list[list[int]]:
    """One number for each dimension."""
    return [list(each) * (spatial if len(each) == 1 else 1) for each in numbers]


def _pads(
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    shape: Sequence[int],
) -> list[int]:
    """What is added before and behind, so that windows end where the last of the result does."""
    spatial, after = len(kernel), []
    parts = zip(kernel, stride, padding, dilation, x.shape[-spatial:], shape[-spatial:], strict=True)
    for k, step, before, dilation_step, size, count in parts:
        after.append(max((count - 1) * step + dilation_step * (k - 1) + 1 - size - before, 0))
    return [*padding, *after]


def _batched(onnx: Any, x: Any, spatial: int, pool: Callable[[Any], Any], ndim: int | None = None) -> Any:
    """Call an operator on (N, C, ...), whatever dimensions there are before the plane."""
    missing = list(range(2 + spatial - (x.ndim if ndim is None else ndim)))
    return onnx.Squeeze(pool(onnx.Unsqueeze(x, missing)), missing) if missing else pool(x)
