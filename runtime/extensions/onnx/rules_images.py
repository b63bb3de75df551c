"""Pooling, borders, resampling and shuffles in ONNX operators. Sizes that are rounded up are reached by more padding
behind, which no mean counts.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...namespace import op
from ...ops.image.cpu_shuffle import Shuffle, to_channels, to_pixels, to_shuffled_groups
from ...tensor.tensor import adopt
from .rules_tensors import LAST


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
    kernel, steps, padding, dilation = _broadcast_params(spatial, kernel, stride or kernel, padding, dilation)
    pads = _pads(x, kernel, steps, padding, dilation, shape) if ceil else [*padding, *padding]
    options = {"kernel_shape": kernel, "strides": steps, "pads": pads, "dilations": dilation}
    return batched(onnx, x, spatial, lambda planes: onnx.MaxPool(planes, **options)[0])


def unpooled(onnx: Any, x: Any, indices: Any, shape: Sequence[int], spatial: int) -> Any:
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
    kernel, steps, padding = _broadcast_params(spatial, kernel, stride or kernel, padding)
    pads = _pads(x, kernel, steps, padding, [1] * spatial, shape) if ceil else [*padding, *padding]
    if not ceil or divisor is not None or not count_padding or not any(padding):
        counted = divisor is not None or (count_padding and not ceil)
        options = {"kernel_shape": kernel, "strides": steps, "pads": pads, "count_include_pad": counted}
        result = batched(onnx, x, spatial, lambda planes: onnx.AveragePool(planes, **options))
        return result if divisor is None else result * (prod(kernel) / divisor)
    rest = [max(after - before, 0) for before, after in zip(padding, pads[spatial:], strict=True)]
    before = [*[0] * (x.ndim - spatial), *padding]
    options = {"kernel_shape": kernel, "strides": steps, "pads": [*[0] * spatial, *rest]}
    padded = onnx.Pad(x, [*before, *before], 0)
    return batched(onnx, padded, spatial, lambda planes: onnx.AveragePool(planes, **options), x.ndim)


def adaptive_means(onnx: Any, x: Any, shape: Sequence[int], spatial: int) -> Any:
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


def batched(onnx: Any, x: Any, spatial: int, pool: Callable[[Any], Any], ndim: int | None = None) -> Any:
    missing = list(range(2 + spatial - (x.ndim if ndim is None else ndim)))
    return onnx.Squeeze(pool(onnx.Unsqueeze(x, missing)), missing) if missing else pool(x)


_MODES = {"reflect": "reflect", "replicate": "edge"}
_FILTERS = {"nearest": "nearest", "nearest-exact": "nearest", "linear": "linear"}


def border_padded(onnx: Any, x: Any, pad: Sequence[int], mode: str) -> Any:
    for number in range(len(pad) // 2):
        dim, before, after = x.ndim - 1 - number, pad[2 * number], pad[2 * number + 1]
        if before < 0 or after < 0:
            cut = onnx.Slice(x, [max(-before, 0)], [min(after, 0) or LAST], [dim])
            x = _with_size(cut, x, dim, min(before, 0) + min(after, 0))
        x = _with_size(
            _grown(onnx, x, dim, max(before, 0), max(after, 0), mode), x, dim, max(before, 0) + max(after, 0)
        )
    return x


def _with_size(result: Any, x: Any, dim: int, more: int) -> Any:
    result.shape = (*x.shape[:dim], x.shape[dim] + more, *x.shape[dim + 1 :])
    return result


def _grown(onnx: Any, x: Any, dim: int, before: int, after: int, mode: str) -> Any:
    if mode in _MODES:
        ends = [[number * (each == dim) for each in range(x.ndim)] for number in (before, after)]
        return onnx.Pad(x, ends[0] + ends[1], mode=_MODES[mode])
    size = x.shape[dim]  # around: the other end of it
    parts = [onnx.Slice(x, [size - before], [size], [dim]), x, onnx.Slice(x, [0], [after], [dim])]
    return onnx.Concat(*parts, axis=dim)


def resampled(
    onnx: Any, x: Any, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> Any:
    """x resampled along a dimension: by Resize, or where that says something else by the filter's matrix."""
    dim %= x.ndim
    size = x.shape[dim]
    if filter in _FILTERS and not antialias and (scale is None or scale * size == length) and x.ndim > 2 <= dim:
        return _resized(onnx, x, dim, length, filter, align_corners)
    matrix = op.resample(adopt(np.eye(size, dtype=x.dtype)), 1, length, filter, align_corners, scale, antialias).array
    order = [each for each in range(x.ndim) if each != dim] + [dim]
    moved = onnx.MatMul(onnx.Transpose(x, perm=order), matrix)
    return onnx.Transpose(moved, perm=np.argsort(order))


def _resized(onnx: Any, x: Any, dim: int, length: int, filter: str, align_corners: bool) -> Any:
    exact = filter == "nearest-exact"
    coordinate_mode = (
        "align_corners" if align_corners else "half_pixel" if exact or filter == "linear" else "asymmetric"
    )
    return onnx.Resize(
        x,
        None,
        None,
        [length],
        axes=[dim],
        mode=_FILTERS[filter],
        coordinate_transformation_mode=coordinate_mode,
        nearest_mode="round_prefer_ceil" if exact else "floor",
    )


def shuffled(onnx: Any, x: Any, how: Shuffle) -> Any:
    return onnx.Reshape(onnx.Transpose(onnx.Reshape(x, list(sum(how.parts, ()))), perm=how.order), list(how.shape))


def pixels(onnx: Any, x: Any, factor: int) -> Any:
    return shuffled(onnx, x, to_pixels(tuple(x.shape), factor))


def channels(onnx: Any, x: Any, factor: int) -> Any:
    return shuffled(onnx, x, to_channels(tuple(x.shape), factor))


def channel_shuffle(onnx: Any, x: Any, groups: int) -> Any:
    return shuffled(onnx, x, to_shuffled_groups(tuple(x.shape), groups))
