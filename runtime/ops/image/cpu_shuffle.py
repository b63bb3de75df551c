"""Copies with dimensions in parts and in another order: channels as places of pixels, groups of channels spread."""

from collections.abc import Callable
from typing import NamedTuple

from ...kernels.cpu.contiguous_copy import copied
from ...kernels.cpu.plan import Array, Ints


class Shuffle(NamedTuple):
    """What an op makes of a shape: the parts of each dimension, the order of all of them in the copy, its shape."""

    parts: tuple[Ints, ...]
    order: Ints
    shape: Ints


def to_pixels(shape: Ints, factor: int) -> Shuffle:
    """(*, C r r, H, W) to (*, C, H r, W r): channel c r r + i r + j goes to place (i, j) of each pixel."""
    *lead, channels, height, width = shape
    count, n = channels // factor**2, len(lead)
    parts = (*[(size,) for size in lead], (count, factor, factor), (height,), (width,))
    return Shuffle(parts, (*range(n + 1), n + 3, n + 1, n + 4, n + 2), (*lead, count, height * factor, width * factor))


def to_channels(shape: Ints, factor: int) -> Shuffle:
    *lead, channels, height, width = shape
    rows, columns, n = height // factor, width // factor, len(lead)
    parts = (*[(size,) for size in lead], (channels,), (rows, factor), (columns, factor))
    return Shuffle(parts, (*range(n + 1), n + 2, n + 4, n + 1, n + 3), (*lead, channels * factor**2, rows, columns))


def to_shuffled_groups(shape: Ints, groups: int) -> Shuffle:
    """(N, g k, *), channel i k + j at place j g + i."""
    samples, channels, *behind = shape
    parts = ((samples,), (groups, channels // groups), *[(size,) for size in behind])
    return Shuffle(parts, (0, 2, 1, *range(3, len(shape) + 1)), shape)


def _shuffling(name: str, shuffle: Callable[[Ints, int], Shuffle]) -> Callable[[Array, int], Array]:
    def shuffled(a: Array, count: int) -> Array:
        how = shuffle(a.shape, count)
        return copied(a.reshape(sum(how.parts, ())).transpose(how.order)).reshape(how.shape)

    shuffled.__name__ = name  # by which kernels of other devices are found
    return shuffled


channels_to_pixels = _shuffling("channels_to_pixels", to_pixels)
pixels_to_channels = _shuffling("pixels_to_channels", to_channels)
shuffled_channels = _shuffling("shuffled_channels", to_shuffled_groups)
