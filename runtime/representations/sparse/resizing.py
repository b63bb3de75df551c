"""Other shapes for sparse tensors, in place."""

from __future__ import annotations

from typing import Any

from .create import empty
from .pattern import Pattern
from .writing import replace


def resize(tensor: Any, size: Any, sparse_dim: int, dense_dim: int, clear: bool) -> Any:
    """Give a tensor with coordinates another shape; places stay, or are forgotten.

    Raises:
        RuntimeError: dimensions that do not add up, or places and values that are no part of the shape.
    """
    size, pattern = tuple(size), tensor.pattern
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {dense_dim}"
        )
    if clear or not pattern.count:
        replace(tensor, empty(pattern.layout, size, tensor.dtype, tensor.device, sparse_dim))
        return tensor
    if sparse_dim != pattern.sparse_dims or size[sparse_dim:] != pattern.dense_shape:
        raise RuntimeError(
            "changing the number of sparse or dense dimensions on a non-empty sparse tensor is not supported."
        )
    if any(new < old for new, old in zip(size, pattern.shape, strict=True)):
        raise RuntimeError("shrinking the size of sparse dimensions on a non-empty sparse tensor is not supported.")
    tensor.pattern = Pattern(pattern.layout, pattern.index, size, sparse_dim, pattern.is_coalesced)
    tensor._shape = size
    return tensor
