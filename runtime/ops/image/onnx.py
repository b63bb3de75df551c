"""Borders, resampling and shuffles in ONNX operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...namespace import op
from ...tensor.base import adopt
from .cpu_shuffles import Shuffle, to_channels, to_pixels, to_shuffled_groups

LAST = 2**63 - 1  # beyond any size
_MODES = {"reflect": "reflect", "replicate": "edge"}
_FILTERS = {"nearest": "nearest", "nearest-exact": "nearest", "linear": "linear"}


def border_padded(onnx: Any, x: Any, pad: Sequence[int], mode: str) -> Any:
    """The last dimensions grown by pairs of `pad`, or cut where these are negative."""
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
    """One dimension with more at its ends."""
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
    """One operator: neighbours by whole places, or lines between them."""
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
    """The parts of the dimensions in another order."""
    return onnx.Reshape(onnx.Transpose(onnx.Reshape(x, list(sum(how.parts, ()))), perm=how.order), list(how.shape))


def pixels(onnx: Any, x: Any, factor: int) -> Any:
    """Channels made places of pixels."""
    return shuffled(onnx, x, to_pixels(tuple(x.shape), factor))


def channels(onnx: Any, x: Any, factor: int) -> Any:
    """Places of pixels made channels."""
    return shuffled(onnx, x, to_channels(tuple(x.shape), factor))


def channel_shuffle(onnx: Any, x: Any, groups: int) -> Any:
    """Channels of all groups in turn."""
    return shuffled(onnx, x, to_shuffled_groups(tuple(x.shape), groups))
