"""Helpers of composites on images: samples on a grid, and elements moved between channels and pixels."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op
from ...tensor import dtypes

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Taps: TypeAlias = list[tuple[Tensor, Tensor | None]]  # along one dimension: pixels, and weights if not 1

NEAREST, BICUBIC = 1, 2
ZEROS, REFLECTION = 0, 2
SHARPNESS = -0.75  # the derivative of the bicubic filter at distance 1


def grid_samples(self: Tensor, grid: Tensor, interpolation: int, padding: int, align_corners: bool) -> Tensor:
    """(N, C, *) sampled at the coordinates (N, *, spatial dimensions): weighted sums of the pixels around each."""
    if self.dtype.itemsize < 4:
        wide = self.to(dtypes.float32), grid.to(dtypes.float32)
        return grid_samples(*wide, interpolation, padding, align_corners).to(self.dtype)
    sizes = self._shape[2:]
    axes = reversed(grid.unbind(-1))  # a grid counts x first, a shape height first
    taps = [_taps(x, n, interpolation, padding, align_corners) for x, n in zip(axes, sizes, strict=True)]
    pixels = self.movedim(1, -1).reshape((-1, self._shape[1]))
    samples = op.arange(self._shape[0], device=self.device).reshape((-1, *(1,) * len(sizes)))
    parts = [_pixel(pixels, samples, chosen, sizes) for chosen in itertools.product(*taps)]
    return op.movedim(functools.reduce(op.add, parts), -1, 1)


def _pixel(pixels: Tensor, row: Tensor, chosen: Sequence[tuple[Tensor, Tensor | None]], sizes: Sequence[int]) -> Tensor:
    """One pixel for each point of the grid, times its weight; zero outside of the image."""
    weights, insides = [], []
    for (at, weight), size in zip(chosen, sizes, strict=True):
        inside = (at >= 0) & (at <= size - 1)
        row = row * size + op.where(inside, at, 0).to(dtypes.int64)
        insides.append(inside)
        weights += [] if weight is None else [weight]
    within = functools.reduce(op.bitwise_and, insides)
    weight = op.where(within, functools.reduce(op.mul, weights), 0) if weights else within.to(pixels.dtype)
    return op.index(pixels, [row]) * weight.unsqueeze(-1)


def _taps(x: Tensor, size: int, interpolation: int, padding: int, align_corners: bool) -> Taps:
    """The pixels around a coordinate from -1 to 1 that count, along one dimension."""
    at = (x + 1) * ((size - 1) / 2) if align_corners else ((x + 1) * size - 1) / 2
    if interpolation == BICUBIC:
        low = at.floor()
        part = at - low
        return [(_padded(low + k, size, padding, align_corners), _cubic(part, k)) for k in (-1, 0, 1, 2)]
    at = _padded(at, size, padding, align_corners)
    if interpolation == NEAREST:
        return [(at.round(), None)]
    low = at.floor()
    part = at - low
    return [(low, 1 - part), (low + 1, part)]


def _cubic(part: Tensor, k: int) -> Tensor:
    """The weight of the pixel at `k`, for a coordinate between the pixels 0 and 1."""
    x, a = (part - k) * (1 if k < 1 else -1), SHARPNESS  # the distance
    if k in (0, 1):
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a


def _padded(at: Tensor, size: int, padding: int, align_corners: bool) -> Tensor:
    """Coordinates outside moved to the border, or mirrored until they are inside."""
    if padding == ZEROS:
        return at
    if padding == REFLECTION:
        first, last = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        at = _mirrored(at, first, last - first) if last > first else at * 0
    return at.clamp(0, size - 1)


def _mirrored(at: Tensor, first: float, span: float) -> Tensor:
    """Coordinates reflected at `first` and at `first + span`."""
    distance = (at - first).abs()
    crossings = (distance / span).floor()
    rest = distance - crossings * span
    return op.where(crossings % 2 == 0, rest, span - rest) + first


def pixel_positions(like: Tensor, size: Sequence[int], align_corners: bool) -> Tensor:
    """The rows (x, y, 1) of all pixels, (x, y, z, 1) in a volume: from -1 to 1, the centres of corners or the edges."""
    axes = [_positions(like, n, align_corners) for n in size[2:]]
    grids = op.meshgrid(axes)
    base = op.stack([*reversed(grids), op.ones(size[2:], dtype=like.dtype, device=like.device)], -1)
    return base.reshape((1, -1, len(size) - 1))


def _positions(like: Tensor, size: int, align_corners: bool) -> Tensor:
    if size == 1:
        return op.zeros((1,), dtype=like.dtype, device=like.device)
    edge = 1.0 if align_corners else 1 - 1 / size
    return op.linspace(-edge, edge, size, dtype=like.dtype, device=like.device)


def channels_to_pixels(self: Tensor, factor: int) -> Tensor:
    """(*, C r r, H, W) to (*, C, H r, W r): channel c r r + i r + j goes to position (i, j) of each pixel."""
    *lead, channels, height, width = self._shape
    count = channels // factor**2
    parts = self.reshape((*lead, count, factor, factor, height, width))
    n = len(lead)
    moved = parts.permute((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return op.contiguous_copy(moved).reshape((*lead, count, height * factor, width * factor))


def pixels_to_channels(self: Tensor, factor: int) -> Tensor:
    """(*, C, H r, W r) to (*, C r r, H, W): the inverse of `channels_to_pixels`."""
    *lead, channels, height, width = self._shape
    rows, columns = height // factor, width // factor
    parts = self.reshape((*lead, channels, rows, factor, columns, factor))
    n = len(lead)
    moved = parts.permute((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return op.contiguous_copy(moved).reshape((*lead, channels * factor**2, rows, columns))
