"""Helpers of composites on images, and samples at the points of a grid as ops: for devices and second derivatives.

Each point reads some pixels along each dimension, its taps. A sample is the sum, over all choices of one tap for each
dimension, of the pixel times the product of the weights; pixels outside of the image count as 0.
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, TypeAlias

from ...namespace import Tensor, op
from ...tensor import dtypes
from .cpu_grid_taps import BICUBIC, MAX_PIXELS, NEAREST, REFLECTION, SHARPNESS, ZEROS


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


Kind: TypeAlias = tuple[int, int, bool]  # interpolation, padding, align_corners


class Tap(NamedTuple):
    """A pixel along one dimension, its weight, and how much that grows with the coordinate."""

    at: Tensor
    weight: Tensor
    derivative: Tensor


Choice: TypeAlias = tuple[Tensor, Tensor, tuple[Tap, ...]]  # which pixel, whether it is inside, its taps


def grid_samples(self: Tensor, grid: Tensor, *kind: Any) -> Tensor:
    """(N, C, *) sampled at the coordinates (N, *, spatial dimensions), by the kernel of the host where that can."""
    x, points = _widened(self, grid)
    hosted = self.device.type != "cuda" and prod(self._shape[2:]) < MAX_PIXELS
    return (op.sample_grid(x, points, *kind) if hosted else _sampled(x, points, kind)).to(self.dtype)


def _sampled(self: Tensor, grid: Tensor, kind: Kind) -> Tensor:
    pixels = _pixels(self)
    choices = _choices(self._shape, grid, kind)
    parts = [_read(pixels, row, inside) * _weight(taps, inside).unsqueeze(-1) for row, inside, taps in choices]
    return op.movedim(functools.reduce(op.add, parts), -1, 1)


def grid_sample_input_grad(grad: Tensor, grid: Tensor, shape: Sequence[int], *kind: Any) -> Tensor:
    """The gradient of the image: that of each sample, times their weights, added to its pixels."""
    value, points = _widened(grad, grid)
    channels, value = shape[1], op.movedim(value, 1, -1)
    sums = op.zeros((shape[0] * prod(shape[2:]), channels), dtype=value.dtype, device=grad.device)
    for row, inside, taps in _choices(shape, points, kind):
        sums = op.index_put(sums, [row], value * _weight(taps, inside).unsqueeze(-1), True)
    image = sums.reshape((shape[0], *shape[2:], channels))
    return op.movedim(image, -1, 1).to(grad.dtype)


def grid_sample_grid_grad(grad: Tensor, self: Tensor, grid: Tensor, *kind: Any) -> Tensor:
    """The gradient of the grid: of all channels together, how much the samples grow along each coordinate."""
    value, x, points = _widened(grad, self, grid)
    pixels, value = _pixels(x), op.movedim(value, 1, -1)
    sums: list[Tensor] = [op.zeros_like(points.select(-1, 0))] * (self.ndim - 2)
    for row, inside, taps in _choices(self._shape, points, kind):
        along = (_read(pixels, row, inside) * value).sum(-1)
        sums = [total + along * derivative for total, derivative in zip(sums, _derivatives(taps, inside), strict=True)]
    return op.stack(sums, -1).to(grid.dtype)


def grid_moved(self: Tensor, grid: Tensor, moved: Tensor, *kind: Any) -> Tensor:
    x, points, moved = _widened(self, grid, moved)
    pixels, along, parts = _pixels(x), moved.unbind(-1), []
    for row, inside, taps in _choices(self._shape, points, kind):
        grown = [derivative * step for derivative, step in zip(_derivatives(taps, inside), along, strict=True)]
        parts.append(_read(pixels, row, inside) * functools.reduce(op.add, grown).unsqueeze(-1))
    return op.movedim(functools.reduce(op.add, parts), -1, 1).to(self.dtype)


def _widened(*tensors: Tensor) -> list[Tensor]:
    return [t.to(dtypes.float32) if t.dtype.itemsize < 4 else t for t in tensors]


def _pixels(self: Tensor) -> Tensor:
    return self.movedim(1, -1).reshape((self._shape[0] * prod(self._shape[2:]), self._shape[1]))


def _choices(shape: Sequence[int], grid: Tensor, kind: Kind) -> Iterator[Choice]:
    """The pixels that the points of a grid read of images (N, C, *): one tap along each dimension."""
    sizes, samples = shape[2:], op.arange(shape[0], device=grid.device).reshape((-1, *(1,) * (len(shape) - 2)))
    axes = reversed(grid.unbind(-1))  # a grid counts x first, a shape height first
    for taps in itertools.product(*[_taps(x, n, *kind) for x, n in zip(axes, sizes, strict=True)]):
        insides = [(tap.at >= 0) & (tap.at <= n - 1) for tap, n in zip(taps, sizes, strict=True)]
        row = samples
        for tap, inside, size in zip(taps, insides, sizes, strict=True):
            row = row * size + op.where(inside, tap.at, 0).to(dtypes.int64)
        yield row, functools.reduce(op.bitwise_and, insides), taps


def _read(pixels: Tensor, row: Tensor, inside: Tensor) -> Tensor:
    return op.where(inside.unsqueeze(-1), op.index(pixels, [row]), 0)


def _weight(taps: Sequence[Tap], inside: Tensor) -> Tensor:
    return op.where(inside, functools.reduce(op.mul, [tap.weight for tap in taps]), 0)


def _derivatives(taps: Sequence[Tap], inside: Tensor) -> list[Tensor]:
    """How much the weight of a pixel grows with each coordinate, in the order of the grid."""
    grown = []
    for dim in reversed(range(len(taps))):
        factors = [tap.derivative if dim == d else tap.weight for d, tap in enumerate(taps)]
        grown.append(op.where(inside, functools.reduce(op.mul, factors), 0))
    return grown


def _taps(x: Tensor, size: int, interpolation: int, padding: int, align_corners: bool) -> list[Tap]:
    """The pixels around a coordinate from -1 to 1 that count, along one dimension."""
    scale = (size - 1) / 2 if align_corners else size / 2
    at = (x + 1) * scale - (0 if align_corners else 0.5)
    if interpolation == BICUBIC:
        low = at.floor()
        part = at - low
        moved = [_padded(low + k, size, padding, align_corners)[0] for k in (-1, 0, 1, 2)]
        pairs = zip(moved, (-1, 0, 1, 2), strict=True)
        return [Tap(to, _cubic(part, k), _cubic_derivative(part, k) * scale) for to, k in pairs]
    at, turn = _padded(at, size, padding, align_corners)
    if interpolation == NEAREST:
        return [Tap(at.round(), at * 0 + 1, op.zeros_like(x))]  # a weight that has a gradient, which is 0
    low, derivative = at.floor(), turn * scale
    part = at - low
    return [Tap(low, 1 - part, -derivative), Tap(low + 1, part, derivative)]


def _distance(part: Tensor, k: int) -> tuple[Tensor, int]:
    sign = 1 if k < 1 else -1
    return (part - k) * sign, sign


def _cubic(part: Tensor, k: int) -> Tensor:
    (x, _), a = _distance(part, k), SHARPNESS
    if k in (0, 1):
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a


def _cubic_derivative(part: Tensor, k: int) -> Tensor:
    (x, sign), a = _distance(part, k), SHARPNESS
    if k in (0, 1):
        return (3 * (a + 2) * x - 2 * (a + 3)) * x * sign
    return ((3 * x - 10) * x + 8) * (a * sign)


def _padded(at: Tensor, size: int, padding: int, align_corners: bool) -> tuple[Tensor, Tensor]:
    """Coordinates outside moved to the border, or mirrored until they are inside; and the slope of that."""
    turn = op.ones_like(at)
    if padding == ZEROS:
        return at, turn
    if padding == REFLECTION:
        first, last = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        at, turn = _mirrored(at, first, last - first) if last > first else (at * 0, turn * 0)
    return at.clamp(0, size - 1), op.where((at > 0) & (at < size - 1), turn, 0)


def _mirrored(at: Tensor, first: float, span: float) -> tuple[Tensor, Tensor]:
    distance = (at - first).abs()
    crossings = (distance / span).floor()
    rest, even = distance - crossings * span, crossings % 2 == 0
    turn = op.where(even == (at >= first), 1, -1).to(at.dtype)
    return op.where(even, rest, span - rest) + first, turn
