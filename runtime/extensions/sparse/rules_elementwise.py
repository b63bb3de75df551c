"""Ops on values alone: those that make one number of many, to which zeros that are not kept add nothing, and those that
look at one element at a time and give zero for zero.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ...shapes import dim_of
from ...tensor.memory_format import sparse_coo
from .convert import in_layout
from .dispatch import Call, has_pattern, overwrite
from .graph import added_up, coalesced, dense, of, values_of
from .pattern import by_coordinates, in_order


def sum_of_values(call: Call) -> Any:
    """The sum of the values, over some dimensions: sparse while one of those that are left is."""
    arguments = call.arguments
    return summed_over(call.first, arguments.get("dim"), arguments.get("keepdim", False), arguments.get("dtype"))


def summed_over(sparse: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    ndim, split = len(sparse._shape), sparse.pattern.sparse_dims
    dims = range(ndim) if dim is None or dim == () or dim == [] else [dim] if isinstance(dim, int) else dim
    over = {dim_of("sum", d, ndim) for d in dims}
    layout, sparse = sparse.layout, in_layout(sparse, sparse_coo)
    values = values_of(sparse)
    dense_over = [d - split + 1 for d in sorted(over) if d >= split]
    if over.issuperset(range(split)):
        result = values.sum((0, *dense_over), dtype=dtype) if dense_over or values.dim() else values.sum(dtype=dtype)
        return result if not keepdim else result.reshape([1 if d in over else n for d, n in enumerate(sparse._shape)])
    if dense_over:
        values = values.sum(dense_over, keepdim, dtype=dtype)
    elif dtype is not None or values.dtype.kind in "bi":
        values = values.to(dtype) if dtype is not None else values.long()
    result = _without_axes(sparse, values, over, keepdim)
    return in_layout(result, layout) if keepdim else result


def _without_axes(sparse: Any, values: Any, over: set[int], keepdim: bool) -> Any:
    shape, split = sparse._shape, sparse.pattern.sparse_dims
    left = [d for d in range(split) if d not in over]
    coordinates, numbers = in_order(sparse.pattern.coordinates[left], [shape[d] for d in left])
    if keepdim:
        full = np.zeros((split, coordinates.shape[1]), np.int64)
        full[left] = coordinates
        coordinates = full
    sizes = [1 if d in over else n for d, n in enumerate(shape) if keepdim or d not in over]
    pattern = by_coordinates(coordinates, sizes, sparse._device, True)
    return of(pattern, added_up(values, pattern.on_device(numbers), pattern.count))


def norm_of_values(call: Call) -> Any:
    """The norm of all values, once equal places are added up."""
    p, dim = call.arguments.get("p", 2), call.arguments.get("dim")
    if dim not in (None, (), []) or (isinstance(p, (int, float)) and p <= 0):
        raise RuntimeError(f"norm(): expected p > 0 and no dim for a sparse tensor, but got p={p} and dim={dim}")
    return call.on(values_of(coalesced(call.first)).reshape(-1))


def any_of_values(call: Call) -> Any:
    """Whether a value is not zero."""
    return call.on(values_of(coalesced(call.first)))


def each_value(call: Call) -> Any:
    """The op on the values, once equal places are added up."""
    sparse = coalesced(call.first)
    return of(sparse.pattern, call.on(values_of(sparse)))


def each_part(call: Call) -> Any:
    """The op on the values as they are: what it gives of a sum is the sum of what it gives."""
    return of(call.first.pattern, call.on(values_of(call.first)))


def power(call: Call) -> Any:
    """The power of the values, by a number above 0."""
    exponent = call["exponent"]
    if exponent == 0 or (isinstance(exponent, (int, float)) and exponent < 0):
        raise RuntimeError(f"pow(): expected an exponent above 0 for a sparse tensor, but got {exponent}")
    return each_value(call)


def moved_to_device(call: Call) -> Any:
    """Indices and values go there."""
    sparse = in_layout(coalesced(call.first), call.first.layout) if call.first.is_sparse else call.first
    there = replace(sparse.pattern, index=tuple(call.on(index) for index in sparse.pattern.index))
    return of(there, call.on(values_of(sparse)))


def without_elements(call: Call) -> Any:
    from .create import empty_like

    return empty_like(call.first, call.arguments.get("dtype"), call.arguments.get("requires_grad", False))


def emptied(call: Call) -> Any:
    """All elements are forgotten, which is zero everywhere."""
    from .create import empty_like

    return overwrite(call.first, empty_like(call.first, None, False), "zero_")


def copied(call: Call) -> Any:
    """Pattern and values of the source take the place of the tensor's; a strided tensor gets all elements."""
    tensor, source = call.first, call["src"]
    if not has_pattern(tensor):
        return call.on(tensor, src=dense(source))
    if not has_pattern(source):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented: use to_sparse() first")
    if tensor.requires_grad and tensor.is_leaf:
        raise RuntimeError("copy_(): a leaf Variable that requires grad is being used in an in-place operation.")
    return overwrite(tensor, in_layout(source, tensor.layout).to(tensor.dtype).clone(), "copy_")
