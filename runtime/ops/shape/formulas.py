"""Helpers of the formulas and composites of views, and of ops that join, split, repeat and combine tensors."""

import functools
import itertools
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...namespace import Tensor, op
from ...tensor import view_shapes
from ...tensor.dtypes import bool_, int64
from ...tensor.tensor import no_view
from ...tensor.view_shapes import Ints
from ..creation.options import allocating


def view_or_copy(self: Tensor, shape: Ints) -> Tensor:
    if self._flat is not None or is_viewable(self._shape, self.stride(), shape):
        return op.view_default(self, shape)
    return no_view(op.view_default(op.contiguous_copy(self), shape))


@functools.lru_cache(maxsize=4096)
def is_viewable(shape: Ints, strides: Ints, to: Ints) -> bool:
    return view_shapes.view(shape, strides, 0, to) is not None


def flattened(shape: Ints, start_dim: int, end_dim: int) -> tuple[int, ...]:
    return (*shape[:start_dim], prod(shape[start_dim : end_dim + 1]), *shape[end_dim + 1 :])


def inverse_permutation(dims: Ints) -> tuple[int, ...]:
    """Where each dimension went: inverse[dims[i]] = i."""
    return tuple(sorted(range(len(dims)), key=dims.__getitem__))


def negated(numbers: Ints) -> tuple[int, ...]:
    return tuple(-n for n in numbers)


