"""Rules of ops that move elements or leave some out: coordinates change, values stay."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...namespace import op
from ...shapes import dim_of
from ...tensor.memory_format import layout as Layout
from ...tensor.memory_format import sparse_coo, sparse_csc, sparse_csr
from .convert import in_layout
from .dispatch import Call
from .graph import of, values_of
from .pattern import Pattern, by_coordinates

TRANSPOSED_LAYOUT: dict[Layout, Layout] = {
    sparse_csr: sparse_csc,
    sparse_csc: sparse_csr,
}  # the layout of the transpose


def transposed(call: Call) -> Any:
    """Two sparse dimensions, or two dense ones, change places; rows become columns."""
    sparse = call.first
    ndim = len(sparse._shape)
    if "dim0" in call.arguments:
        dims = [dim_of("transpose", call[name], ndim) for name in ("dim0", "dim1")]
    elif ndim > 2:
        raise RuntimeError(f"t(): expected a tensor with <= 2 sparse and 0 dense dimensions, but self is {ndim}D")
    else:
        dims = [0, ndim - 1]
    order = list(range(ndim))
    order[dims[0]], order[dims[1]] = order[dims[1]], order[dims[0]]
    return reordered("transpose", sparse, order) if ndim else sparse


def permuted(call: Call) -> Any:
    """Sparse dimensions in another order, and dense ones."""
    sparse = call.first
    ndim = len(sparse._shape)
    order = [dim_of("permute", dim, ndim) for dim in call["dims"]]
    if sorted(order) != list(range(ndim)):
        raise RuntimeError(f"permute(): expected each of {ndim} dimensions once, but got {list(call['dims'])}")
    return reordered("permute", sparse, order)


def reordered(name: str, sparse: Any, order: Sequence[int]) -> Any:
    """A tensor with its dimensions in another order."""
    pattern, ndim = sparse.pattern, len(sparse._shape)
    split = pattern.sparse_dims
    if any((dim < split) != (position < split) for position, dim in enumerate(order)):
        raise RuntimeError(
            f"sparse {name}: transposed dimensions must be sparse Got sparse_dim: {split}, and dimensions in the order "
            f"{list(order)}"
        )
    shape = tuple(sparse._shape[dim] for dim in order)
    if list(order) == list(range(ndim)):
        return of(pattern, values_of(sparse))
    if pattern.layout is not sparse_coo:
        transposed_pattern = Pattern(TRANSPOSED_LAYOUT[pattern.layout], pattern.index, shape, 2, pattern.is_coalesced)
        return of(transposed_pattern, values_of(sparse))
    keeps_sparse_dims = list(order[:split]) == list(range(split))
    coordinates = pattern.coordinates[list(order[:split])]
    result = by_coordinates(coordinates, shape, pattern.device, keeps_sparse_dims and pattern.is_coalesced, split)
    dense_order = [0, *(dim - split + 1 for dim in order[split:])]
    return of(result, values_of(sparse).permute(dense_order))


def select_entries(
    sparse: Any, numbers: np.ndarray, coordinates: np.ndarray, shape: Sequence[int], in_order: bool
) -> Any:
    """The tensor of some of the values, by number, at new places; a strided one where no sparse dimension is left."""
    values = values_of(sparse).index_select(0, sparse.pattern.on_device(numbers))
    if not len(coordinates):
        return values.sum(0, dtype=values.dtype) if values.dtype.kind != "b" else values.any(0)
    return of(by_coordinates(coordinates, shape, sparse._device, in_order), values)


def selected(call: Call) -> Any:
    """The elements with one index in a dimension, which is gone."""
    sparse, ndim = in_layout(call.first, sparse_coo), len(call.first._shape)
    dim, index = dim_of("select", call["dim"], ndim), call["index"]
    size = sparse._shape[dim]
    if not -size <= index < size:
        message = f"index {index} out of range for tensor of size {list(sparse._shape)} at dimension {dim}"
        raise IndexError(f"select(): {message}")
    index %= size
    pattern, shape = sparse.pattern, sparse._shape[:dim] + sparse._shape[dim + 1 :]
    if dim >= pattern.sparse_dims:
        values = values_of(sparse).select(dim - pattern.sparse_dims + 1, index)
        return of(_reshaped(pattern, pattern.coordinates, shape), values)
    numbers = np.flatnonzero(pattern.coordinates[dim] == index)
    return select_entries(
        sparse, numbers, np.delete(pattern.coordinates[:, numbers], dim, 0), shape, pattern.is_coalesced
    )


def _reshaped(pattern: Pattern, coordinates: np.ndarray, shape: Sequence[int]) -> Pattern:
    return by_coordinates(coordinates, shape, pattern.device, pattern.is_coalesced)


def sliced(call: Call) -> Any:
    """The elements with some indices in a dimension, those from `start` on, every `step`."""
    size = call.first._shape[dim_of("slice", call["dim"], len(call.first._shape))]
    start, end = call["start"], call["end"]
    start, end, step = slice(start, end, call["step"]).indices(size)
    return _between(call.first, call["dim"], start, max(start, end), step)


def narrowed(call: Call) -> Any:
    """The elements with indices from `start` on in a dimension."""
    sparse, start, length = call.first, call["start"], call["length"]
    size = sparse._shape[dim_of(call.op, call["dim"], len(sparse._shape))]
    start = start + size if start < 0 else start
    if length < 0 or start < 0 or start + length > size:
        raise RuntimeError(f"{call.op}(): start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return _between(sparse, call["dim"], start, start + length, 1)


def _between(tensor: Any, dim: int, start: int, end: int, step: int) -> Any:
    sparse = in_layout(tensor, sparse_coo)
    dim, pattern = dim % len(sparse._shape), sparse.pattern
    length = len(range(start, end, step))
    shape = (*sparse._shape[:dim], length, *sparse._shape[dim + 1 :])
    if dim >= pattern.sparse_dims:
        values = op.slice(values_of(sparse), dim - pattern.sparse_dims + 1, start, end, step)
        return of(_reshaped(pattern, pattern.coordinates, shape), values)
    axis = pattern.coordinates[dim]
    numbers = np.flatnonzero((axis >= start) & (axis < end) & ((axis - start) % step == 0))
    coordinates = pattern.coordinates[:, numbers]
    coordinates[dim] = (coordinates[dim] - start) // step
    return in_layout(select_entries(sparse, numbers, coordinates, shape, pattern.is_coalesced), tensor.layout)


def index_selected(call: Call) -> Any:
    """The elements with the indices that are listed, as often as they are."""
    sparse, index = in_layout(call.first, sparse_coo), call["index"]
    dim = dim_of("index_select", call["dim"], len(sparse._shape))
    if index.dtype.kind != "i" or len(index._shape) > 1:
        raise RuntimeError("index_select(): expected a vector of integers as index")
    requested, pattern, size = index.reshape(-1).cpu().numpy().astype(np.int64), sparse.pattern, sparse._shape[dim]
    if len(requested) and (requested.min() < 0 or requested.max() >= size):
        raise IndexError(f"index_select(): index out of range in self: expected indices in [0, {size})")
    shape = (*sparse._shape[:dim], len(requested), *sparse._shape[dim + 1 :])
    if dim >= pattern.sparse_dims:
        values = values_of(sparse).index_select(dim - pattern.sparse_dims + 1, index)
        return of(_reshaped(pattern, pattern.coordinates, shape), values)
    order = np.argsort(pattern.coordinates[dim], kind="stable")
    starts = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(pattern.coordinates[dim], minlength=size), out=starts[1:])
    counts = starts[requested + 1] - starts[requested]
    numbers = order[ranges(starts[requested], counts)]
    coordinates = pattern.coordinates[:, numbers]
    coordinates[dim] = np.repeat(np.arange(len(requested)), counts)
    result = select_entries(sparse, numbers, coordinates, shape, dim == 0 and pattern.is_coalesced)
    return in_layout(result, call.first.layout)


def ranges(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The numbers from each start on, so many of each, one range behind the other."""
    before = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(starts - before, counts)


def unbound(call: Call) -> Any:
    """The slices along a dimension."""
    dim = dim_of("unbind", call["dim"], len(call.first._shape))
    return tuple(call.first.select(dim, index) for index in range(call.first._shape[dim]))


def with_new_dim(call: Call) -> Any:
    """A dimension of size 1, sparse where it stands before the last sparse one."""
    sparse = in_layout(call.first, sparse_coo)
    dim = dim_of("unsqueeze", call["dim"], len(sparse._shape) + 1)
    pattern, shape = sparse.pattern, (*sparse._shape[:dim], 1, *sparse._shape[dim:])
    if dim > pattern.sparse_dims:
        return of(
            _reshaped(pattern, pattern.coordinates, shape), values_of(sparse).unsqueeze(dim - pattern.sparse_dims + 1)
        )
    return of(_reshaped(pattern, np.insert(pattern.coordinates, dim, 0, 0), shape), values_of(sparse))
