"""How the array of a norm is seen as (A, C, S), with statistics for C, and how weights fit to that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np


@dataclass(frozen=True)
class Layout:
    """Which dimensions of `shape` keep their statistics; all others are reduced.

    Where the kept dimensions lie side by side, an array is folded without a copy; otherwise they are moved to the
    front.
    """

    shape: tuple[int, ...]
    kept: tuple[int, ...]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The dimensions in the order of folding."""
        return tuple(range(len(self.shape))) if self.natural else self.kept + self.reduced

    @cached_property
    def natural(self) -> bool:
        """Whether the kept dimensions lie side by side."""
        return not self.kept or self.kept[-1] - self.kept[0] + 1 == len(self.kept)

    @cached_property
    def reduced(self) -> tuple[int, ...]:
        return tuple(i for i in range(len(self.shape)) if i not in self.kept)

    @cached_property
    def channels(self) -> int:
        return prod(self.shape[i] for i in self.kept)

    @cached_property
    def count(self) -> int:
        """The number of values behind one mean."""
        return prod(self.shape[i] for i in self.reduced)

    @cached_property
    def folded(self) -> tuple[int, int, int]:
        """(A, C, S)."""
        if not self.kept:
            return 1, 1, self.count
        sizes = [self.shape[i] for i in self.order]
        first = self.order.index(self.kept[0])
        return prod(sizes[:first]), self.channels, prod(sizes[first + len(self.kept) :])

    @cached_property
    def columns(self) -> bool:
        """Whether there is nothing behind the kept dimensions, but something in front of them."""
        return self.folded[2] == 1 and self.folded[0] > 1

    @cached_property
    def stats_shape(self) -> tuple[int, ...]:
        """The shape of statistics: that of the array, with reduced dimensions of size 1."""
        return self._shape_of(self.kept)

    def stats(self, values: np.ndarray | None) -> np.ndarray:
        """Statistics as one number for each channel, in double precision; zeros in place of None."""
        return np.zeros(self.channels) if values is None else values.reshape(-1).astype(np.float64)

    def fold(self, array: np.ndarray) -> np.ndarray:
        """The array as (A, C, S), contiguous."""
        return np.ascontiguousarray(array if self.natural else array.transpose(self.order)).reshape(self.folded)

    def unfold(self, array: np.ndarray) -> np.ndarray:
        """The inverse of `fold`."""
        if self.natural:
            return array.reshape(self.shape)
        sizes = [self.shape[i] for i in self.order]
        return np.ascontiguousarray(array.reshape(sizes).transpose(np.argsort(self.order)))

    def _shape_of(self, dims: Sequence[int]) -> tuple[int, ...]:
        return tuple(size if i in dims else 1 for i, size in enumerate(self.shape))

    def part(self, affine_shape: Sequence[int]) -> str:
        """Whether values of this shape vary along kept dimensions only, along reduced ones only, or along both."""
        offset = len(self.shape) - len(affine_shape)
        varying = {offset + i for i, size in enumerate(affine_shape) if size != 1}
        if varying <= set(self.kept):
            return "channel"
        return "row" if not varying & set(self.kept) and self.folded[0] == 1 else "both"

    def affine(
        self, values: np.ndarray | None, affine_shape: Sequence[int], neutral: float, dtype: np.dtype
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values as factors or terms of the channels and of a row's places, one of these all `neutral`."""
        channel, row = np.full(self.channels, neutral, dtype), np.full(self.folded[2], neutral, dtype)
        if values is None:
            return channel, row
        seen = values.reshape((1,) * (len(self.shape) - len(affine_shape)) + tuple(affine_shape))
        if self.part(affine_shape) == "channel":
            return _filled(seen, self.stats_shape), row
        return channel, _filled(seen, self._shape_of(self.reduced))

    def sum_channels(self, values: np.ndarray, shape: Sequence[int]) -> np.ndarray:
        """One value per channel, summed down to `shape`."""
        return sum_to(values.reshape(self.stats_shape), shape)

    def sum_row(self, values: np.ndarray, shape: Sequence[int]) -> np.ndarray:
        """One value per place of a row, summed down to `shape`."""
        return sum_to(values.reshape(self._shape_of(self.reduced)), shape)


def _filled(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The values broadcast to `shape`, in one contiguous line."""
    whole = values if values.size == prod(shape) else np.broadcast_to(values, shape)
    return np.ascontiguousarray(whole).reshape(-1)


def sum_to(array: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """The sum over the dimensions that `shape`, aligned at the last one, lacks or has as size 1."""
    offset = array.ndim - len(shape)
    dims = [i for i in range(array.ndim) if i < offset or shape[i - offset] == 1]
    return array.sum(axis=tuple(dims), keepdims=True).reshape(shape)


@lru_cache(maxsize=1024)
def layout_over(shape: tuple[int, ...], dims: tuple[int, ...]) -> Layout:
    """The layout of statistics over `dims`."""
    return Layout(shape, tuple(i for i in range(len(shape)) if i not in dims))


@lru_cache(maxsize=1024)
def layout_behind(shape: tuple[int, ...], stats_shape: tuple[int, ...]) -> Layout:
    """The layout whose statistics have this shape, with reduced dimensions of size 1."""
    return Layout(shape, tuple(i for i, size in enumerate(stats_shape) if size != 1))
