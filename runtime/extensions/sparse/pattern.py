"""Where the elements of a sparse tensor stand: by coordinates, or row by row (column by column) in compressed form."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ...shapes import Shape, contiguous_strides
from ...tensor.memory import placed
from ...tensor.memory_format import layout as Layout
from ...tensor.memory_format import sparse_coo, sparse_csc, sparse_csr
from ...tensor.tensor import adopt, host_array

COMPRESSED_DIM = {sparse_csr: 0, sparse_csc: 1}  # which dimension is compressed


@dataclass(eq=False)
class Pattern:
    """The places of `count` elements in the first dimensions of a shape; each holds what the other dimensions do.

    Patterns do not change, so tensors share them, and what has been found of one serves all of these.

    Attributes:
        index: the tensors that give the places: for `sparse_coo` one of shape (sparse_dims, count), for compressed
            layouts where each row (column) begins, and the column (row) of each element.
        is_coalesced: whether the places are in order, each of them once.
    """

    layout: Layout
    index: tuple[Any, ...]
    shape: Shape
    sparse_dims: int
    is_coalesced: bool

    @property
    def count(self) -> int:
        return int(self.index[-1]._shape[-1])

    @property
    def is_by_coordinates(self) -> bool:
        return self.layout is sparse_coo

    @property
    def device(self) -> Any:
        return self.index[0]._device

    @property
    def sparse_shape(self) -> Shape:
        return self.shape[: self.sparse_dims]

    @property
    def dense_shape(self) -> Shape:
        return self.shape[self.sparse_dims :]

    @cached_property
    def coordinates(self) -> np.ndarray:
        """The places as int64 of the host, of shape (sparse_dims, count)."""
        arrays = [host_array(t).astype(np.int64, copy=False) for t in self.index]
        if self.layout is sparse_coo:
            return arrays[0]
        ends, other = arrays
        along = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        return np.stack((along, other) if COMPRESSED_DIM[self.layout] == 0 else (other, along))

    @cached_property
    def axes(self) -> tuple[Any, ...]:
        return tuple(self.on_device(axis) for axis in self.coordinates)

    @cached_property
    def flat_indices(self) -> np.ndarray:
        return counted(self.coordinates, self.sparse_shape)

    @cached_property
    def indices_on_device(self) -> Any:
        return self.on_device(self.flat_indices)

    def like(self, coordinates: np.ndarray, is_coalesced: bool) -> "Pattern":
        return by_coordinates(coordinates, self.shape, self.device, is_coalesced)

    def parts(self) -> tuple[Any, ...]:
        return self.layout, self.index, self.shape, self.sparse_dims, self.is_coalesced

    @cached_property
    def merged(self) -> "tuple[Pattern, np.ndarray, np.ndarray]":
        """Places in order, each once; where each is listed first; the number of each that is listed."""
        coordinates, inverse = in_order(self.coordinates, self.sparse_shape)
        first = np.full(coordinates.shape[1], self.count, np.int64)
        np.minimum.at(first, inverse, np.arange(self.count))
        return self.like(coordinates, is_coalesced=True), first, inverse

    def on_device(self, array: np.ndarray) -> Any:
        return adopt(placed(np.ascontiguousarray(array), self.device))


def counted(coordinates: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """The numbers of places when all of a shape are counted in row-major order.
    Raises RuntimeError: there are more places than an int64 counts.
    """
    if prod(max(size, 1) for size in shape) >= 2**63:
        raise RuntimeError(f"a sparse tensor of shape {list(shape)} has more places than can be counted")
    steps = np.array(contiguous_strides(tuple(shape)), np.int64).reshape(-1, 1)
    return (coordinates * steps).sum(0, dtype=np.int64)


def by_coordinates(
    coordinates: np.ndarray, shape: Sequence[int], device: Any, is_coalesced: bool, sparse_dims: int = -1
) -> Pattern:
    index = adopt(placed(np.ascontiguousarray(coordinates, np.int64), device))
    dims = len(coordinates) if sparse_dims < 0 else sparse_dims
    result = Pattern(sparse_coo, (index,), tuple(shape), dims, is_coalesced)
    result.coordinates = coordinates
    return result


def in_order(coordinates: np.ndarray, shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The places in row-major order, each once, and for each of the given ones its number among these."""
    numbers, inverse = np.unique(counted(coordinates, shape), return_inverse=True)
    if not len(shape):
        return np.zeros((0, len(numbers)), np.int64), inverse.reshape(-1)
    steps = np.array(contiguous_strides(tuple(shape)), np.int64).reshape(-1, 1)
    sizes = np.array(shape, np.int64).reshape(-1, 1)
    return numbers // np.maximum(steps, 1) % np.maximum(sizes, 1), inverse.reshape(-1)


def compressed(pattern: Pattern, layout: Layout) -> tuple[Pattern, np.ndarray | None]:
    """A coalesced pattern of a matrix in a compressed layout, and the order of its elements; None where they keep it.
    RuntimeError: the pattern is no matrix's.
    """
    if pattern.sparse_dims != 2:
        raise RuntimeError(
            f"to_sparse(): conversion to {layout} expects two sparse dimensions, but got {pattern.sparse_dims}"
        )
    dim = COMPRESSED_DIM[layout]
    along, other = pattern.coordinates[dim], pattern.coordinates[1 - dim]
    order = None if dim == 0 else np.lexsort((other, along))
    if order is not None:
        along, other = along[order], other[order]
    ends = np.zeros(pattern.shape[dim] + 1, np.int64)
    np.cumsum(np.bincount(along, minlength=pattern.shape[dim]), out=ends[1:])
    index = (pattern.on_device(ends), pattern.on_device(other))
    return Pattern(layout, index, pattern.shape, 2, True), order
