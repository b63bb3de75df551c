"""Sparse tensors of the class of another one, by `x.new(...)`, and other shapes for them, in place."""

from __future__ import annotations

from typing import Any

from ...dispatch import argument_checks
from ...shapes import Size
from ...tensor.dtypes import dtype as Dtype
from ...tensor.memory_format import sparse_coo
from ...tensor.tensor import TensorBase
from .create import empty, sparse_coo_tensor
from .inplace import overwrite, replace
from .pattern import Pattern


def new(like: Any, data: tuple[Any, ...], device: Any) -> Any:
    """`x.new(indices, values[, size])` and `x.new(*size)`, which has no values yet, for coordinates. TypeError: of
    other layouts, and for arguments that are none of these.
    """
    if like.layout is not sparse_coo:
        raise TypeError(f"new(): expected a strided tensor or one with coordinates, but got {like.layout}")
    return constructed("new", like._dtype, data, like._device if device is None else device)


def constructed(name: str, kind: Dtype, data: tuple[Any, ...], target_device: Any) -> Any:
    if len(data) > 1 and isinstance(data[0], TensorBase):
        return sparse_coo_tensor(*data, dtype=kind, device=target_device)
    sizes = data[0] if len(data) == 1 and isinstance(data[0], Size) else data or (0,)
    return sparse_coo_tensor(argument_checks.integer_list(name, "size", sizes), dtype=kind, device=target_device)


def resize_as_(tensor: Any, template: Any) -> Any:
    """Give a sparse tensor without values the size of another tensor, and as many sparse dimensions if that has any.
    RuntimeError: the tensor has values, or requires grad.
    """
    if tensor.layout is not sparse_coo or tensor._nnz() or tensor.requires_grad:
        raise RuntimeError(
            "resize_as_(): expected a tensor with coordinates that has no values and requires no grad, but got one of "
            f"{tensor.layout} with {tensor._nnz()} values"
        )
    tensor._shape = template._shape
    empty = sparse_coo_tensor(template._shape, dtype=tensor._dtype, device=tensor._device)
    return overwrite(tensor, empty, "resize_as_")


def resize(tensor: Any, size: Any, sparse_dim: int, dense_dim: int, clear: bool) -> Any:
    """Give a tensor with coordinates another shape; places stay, or are forgotten. RuntimeError: dimensions that do not
    add up, or places and values that are no part of the shape.
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
