"""How the array of a norm is seen as (A, C, S), with statistics for C, and how its weights become a table for that."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Ints
from ...kernels.cpu.reduce_layout import Folded
from ..reduction.cpu import sum_to_size


@dataclass(frozen=True, eq=False)  # compared by identity: they are cached
class NormLayout(Folded):
    """How an array of `shape` is folded, and its weights with it; `kind` names the loops that take both. columns: (A,
    C) with a weight for every channel; segments: (A, C, S) with a table (P, Q), where element (c, s) has w[c % P, s //
    (S / Q)]."""

    kind: str
    stats_shape: Ints
    affine_shape: Ints
    table_shape: Ints
    table_dims: Ints  # the dimensions of the table before they are put together, in the order of folding
    exact: bool  # whether the table has just the weights, none of them repeated

    def table(self, values: Array | None, neutral: float, dtype: np.dtype) -> Array:
        """Weights or shifts as a table; `neutral` everywhere in place of None."""
        if values is None:
            return np.full(self.table_shape, neutral, dtype)
        if self.exact:
            return contiguous(values).reshape(self.table_shape)
        seen = values.reshape((1,) * (len(self.shape) - len(self.affine_shape)) + self.affine_shape)
        seen = seen.transpose(self.order) if self.order else seen
        return np.ascontiguousarray(np.broadcast_to(seen, self.table_dims)).reshape(self.table_shape)

    def from_table(self, sums: Array) -> Array:
        if self.exact:
            return sums
        entire = sums.reshape(self.table_dims)
        return sum_to_size(entire.transpose(np.argsort(self.order)) if self.order else entire, self.affine_shape)


@lru_cache(maxsize=1024)
def layout_of(shape: Ints, reduced: Ints, affine_shape: Ints, plain: bool = False) -> NormLayout:
    """Statistics over `reduced`; `plain` is without weights: a table of one element, with the loops of segments."""
    remaining_dims = tuple(i for i in range(len(shape)) if i not in reduced)
    affine = (1,) * len(shape) if plain else (1,) * (len(shape) - len(affine_shape)) + affine_shape
    first = remaining_dims[0] if remaining_dims else 0
    natural = not remaining_dims or (
        remaining_dims[-1] - first + 1 == len(remaining_dims) and all(affine[i] == 1 for i in range(first))
    )
    all_dims = range(len(shape))
    order = tuple(all_dims if natural else sorted(all_dims, key=lambda i: i in reduced))
    begin = first if natural else 0
    end = begin + len(remaining_dims)
    before, inside, behind = order[:begin], order[begin:end], order[end:]
    a, c, s = (prod(shape[i] for i in part) for part in (before, inside, behind))
    own, remaining_shape = _varying([(shape[i], affine[i]) for i in inside])
    also, of_reduced = _varying([(shape[i], affine[i]) for i in behind[::-1]])
    columns = s == 1 and a > 1
    remaining_shape = [shape[i] for i in inside] if columns else remaining_shape
    exact = own and also and natural and (not columns or plain or prod(affine) == c)
    table = (c,) if columns else (prod(remaining_shape), prod(of_reduced))
    return NormLayout(
        shape,
        (a, c) if columns else (a, c, s),
        () if natural else order,
        "columns" if columns else "segments",
        tuple(size if i in remaining_dims else 1 for i, size in enumerate(shape)),
        (1,) * len(shape) if plain else affine_shape,
        table,
        (*(1 for _ in before), *remaining_shape, *of_reduced[::-1]),
        exact,
    )


def layout_of_groups(shape: Ints, groups: int) -> NormLayout:
    channels = shape[1] // groups
    return layout_of((shape[0], groups, channels, prod(shape[2:])), (2, 3), (groups, channels, 1))


def _varying(sizes: list[tuple[int, int]]) -> tuple[bool, list[int]]:
    """Sizes of a table along dimensions (size, weights along it): those at the end may vary, the ones before not. True
    when that is how the weights are; otherwise they have to be repeated from the first dimension they vary along."""
    varying = [k for k, (_, own) in enumerate(sizes) if own != 1]
    start = varying[0] if varying else len(sizes)
    exact = all(own == size for size, own in sizes[start:])
    return exact, [1 if k < start else size for k, (size, _) in enumerate(sizes)]
