"""How reductions see an array: as (before, along, after), where `along` are the elements that become one.

Elements that come after lie side by side; an operand may lie apart in the other two (lying.py finds out how).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from .movement.copies import contiguous

Array = np.ndarray
Dims = tuple[int, ...]


@dataclass(frozen=True, eq=False)  # compared by identity: they are cached
class Folded:
    """An array of `shape` as one of fewer dimensions, neighbours made one."""

    shape: Dims
    folded: Dims  # the sizes it is seen with
    order: Dims  # how its dimensions are rearranged for that; () where they lie so already

    def fold(self, array: Array) -> Array:
        """An array of the whole shape as (before, along, after), contiguous."""
        # Contiguous first: a reshape of what is not would copy as well, but by NumPy, in one thread.
        return contiguous(array.transpose(self.order) if self.order else array).reshape(self.folded)

    def unfold(self, array: Array) -> Array:
        if not self.order:
            return array.reshape(self.shape)
        sizes = [self.shape[i] for i in self.order]
        return contiguous(array.reshape(sizes).transpose(np.argsort(self.order)))


class Steps(NamedTuple):
    """Where x[b, i, j] lies: at (b // times) outer + (b % times) between + i apart + j."""

    outer_stride: int
    between: int
    times: int
    outer: int


@dataclass(frozen=True, eq=False)  # compared by identity: they are cached
class Folding(Folded):
    """An array of `shape` reduced over some of its dimensions: (before, along, after), those that stay first."""

    keepdim_shape: Dims  # the shape of the result with the reduced dimensions as 1
    result: Dims  # the shape of the result
    count: int  # of its elements
    steps: Steps
    made: Dims | None = (
        None  # the strides that its elements, as they are counted here, have as `result`; None: the usual
    )

    @property
    def ints(self) -> Dims:
        """What loops over such an operand take: along, after, apart, between, times, outer."""
        return (*self.folded[1:], *self.steps)

    @property
    def in_rows(self) -> bool:
        return self.folded[2] == 1 == self.steps.outer_stride

    @property
    def dense(self) -> bool:
        """Whether all elements lie in the order of (before, along, after), with nothing between them."""
        before, along, after = self.folded
        return self.steps == steps_of(before, along, after)


def steps_of(before: int, along: int, after: int) -> Steps:
    return Steps(after, along * after, max(before, 1), 0)


def reduced_dims_of(ndim: int, dim: Sequence[int] | int | None) -> Dims:
    """`dim` as a tuple: all dimensions for None; a 0-d array has none, whichever is asked for."""
    if dim is None or not ndim:
        return tuple(range(ndim))
    return (dim,) if isinstance(dim, int) else tuple(dim)


@lru_cache(maxsize=4096)
def folding(shape: Dims, dim: Dims | int | None, keepdim: bool = False) -> Folding:
    """The folding of a reduction over `dim`: sorted dimensions counted from the front, or one, or None for all."""
    dim = reduced_dims_of(len(shape), dim)
    keepdim_shape = tuple(1 if d in dim else n for d, n in enumerate(shape))
    result = keepdim_shape if keepdim else tuple(n for d, n in enumerate(shape) if d not in dim)
    wide = [d for d in dim if shape[d] != 1]
    first, last = (wide[0], wide[-1] + 1) if wide else (len(shape), len(shape))
    if all(d in wide or shape[d] == 1 for d in range(first, last)):  # nothing that stays lies between them
        sizes = prod(shape[:first]), prod(shape[first:last]), prod(shape[last:])
        return Folding(shape, sizes, (), keepdim_shape, result, prod(result), steps_of(*sizes))
    order = (*(d for d in range(len(shape)) if d not in wide), *wide)
    sizes = prod(result), prod(shape[d] for d in wide), 1
    return Folding(shape, sizes, order, keepdim_shape, result, prod(result), steps_of(*sizes))
