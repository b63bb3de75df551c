"""Rules of ops that make one number of many: zeros that are not kept add nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....tensor.memory_format import sparse_coo
from ..convert import in_layout
from ..dispatch import Call
from ..graph import added_up, coalesced, of, values_of
from ..pattern import by_coordinates, in_order
from .moved import dim_of


def sum_of_values(call: Call) -> Any:
    """The sum of the values, over some dimensions: sparse while one of those that are left is."""
    arguments = call.arguments
    return summed_over(call.first, arguments.get("dim"), arguments.get("keepdim", False), arguments.get("dtype"))


def summed_over(sparse: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    """The sum over some dimensions, of all if there are none."""
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
    """Values added up whose places differ only in the dimensions that are summed over."""
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
