"""How the array of a norm is seen as (A, C, S), with statistics for C, and how its weights become a table for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

Array = np.ndarray
Ints = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """An array of `shape` folded to (A, C, S), and a table (P, Q) of weights: place (c, s) has w[c % P, s // (S / Q)].

    `order` is how its dimensions are rearranged for that, () where it lies so already. `exact` says that the weights
    are the table's own elements; otherwise they are repeated along some dimensions of it.
    """

    shape: Ints
    folded: Ints
    order: Ints
    stats_shape: Ints
    affine_shape: Ints
    table_shape: Ints
    table_dims: Ints  # the dimensions of the table before they are put together, in the order of folding
    exact: bool

    @property
    def columns(self) -> bool:
        """Whether there is nothing behind the kept dimensions, but something in front of them."""
        return self.folded[2] == 1 and self.folded[0] > 1

    @property
    def own_weights(self) -> bool:
        """Whether rows follow one another, and all share one weight for each of their places."""
        return self.folded[0] == self.table_shape[0] == 1 < self.folded[2] == self.table_shape[1]

    def by_channel(self, table: Array) -> Array:
        """A table with one weight a row, repeated to all channels."""
        return np.resize(table, self.folded[1])

    def fold(self, array: Array) -> Array:
        """The array as (A, C, S), contiguous."""
        return np.ascontiguousarray(array.transpose(self.order) if self.order else array).reshape(self.folded)

    def unfold(self, array: Array) -> Array:
        """The inverse of `fold`."""
        if not self.order:
            return array.reshape(self.shape)
        sizes = [self.shape[i] for i in self.order]
        return np.ascontiguousarray(array.reshape(sizes).transpose(np.argsort(self.order)))

    def table(self, values: Array | None, neutral: float, dtype: np.dtype) -> Array:
        """Weights or shifts as a table; `neutral` everywhere in place of None."""
        if values is None:
            return np.full(self.table_shape, neutral, dtype)
        if self.exact and not self.order:
            return np.ascontiguousarray(values).reshape(self.table_shape)
        seen = self._aligned(values.reshape(self.affine_shape))
        return np.ascontiguousarray(np.broadcast_to(seen, self.table_dims)).reshape(self.table_shape)

    def from_table(self, sums: Array, dtype: np.dtype) -> Array:
        """One sum for each place of the table as one for each weight, in the weights' shape."""
        if self.exact and not self.order:
            return sums.reshape(self.affine_shape).astype(dtype)
        whole = sums.reshape(self.table_dims)
        whole = whole.transpose(np.argsort(self.order)) if self.order else whole
        return sum_to(whole, self.affine_shape).astype(dtype)

    def _aligned(self, seen: Array) -> Array:
        """Weights with a dimension for each of the array's, in the order of folding."""
        seen = seen.reshape((1,) * (len(self.shape) - len(self.affine_shape)) + self.affine_shape)
        return seen.transpose(self.order) if self.order else seen


@lru_cache(maxsize=1024)
def layout_of(shape: Ints, reduced: Ints, affine_shape: Ints) -> Layout:
    """The layout of statistics over the dimensions `reduced`, with weights that broadcast from `affine_shape`."""
    kept = tuple(i for i in range(len(shape)) if i not in reduced)
    affine = (1,) * (len(shape) - len(affine_shape)) + affine_shape
    first = kept[0] if kept else 0
    natural = not kept or (kept[-1] - first + 1 == len(kept) and all(affine[i] == 1 for i in range(first)))
    order = tuple(range(len(shape))) if natural else (*kept, *(i for i in range(len(shape)) if i not in kept))
    begin = first if natural else 0
    end = begin + len(kept)
    before, inside, behind = order[:begin], order[begin:end], order[end:]
    folded = tuple(prod(shape[i] for i in part) for part in (before, inside, behind))
    own, of_kept = _suffix([(shape[i], affine[i]) for i in inside])
    also, of_reduced = _suffix([(shape[i], affine[i]) for i in behind[::-1]])
    dims = (*(1 for _ in before), *of_kept, *of_reduced[::-1])
    stats = tuple(size if i in kept else 1 for i, size in enumerate(shape))
    table = (prod(of_kept), prod(of_reduced))
    return Layout(shape, folded, () if natural else order, stats, affine_shape, table, dims, own and also)


def _suffix(sizes: list[tuple[int, int]]) -> tuple[bool, list[int]]:
    """Sizes of a table along dimensions (size, weights along it): those at the end may vary, the ones before not.

    True when that is how the weights are; otherwise they have to be repeated from the first dimension they vary along.
    """
    varying = [k for k, (size, own) in enumerate(sizes) if own != 1]
    start = varying[0] if varying else len(sizes)
    exact = all(own == size for size, own in sizes[start:])
    return exact, [1 if k < start else size for k, (size, _) in enumerate(sizes)]


@lru_cache(maxsize=1024)
def reduced_behind(shape: Ints, stats_shape: Ints) -> Ints:
    """The dimensions over which statistics of this shape were taken."""
    return tuple(i for i, size in enumerate(stats_shape) if size == 1)


def sum_to(array: Array, shape: Sequence[int]) -> Array:
    """The sum over the dimensions that `shape`, aligned at the last one, lacks or has as size 1."""
    offset = array.ndim - len(shape)
    dims = [i for i in range(array.ndim) if i < offset or shape[i - offset] == 1]
    return array.sum(axis=tuple(dims), keepdims=True).reshape(shape)