def chunks_of(self: Tensor, chunks: int, dim: int) -> tuple[Tensor, ...]:
    size = -(-self._shape[dim] // chunks)
    return self.split(size, dim) if size else op.split_with_sizes(self, (0,) * chunks, dim)


def cat_backward(grad: Tensor, shapes: Sequence[Ints], dim: int) -> list[Tensor]:
    lengths = [0 if tuple(shape) == (0,) else shape[dim] for shape in shapes]
    starts = itertools.accumulate(lengths, initial=0)
    slices = [grad.narrow(dim, i, n) for i, n in zip(starts, lengths, strict=False)]
    return [x.reshape((0,)) if tuple(shape) == (0,) else x for x, shape in zip(slices, shapes, strict=True)]


def with_ones_before(x: Tensor, count: int) -> Tensor:
    return x.reshape((1,) * count + x._shape)


def with_dims(tensors: Sequence[Tensor], minimum: int) -> list[Tensor]:
    """The tensors with at least 1, 2 or 3 dimensions: a vector is a row, a matrix has a last dimension of size 1."""
    widened = (op.atleast_1d, op.atleast_2d, op.atleast_3d)[minimum - 1]
    return [t if t.ndim >= minimum else widened(t) for t in tensors]


def as_columns(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [t.reshape((t.numel(), 1)) if t.ndim < 2 else t for t in tensors]


def section_starts(size: int, sections: int) -> list[int]:
    """Starts of sections of `size`, but for the first; the first ones are larger by one where they cannot be equal."""
    minimum, larger = divmod(size, sections)
    return [i * minimum + min(i, larger) for i in range(1, sections)]


def each_unaliased(self: Tensor, pieces: Sequence[Tensor], dim: int) -> tuple[Tensor, ...]:
    """Pieces along a dimension, each as a slice of its own: those that one op gives together may not be written to."""
    ends = list(itertools.accumulate(piece._shape[dim] for piece in pieces))
    return tuple(op.slice(self, dim, i, j) for i, j in zip((0, *ends), ends, strict=False))


def each_copied(pieces: Sequence[Tensor]) -> tuple[Tensor, ...]:
    return tuple(op.contiguous_copy(piece) for piece in pieces)


def filled_copy(self: Tensor, value: Any) -> Tensor:
    return op.masked_fill(self, op.ones_like(self, dtype=bool_), value)


def split_at(self: Tensor, indices: Ints, dim: int) -> tuple[Tensor, ...]:
    """The slices between neighbouring indices, which are those of Python: negative ones count from the end."""
    return tuple(op.slice(self, dim, i, j) for i, j in zip((0, *indices), (*indices, self._shape[dim]), strict=True))


def rotated(self: Tensor, quarters: int, dims: Ints) -> Tensor:
    """Turned by quarters, from the first dimension towards the second: mirrored, with dimensions swapped."""
    first, second = dims
    if quarters % 2 == 0:
        return self.flip((first, second)) if quarters else self.clone()
    return self.flip((second if quarters == 1 else first,)).transpose(first, second)


def tiled(self: Tensor, repeats: Ints) -> Tensor:
    shape = (1,) * (len(repeats) - self.ndim) + tuple(self._shape)
    paired = tuple([size for own in shape for size in (1, own)])
    expanded = tuple([size for both in zip(repeats, shape, strict=True) for size in both])
    copy = op.contiguous_copy(self.reshape(paired).expand(expanded))
    return no_view(copy.view(tuple([count * own for count, own in zip(repeats, shape, strict=True)])))


def unflattened(shape: Ints, dim: int, sizes: Ints) -> tuple[int, ...]:
    return (*shape[:dim], *sizes, *shape[dim + 1 :])


def moved_order(ndim: int, source: Ints, destination: Ints) -> tuple[int, ...]:
    """The permutation that puts each dimension of `source` at its `destination`, the others in their order."""
    positions = dict(zip(destination, source, strict=True))
    others = iter(dim for dim in range(ndim) if dim not in source)
    return tuple(positions[position] if position in positions else next(others) for position in range(ndim))


def diagonal_matrix(self: Tensor, diagonal: int) -> Tensor:
    size = self._shape[0] + abs(diagonal)
    return op.diagonal_backward(self, (size, size), diagonal, 0, 1)


def filled_diagonal(self: Tensor, value: Any, wrap: bool) -> Tensor:
    """The tensor itself, with its diagonal written: of a tall matrix one for each square, a row between them."""
    height, width = self._shape[0], self._shape[-1]
    period = width + 1 if wrap and self.ndim == 2 else max(height, 1)
    for start in range(0, height, period):
        diagonal = self.narrow(0, start, min(width, height - start) if self.ndim == 2 else height)
        while diagonal.ndim > 1:
            diagonal = op.diagonal(diagonal, 0, 0, -1)
        diagonal.fill_(value)
    return self


def grids(tensors: Sequence[Tensor], indexing: str) -> tuple[Tensor, ...]:
    """Each vector along a dimension of its own, expanded along the others; for 'xy' the first along the second one."""
    if indexing == "xy" and len(tensors) > 1:
        second, first, *rest = grids((tensors[1], tensors[0], *tensors[2:]), "ij")
        return first, second, *rest
    shape = tuple(t.numel() for t in tensors)
    after = range(len(tensors) - 1, -1, -1)
    return tuple(t.reshape((-1, *(1,) * n)).expand(shape) for t, n in zip(tensors, after, strict=True))


def pairings(tensors: Sequence[Tensor]) -> Tensor:
    return op.stack([grid.flatten() for grid in grids(tensors, "ij")], 1)


def combination_indices(size: int, r: int, with_replacement: bool, device: Any) -> Tensor:
    """The rows of r increasing (or non-decreasing) numbers below `size`, as one vector. Each beginning of a row is
    continued by all numbers that leave room; links back to it give the rows from their ends."""
    step, min_value, numbers = (0 if with_replacement else 1), np.zeros(1, np.int64), []
    with allocating("combinations"):
        for rest in range(r - 1, -1, -1):
            counts = np.maximum(size - step * rest - min_value, 0)
            before = np.repeat(np.arange(len(counts)), counts)
            number = np.arange(len(before)) - (np.cumsum(counts) - counts - min_value)[before]
            numbers.append((number, before))
            min_value = number + step
            if not len(number):
                break
        rows, at = np.empty((len(min_value), r), np.int64), np.arange(len(min_value))
        for k, (number, before) in reversed([*enumerate(numbers)]):
            rows[:, k], at = number[at], before[at]
    return op.tensor(rows.ravel(), dtype=int64, device=device)


def block_diagonal(tensors: Sequence[Tensor]) -> Tensor:
    blocks = [op.atleast_2d(t) for t in tensors]
    total, before, rows = sum(block._shape[1] for block in blocks), 0, []
    for block in blocks:
        width = block._shape[1]
        rows.append(op.constant_pad_nd(block, (before, total - before - width), 0))
        before += width
    return op.cat(rows, 0)


def shape_with_diagonal(shape: Sequence[int], offset: int, dim1: int, dim2: int) -> tuple[int, ...]:
    size = shape[-1] + abs(offset)
    rest = iter(shape[:-1])
    return tuple(size if dim in (dim1, dim2) else next(rest) for dim in range(len(shape) + 1))
