"""Helpers of composites that move elements between channels and places."""

from __future__ import annotations

from typing import Any, TypeAlias

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def channels_to_places(self: Tensor, factor: int) -> Tensor:
    """(*, C r r, H, W) to (*, C, H r, W r): channel c r r + i r + j goes to place (i, j) of each pixel."""
    *lead, channels, height, width = self.shape
    count = channels // factor**2
    parts = self.reshape((*lead, count, factor, factor, height, width))
    n = len(lead)
    moved = parts.permute((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return moved.reshape((*lead, count, height * factor, width * factor))


def places_to_channels(self: Tensor, factor: int) -> Tensor:
    """(*, C, H r, W r) to (*, C r r, H, W): the inverse of `channels_to_places`."""
    *lead, channels, height, width = self.shape
    rows, columns = height // factor, width // factor
    parts = self.reshape((*lead, channels, rows, factor, columns, factor))
    n = len(lead)
    moved = parts.permute((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return moved.reshape((*lead, channels * factor**2, rows, columns))


def shuffled_channels(self: Tensor, groups: int) -> Tensor:
    """(N, g k, *) as (N, g, k, *), with g and k swapped, as (N, k g, *)."""
    samples, channels, *rest = self.shape
    return self.reshape((samples, groups, channels // groups, *rest)).transpose(1, 2).reshape(self.shape)
