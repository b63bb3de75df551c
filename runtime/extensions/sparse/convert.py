"""From one layout to another: sparse or strided, with coordinates or compressed."""

from math import prod
from typing import Any

import numpy as np

from ...tensor.memory_format import layout as Layout
from ...tensor.memory_format import sparse_coo, sparse_csr, strided
from ...tensor.tensor import host_array
from .dispatch import has_pattern
from .graph import coalesced, dense, of, values_at, values_of
from .pattern import COMPRESSED_DIM, by_coordinates, compressed


def in_layout(tensor: Any, layout: Layout, sparse_dims: int | None = None) -> Any:
    if layout is strided:
        return dense(tensor) if has_pattern(tensor) else tensor
    check_layout(layout)
    if not has_pattern(tensor):
        tensor = from_dense(tensor, tensor.dim() if sparse_dims is None else sparse_dims)
    if tensor.layout is layout:
        return tensor
    if tensor.layout is not sparse_coo:
        tensor = with_coordinates(tensor)
    if layout is sparse_coo:
        return tensor
    tensor = coalesced(tensor)
    pattern, order = compressed(tensor.pattern, layout)
    values = values_of(tensor)
    return of(pattern, values if order is None else values.index_select(0, pattern.on_device(order)))


def check_layout(layout: Any) -> None:
    if layout is not sparse_coo and layout not in COMPRESSED_DIM:
        raise NotImplementedError(
            f"to_sparse(): expected layout sparse_coo, sparse_csr or sparse_csc, but got {layout}"
        )


def with_coordinates(tensor: Any) -> Any:
    pattern = tensor.pattern
    order = None if pattern.layout is sparse_csr else np.argsort(pattern.flat_indices, kind="stable")
    coordinates = pattern.coordinates if order is None else pattern.coordinates[:, order]
    values = values_of(tensor)
    result = pattern.like(coordinates, is_coalesced=is_strictly_ordered(pattern.flat_indices, order))
    return of(result, values if order is None else values.index_select(0, pattern.on_device(order)))


def is_strictly_ordered(flat_indices: np.ndarray, order: np.ndarray | None = None) -> bool:
    return bool((np.diff(flat_indices if order is None else flat_indices[order]) > 0).all())


def from_dense(tensor: Any, sparse_dims: int) -> Any:
    """The elements that are not zero, by coordinates in the first dimensions. RuntimeError: the tensor has not so many
    dimensions.
    """
    ndim = len(tensor._shape)
    if not (0 < sparse_dims <= ndim or sparse_dims == ndim == 0):
        raise RuntimeError(f"to_sparse(): expected 1 to {ndim} sparse dimensions, but got {sparse_dims}")
    array = host_array(tensor)
    nonzero_mask = array != 0
    if sparse_dims < ndim:
        nonzero_mask = nonzero_mask.reshape(*array.shape[:sparse_dims], prod(array.shape[sparse_dims:])).any(-1)
    coordinates = (
        np.stack(np.nonzero(nonzero_mask)) if sparse_dims else np.zeros((0, int(nonzero_mask.sum())), np.int64)
    )
    pattern = by_coordinates(coordinates, tensor._shape, tensor._device, True)
    return of(pattern, values_at(tensor, pattern))


def masked_like(tensor: Any, mask: Any) -> Any:
    """What a tensor has at the places of a sparse one; zeros where it keeps nothing there."""
    if not has_pattern(mask):
        raise RuntimeError("sparse_mask(): expected a sparse tensor for mask, but got a strided one")
    if tensor._shape != mask._shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes: self has size {list(tensor._shape)} but mask has size "
            f"{list(mask._shape)}"
        )
    return of(mask.pattern, values_at(tensor, mask.pattern))


def to_dense(tensor: Any, dtype: Any = None) -> Any:
    result = dense(tensor) if has_pattern(tensor) else tensor
    return result if dtype is None else result.to(dtype)


def row_and_column(sparse: Any) -> tuple[Any, Any]:
    """The row and the column of each value of a matrix, as tensors. RuntimeError: it is no matrix without dense
    dimensions.
    """
    pattern = sparse.pattern
    if pattern.sparse_dims != 2 or len(pattern.shape) != 2:
        raise RuntimeError(
            f"expected a sparse matrix with two sparse dimensions, but got shape {list(pattern.shape)} of which "
            f"{pattern.sparse_dims} are sparse"
        )
    return pattern.axes
