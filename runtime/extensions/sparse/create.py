"""Sparse tensors from indices and values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dispatch import argument_checks
from ...errors import type_name
from ...ops.creation import tensor as make_tensor
from ...ops.creation.options import checked_size
from ...shapes import Size
from ...tensor.dtypes import dtype as Dtype
from ...tensor.dtypes import get_default_dtype, int32, int64
from ...tensor.memory_format import layout as Layout
from ...tensor.memory_format import sparse_coo, sparse_csc, sparse_csr
from ...tensor.tensor import TensorBase, host_array
from .dispatch import overwrite, replace
from .graph import of
from .pattern import COMPRESSED_DIM, Pattern
from .tensor import made


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Any:
    """The sparse tensor with values[k] at the place indices[:, k]; values at one place add up.

    Args:
        indices: integers, of shape (sparse dimensions, number of values); of a tensor without values its size.
        values: a tensor or numbers, of shape (number of values, *dense dimensions); gradients flow to them.
        size: the shape; the least that holds all places when not given.
        dtype: the element type; that of `values` when not given.
        device: where it lies; where `values` are when not given.
        pin_memory: accepted for programs that run with CUDA elsewhere.
        requires_grad: whether the new tensor is a leaf for which gradients are computed.
        check_invariants: accepted; indices are always checked.
        is_coalesced: whether places are in order, each of them once, which is checked.

    Raises:
        RuntimeError: indices that are negative or too large, or do not go with values and size.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
        >>> x
        tensor(indices=tensor([[0, 1],
                               [2, 0]]),
               values=tensor([3., 4.]),
               size=(2, 3), nnz=2, layout=specgrad.sparse_coo)
        >>> x.to_dense()
        tensor([[0., 0., 3.],
                [4., 0., 0.]])
    """
    if values is None:
        result = empty(sparse_coo, tuple(_size(indices if size is None else size)), dtype, device)
        return result._requiring_grad(requires_grad)
    value = _values(values, dtype, device)
    index = _index("indices", indices, value, int64)
    pattern = coo_pattern(index, value, None if size is None else _size(size), bool(is_coalesced))
    return _finished(pattern, value, requires_grad)


def coo_pattern(index: Any, values: Any, size: tuple[int, ...] | None, is_coalesced: bool) -> Pattern:
    if len(index._shape) != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index._shape)}")
    sparse_dims, count = index._shape
    if not values._shape or values._shape[0] != count:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {count}, nnz from values: "
            f"{values._shape[0] if values._shape else 'none'}"
        )
    flat_indices = host_array(index)
    if size is None:
        if not count and sparse_dims:
            raise RuntimeError("sparse_coo_tensor(): without elements, size must be given")
        size = (*(int(n) for n in flat_indices.max(1) + 1), *values._shape[1:])
    if len(size) != sparse_dims + len(values._shape) - 1:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dims}, dense_dim = {len(values._shape) - 1}"
        )
    if tuple(size[sparse_dims:]) != tuple(values._shape[1:]):
        raise RuntimeError(
            f"values has incorrect size, expected {[count, *size[sparse_dims:]]}, got {list(values._shape)}"
        )
    _require_inside(flat_indices, size[:sparse_dims])
    pattern = Pattern(sparse_coo, (index,), tuple(size), sparse_dims, False)
    if is_coalesced and count > 1 and not (np.diff(pattern.flat_indices) > 0).all():
        raise RuntimeError("sparse_coo_tensor(): is_coalesced is true, but indices are not in order or not unique")
    pattern.is_coalesced = count < 2 or is_coalesced
    return pattern


def _require_inside(flat_indices: np.ndarray, size: Sequence[int]) -> None:
    if not flat_indices.size:
        return
    for dim, (min_value, highest, length) in enumerate(
        zip(flat_indices.min(1), flat_indices.max(1), size, strict=True)
    ):
        if min_value < 0:
            raise RuntimeError(f"found negative index {min_value} for dim {dim}")
        if highest >= length:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {length} but found index {highest}"
            )


def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """The sparse matrix whose row (column) i has the values from compressed_indices[i] to compressed_indices[i + 1].

    Args:
        compressed_indices: where each row (column) begins, and where the last one ends.
        plain_indices: the column (row) of each value.
        values: a tensor or numbers, one for each of `plain_indices`; gradients flow to them.
        size: the shape; the least that holds all places when not given.
        dtype: the element type; that of `values` when not given.
        layout: `sparse_csr` or `sparse_csc`.
        device: where it lies; where `values` are when not given.
        pin_memory: accepted for programs that run with CUDA elsewhere.
        requires_grad: whether the new tensor is a leaf for which gradients are computed.
        check_invariants: accepted; indices are always checked.

    Raises:
        RuntimeError: indices that do not go with each other, with values or with size.

    Example:
        >>> import specgrad as sg
        >>> sg.sparse_compressed_tensor([0, 1, 2], [1, 0], [3.0, 4.0], layout=sg.sparse_csc).to_dense()
        tensor([[0., 4.],
                [3., 0.]])
    """
    if layout not in COMPRESSED_DIM:
        raise NotImplementedError(
            f"sparse_compressed_tensor(): expected layout sparse_csr or sparse_csc, but got {layout}: no blocks"
        )
    value = _values(values, dtype, device)
    ends, other = (_index(name, index, value) for name, index in _named(layout, compressed_indices, plain_indices))
    if len(ends._shape) != 1 or len(other._shape) != 1 or len(value._shape) != 1:
        raise NotImplementedError(
            f"sparse_compressed_tensor(): expected one matrix of numbers, but got indices of shapes "
            f"{list(ends._shape)} and {list(other._shape)}, values of {list(value._shape)}"
        )
    pattern = _compressed_pattern(layout, ends, other, value, None if size is None else _size(size))
    return _finished(pattern, value, requires_grad)


def _named(layout: Layout, compressed_indices: Any, plain_indices: Any) -> list[tuple[str, Any]]:
    names = ("crow_indices", "col_indices") if layout is sparse_csr else ("ccol_indices", "row_indices")
    return [(names[0], compressed_indices), (names[1], plain_indices)]


def _compressed_pattern(layout: Layout, ends: Any, other: Any, values: Any, size: tuple[int, ...] | None) -> Pattern:
    starts, plain, dim = host_array(ends), host_array(other), COMPRESSED_DIM[layout]
    if size is None:
        along, across = len(starts) - 1, int(plain.max(initial=-1)) + 1
        size = (along, across) if dim == 0 else (across, along)
    if len(size) != 2:
        raise RuntimeError(f"sparse_compressed_tensor(): expected a size of two dimensions, but got {list(size)}")
    _require_compressed(layout, starts, plain, size, len(values))
    pattern = Pattern(layout, (ends, other), tuple(size), 2, False)
    keys = pattern.flat_indices if dim == 0 else pattern.coordinates[1] * max(size[0], 1) + pattern.coordinates[0]
    pattern.is_coalesced = bool((np.diff(keys) > 0).all())
    return pattern


def _require_compressed(layout: Layout, starts: np.ndarray, plain: np.ndarray, size: Sequence[int], count: int) -> None:
    dim, name = COMPRESSED_DIM[layout], "crow_indices" if layout is sparse_csr else "ccol_indices"
    other = "col_indices" if layout is sparse_csr else "row_indices"
    if len(starts) != size[dim] + 1:
        raise RuntimeError(
            f"{name}.shape[-1] must be equal to the number of {'rows' if dim == 0 else 'columns'} + 1 "
            f"({size[dim] + 1}), but got {len(starts)}"
        )
    if len(plain) != count:
        raise RuntimeError(f"number of {other} ({len(plain)}) must be the number of values ({count})")
    if starts[0] != 0 or starts[-1] != count or (np.diff(starts) < 0).any():
        raise RuntimeError(f"{name} must begin at 0, not decrease, and end at the number of values ({count})")
    if count and (plain.min() < 0 or plain.max() >= size[1 - dim]):
        raise RuntimeError(f"{other} must be in [0, {size[1 - dim]}), but got {plain.min()} to {plain.max()}")


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """The sparse matrix whose row i has the values from crow_indices[i] to crow_indices[i + 1].

    Args:
        crow_indices: where each row begins, and where the last one ends.
        col_indices: the column of each value.
        values: a tensor or numbers, one for each of `col_indices`.
        size, dtype, device, pin_memory, requires_grad, check_invariants: as of `sparse_compressed_tensor`.
        layout: accepted, `sparse_csr`.

    Raises:
        RuntimeError: indices that do not go with each other, with values or with size.

    Example:
        >>> import specgrad as sg
        >>> x = sg.sparse_csr_tensor([0, 1, 3], [2, 0, 2], [3.0, 4.0, 5.0])
        >>> x @ sg.ones(3)
        tensor([3., 9.])
    """
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, layout=sparse_csr, **options)


def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """The sparse matrix whose column i has the values from ccol_indices[i] to ccol_indices[i + 1].

    Args:
        ccol_indices: where each column begins, and where the last one ends.
        row_indices: the row of each value.

    Other arguments as of `sparse_csr_tensor`.

    Example:
        >>> import specgrad as sg
        >>> sg.sparse_csc_tensor([0, 1, 2], [1, 0], [3.0, 4.0]).to_dense()
        tensor([[0., 4.],
                [3., 0.]])
    """
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "requires_grad": requires_grad}
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, layout=sparse_csc, **options)


def _size(size: Any) -> tuple[int, ...]:
    return checked_size("sparse_coo_tensor", tuple(argument_checks.integer_list("sparse_coo_tensor", "size", size)))


def _values(values: Any, dtype: Any, device: Any) -> Any:
    if not isinstance(values, TensorBase):
        return make_tensor(values, dtype=dtype, device=device)
    value: Any = values
    return value if dtype is None and device is None else value.to(device=device, dtype=dtype)


def _index(name: str, index: Any, values: Any, kind: Dtype | None = None) -> Any:
    if not isinstance(index, TensorBase):
        index = make_tensor(index, dtype=int64)
    if index.dtype.kind == "b" or index.dtype.kind == "c":
        raise RuntimeError(f"{name} must be an int tensor, but got {type_name(index)} of {index.dtype}")
    if kind is None and index.dtype not in (int32, int64):
        raise RuntimeError(f"{name} must be int32 or int64, but got {index.dtype}")
    return index.detach().to(device=values.device, dtype=kind or index.dtype)


def _finished(pattern: Pattern, values: Any, requires_grad: bool) -> Any:
    return made(pattern, values)._requiring_grad() if requires_grad else of(pattern, values)


def empty(layout: Layout, size: Sequence[int], dtype: Any, device: Any, dims: int | None = None) -> Any:
    size, kind = tuple(size), dtype or get_default_dtype()
    if layout is sparse_coo:
        split = len(size) if dims is None else dims
        index: tuple[Any, ...] = (make_tensor(np.zeros((split, 0), np.int64), device=device),)
    elif layout in COMPRESSED_DIM and len(size) == 2:
        split, ends = 2, np.zeros(size[COMPRESSED_DIM[layout]] + 1, np.int64)
        index = (make_tensor(ends, device=device), make_tensor(np.zeros(0, np.int64), device=device))
    else:
        raise RuntimeError(f"expected layout sparse_coo, or sparse_csr or sparse_csc for a matrix, but got {layout}")
    values = make_tensor(np.zeros((0, *size[split:])), dtype=kind, device=device)
    return made(Pattern(layout, index, size, split, True), values)


def empty_like(sparse: Any, dtype: Any, requires_grad: bool) -> Any:
    """A tensor of the shape, layout and device of another one that keeps no elements."""
    pattern = sparse.pattern
    result = empty(pattern.layout, pattern.shape, dtype or sparse.dtype, sparse.device, pattern.sparse_dims)
    return result._requiring_grad() if requires_grad else result


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
