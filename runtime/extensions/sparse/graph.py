"""Sparse tensors in the graph: two nodes lead from values to a sparse tensor and back.

All that is computed is computed on values, with the ops that there are for them, so no op has a gradient of its own for
sparse tensors. The gradient of a sparse tensor is sparse, and has its pattern.
"""

from typing import Any

import numpy as np

from ...autograd.function import Function
from ...namespace import op
from ...tensor.grad_mode import mode
from .dispatch import has_pattern
from .pattern import Pattern
from .tensor import made


class SparseOf(Function):
    """From values to the sparse tensor. Its gradient may be sparse or dense: what stands at the places is theirs."""

    @staticmethod
    def forward(ctx: Any, values: Any, pattern: Pattern) -> Any:
        ctx.pattern = pattern
        return made(pattern, values)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return values_at(grad, ctx.pattern), None


class ValuesOf(Function):
    """From a sparse tensor to its values. Their gradient becomes a sparse one of the same pattern."""

    @staticmethod
    def forward(ctx: Any, sparse: Any) -> Any:
        ctx.pattern = sparse.pattern
        return op.alias(sparse.elements)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """The gradient as a sparse tensor: what is listed twice is one element, and has one gradient."""
        if ctx.pattern.is_coalesced or not ctx.pattern.is_by_coordinates:
            return of(ctx.pattern, grad)
        merged, first, _ = ctx.pattern.merged
        return of(merged, grad.index_select(0, merged.on_device(first)))


def of(pattern: Pattern, values: Any) -> Any:
    return SparseOf.apply(values, pattern) if values._requires_grad and mode.grad else made(pattern, values)


def values_of(sparse: Any) -> Any:
    return ValuesOf.apply(sparse) if sparse._requires_grad and mode.grad else sparse.elements


def coalesced(sparse: Any) -> Any:
    pattern = sparse.pattern
    if pattern.is_coalesced:
        return sparse
    result, _, inverse = pattern.merged
    return of(result, added_up(values_of(sparse), pattern.on_device(inverse), result.count))


def added_up(values: Any, numbers: Any, count: int) -> Any:
    """Values with one number added up: one for each number below `count`. Of bools it is whether any is true."""
    if values.dtype.kind == "b":
        return added_up(values.int(), numbers, count) != 0
    return values.new_zeros((count, *values.shape[1:])).index_add(0, numbers, values)


def values_at(tensor: Any, pattern: Pattern) -> Any:
    if not has_pattern(tensor):
        return (
            op.index(tensor, list(pattern.axes))
            if pattern.sparse_dims
            else tensor.expand((pattern.count, *tensor.shape))
        )
    if tensor.pattern is pattern or same_indices(tensor.pattern, pattern):
        return values_of(tensor)
    if tensor.pattern.sparse_dims != pattern.sparse_dims:
        return values_at(dense(tensor), pattern)
    tensor = coalesced(tensor)
    values, there = values_of(tensor), row_major(tensor.pattern)
    if not tensor.pattern.count:
        return values.new_zeros((pattern.count, *pattern.dense_shape))
    numbers = tensor.pattern.flat_indices[there]
    position = np.minimum(np.searchsorted(numbers, pattern.flat_indices), len(numbers) - 1)
    result = pattern.on_device(numbers[position] == pattern.flat_indices)
    gathered = values.index_select(0, pattern.on_device(there[position]))
    return op.where(result.reshape((-1,) + (1,) * len(pattern.dense_shape)), gathered, gathered.new_zeros(()))


def row_major(pattern: Pattern) -> np.ndarray:
    return np.argsort(pattern.flat_indices, kind="stable")


def same_indices(one: Pattern, other: Pattern) -> bool:
    if one.count != other.count or one.shape != other.shape or one.sparse_dims != other.sparse_dims:
        return False
    return one.index is other.index or np.array_equal(one.coordinates, other.coordinates)


def dense(sparse: Any) -> Any:
    pattern, total = sparse.pattern, 1
    for size in pattern.sparse_shape:
        total *= size
    flat = added_up(values_of(sparse), pattern.indices_on_device, total)
    return flat.reshape(pattern.shape)
