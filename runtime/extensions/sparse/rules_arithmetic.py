"""Rules of sums, products and quotients of sparse tensors, and of products of matrices."""

from typing import Any

import numpy as np

from ...errors import ShapeError
from ...namespace import op
from ...shapes import dim_of
from ...tensor.dtypes import promote_types
from ...tensor.memory_format import sparse_coo
from ...tensor.tensor import TensorBase
from .convert import in_layout, row_and_column
from .dispatch import Call, has_pattern
from .graph import added_up, coalesced, dense, of, same_indices, values_at, values_of
from .pattern import by_coordinates, in_order
from .rules_shape import ranges


def added(call: Call) -> Any:
    """Two sparse tensors give a sparse one, a sparse and a strided one a strided one; numbers are refused."""
    first, other = call.first, call["other"]
    if has_pattern(first) and has_pattern(other):
        return summed(call, first, other)
    is_tensor = isinstance(other, TensorBase)
    if not is_tensor or not (other._shape and first._shape):
        raise RuntimeError(f"{call.op}(): a number cannot be added to a sparse tensor: use to_dense() first")
    if has_pattern(first):
        return call.on(dense(first), other=other)
    kind = promote_types(first._dtype, other._dtype)
    if first._shape != other._shape or kind is not first._dtype:
        return call.on(first, other=dense(other))
    alpha = -call["alpha"] if call.op == "sub" else call["alpha"]
    return added_at_indices(first if call.writes else first.clone(), other, alpha)


def added_at_indices(target: Any, sparse: Any, alpha: Any) -> Any:
    """x += alpha y for a strided tensor x, which changes where y keeps elements."""
    values, axes = values_of(sparse).to(target.dtype), sparse.pattern.axes
    if len(axes) == 1:
        return target.index_add_(0, axes[0], values, alpha=alpha)
    return target.index_put_(axes, values if alpha == 1 else values * alpha, accumulate=True)


def _reaches(shape: Any, target: Any) -> bool:
    return len(shape) <= len(target) and all(
        a in (1, b) for a, b in zip(reversed(shape), reversed(target), strict=False)
    )


def summed(call: Call, first: Any, other: Any) -> Any:
    """x + alpha y, or x - alpha y, of two sparse tensors."""
    if first._shape != other._shape or first.pattern.sparse_dims != other.pattern.sparse_dims:
        raise RuntimeError(
            f"{call.op}: expected sizes of 'self' and 'other' to match, but {list(first._shape)} != "
            f"{list(other._shape)}"
        )
    if first.pattern is other.pattern or same_indices(first.pattern, other.pattern):
        return of(first.pattern, call.on(values_of(first), other=values_of(other)))
    layout, ordered = first.layout, first.layout is not sparse_coo
    one, two = in_layout(first, sparse_coo), in_layout(other, sparse_coo)
    kind = promote_types(first._dtype, other._dtype)
    mine, theirs = values_of(one).to(kind), values_of(two).to(kind)
    theirs = call.on(theirs.new_zeros(()), other=theirs)  # with alpha, and the sign
    coordinates = np.concatenate((one.pattern.coordinates, two.pattern.coordinates), 1)
    total = of(one.pattern.like(coordinates, is_coalesced=False), op.cat([mine, theirs]))
    if ordered or (one.pattern.is_coalesced and two.pattern.is_coalesced):
        total = coalesced(total)
    return in_layout(total, layout)


def multiplied(call: Call) -> Any:
    """Products at the places that all sparse factors keep; a number multiplies values."""
    first, other = call.first, call["other"]
    if not has_pattern(first):
        first, other = other, first
    is_tensor = isinstance(other, TensorBase)
    if not is_tensor or not (other._shape or has_pattern(other)):
        return of(first.pattern, _product(call, values_of(first), other))
    if has_pattern(other):
        return _of_both(call, first, other)
    if not _reaches(other._shape, first._shape):
        raise ShapeError(
            f"mul(): expected a factor that broadcasts to the sparse tensor's shape {list(first._shape)}, but got "
            f"{list(other._shape)}"
        )
    return of(first.pattern, _product(call, values_of(first), values_at(other.expand(first._shape), first.pattern)))


def _product(call: Call, values: Any, other: Any) -> Any:
    return call.on(values, other=other)


def _of_both(call: Call, first: Any, other: Any) -> Any:
    if first._shape != other._shape or first.pattern.sparse_dims != other.pattern.sparse_dims:
        raise RuntimeError(
            f"mul: expected 'self' and 'other' to have same sizes, but {list(first._shape)} != {list(other._shape)}"
        )
    layout = first.layout
    one, two = coalesced(in_layout(first, sparse_coo)), coalesced(in_layout(other, sparse_coo))
    if one.pattern is two.pattern:
        return in_layout(of(one.pattern, _product(call, values_of(one), values_of(two))), layout)
    _, mine, theirs = np.intersect1d(
        one.pattern.flat_indices, two.pattern.flat_indices, assume_unique=True, return_indices=True
    )
    pattern = one.pattern.like(one.pattern.coordinates[:, mine], is_coalesced=True)
    values = _product(call, _gathered(one, mine), _gathered(two, theirs))
    return in_layout(of(pattern, values), layout)


def _gathered(sparse: Any, numbers: np.ndarray) -> Any:
    return values_of(sparse).index_select(0, sparse.pattern.on_device(numbers))


def divided(call: Call) -> Any:
    """Values over a number."""
    first, other = call.first, call["other"]
    shape = list(other._shape) if isinstance(other, TensorBase) else []
    if not has_pattern(first) or has_pattern(other) or shape:
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {shape} for divisor)"
        )
    if call.arguments.get("rounding_mode") is not None:
        first = coalesced(first)
    return of(first.pattern, call.on(values_of(first)))


def concatenated(call: Call) -> Any:
    """The places of each, moved behind those of the ones before."""
    tensors, dim = list(call["tensors"]), call["dim"]
    for position, tensor in enumerate(tensors):
        if not has_pattern(tensor):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {position}.")
    layout, tensors = tensors[0].layout, [in_layout(t, sparse_coo) for t in tensors]
    first = tensors[0]
    dim = dim_of("cat", dim, len(first._shape))
    sizes = [t._shape[:dim] + t._shape[dim + 1 :] for t in tensors]
    if len(set(sizes)) > 1 or len({t.pattern.sparse_dims for t in tensors}) > 1:
        raise RuntimeError("cat(): expected sparse tensors of one shape but in `dim`, and as many sparse dimensions")
    shape = (*first._shape[:dim], sum(t._shape[dim] for t in tensors), *first._shape[dim + 1 :])
    result = _cat_sparse(tensors, dim, shape) if dim < first.pattern.sparse_dims else _cat_dense(tensors, dim, shape)
    return in_layout(result, layout)


def _cat_sparse(tensors: list[Any], dim: int, shape: Any) -> Any:
    parts, offset = [], 0
    for tensor in tensors:
        part = tensor.pattern.coordinates.copy()
        part[dim] += offset
        offset += tensor._shape[dim]
        parts.append(part)
    in_order = dim == 0 and all(t.pattern.is_coalesced for t in tensors)
    pattern = by_coordinates(np.concatenate(parts, 1), shape, tensors[0]._device, in_order)
    return of(pattern, op.cat([values_of(t) for t in tensors]))


def _cat_dense(tensors: list[Any], dim: int, shape: Any) -> Any:
    sparse_dims, blocks, offset = tensors[0].pattern.sparse_dims, [], 0
    for tensor in tensors:
        block = values_of(tensor).new_zeros((tensor.pattern.count, *shape[sparse_dims:]))
        at, size = dim - sparse_dims + 1, tensor._shape[dim]
        blocks.append(block.slice_scatter(values_of(tensor), at, offset, offset + size))
        offset += size
    coordinates = np.concatenate([t.pattern.coordinates for t in tensors], 1)
    return of(by_coordinates(coordinates, shape, tensors[0]._device, False), op.cat(blocks))


def stacked(call: Call) -> Any:
    """Each with a new sparse dimension in front of `dim`, one behind the other."""
    tensors = call["tensors"]
    if not all(has_pattern(t) for t in tensors):
        raise RuntimeError("stack(): expected sparse tensors only, but a dense tensor was found")
    dim = dim_of("stack", call["dim"], len(tensors[0]._shape) + 1)
    return op.cat([t.unsqueeze(dim) for t in tensors], dim)


def matrix_product(call: Call) -> Any:
    """Sparse times strided is strided, sparse times sparse is sparse."""
    names = list(call.arguments)
    return product(call.op, call[names[0]], call[names[1]])


def product(name: str, a: Any, b: Any) -> Any:
    """The product of matrices or vectors; of more dimensions there is none."""
    if len(a._shape) == 1:
        return product(name, a.unsqueeze(0), b)[0] if not has_pattern(a) else _refuse(name, a, b)
    if len(b._shape) == 1:
        return product(name, a, b.unsqueeze(1))[:, 0] if not has_pattern(b) else _refuse(name, a, b)
    if len(a._shape) != 2 or len(b._shape) != 2:
        return _refuse(name, a, b)
    if a._shape[1] != b._shape[0]:
        sizes = " and ".join("x".join(map(str, t._shape)) for t in (a, b))
        raise ShapeError(f"{name}(): mat1 and mat2 shapes cannot be multiplied ({sizes})")
    if has_pattern(a) and has_pattern(b):
        return _of_sparse(a, b)
    if has_pattern(a):
        row, column = row_and_column(a)
        return op.coordinate_mm(values_of(a), row, column, a._shape[0], b)
    row, column = row_and_column(b)
    return op.coordinate_mm(values_of(b), column, row, b._shape[1], a.t()).t()


def _refuse(name: str, a: Any, b: Any) -> Any:
    raise RuntimeError(
        f"{name}(): expected matrices, or a sparse matrix and a strided vector, but got shapes {list(a._shape)} and "
        f"{list(b._shape)}"
    )


def _of_sparse(a: Any, b: Any) -> Any:
    """The product of two sparse matrices: each value of the first one times the values of a row of the second one."""
    layout = a.layout
    a, b = in_layout(a, sparse_coo), in_layout(b, sparse_coo)
    row_and_column(a), row_and_column(b)
    (rows, inner), (inner_of_b, columns) = a.pattern.coordinates, b.pattern.coordinates
    order = np.argsort(inner_of_b, kind="stable")
    starts = np.zeros(b._shape[0] + 1, np.int64)
    np.cumsum(np.bincount(inner_of_b, minlength=b._shape[0]), out=starts[1:])
    counts = starts[inner + 1] - starts[inner]
    mine, theirs = np.repeat(np.arange(len(inner)), counts), order[ranges(starts[inner], counts)]
    shape = (a._shape[0], b._shape[1])
    coordinates, numbers = in_order(np.stack((rows[mine], columns[theirs])), shape)
    pattern = by_coordinates(coordinates, shape, a._device, True)
    to_device = pattern.on_device
    terms = values_of(a).index_select(0, to_device(mine)) * values_of(b).index_select(0, to_device(theirs))
    return in_layout(of(pattern, added_up(terms, to_device(numbers), pattern.count)), layout)


def product_and_sum(call: Call) -> Any:
    """beta x + alpha A B."""
    first, beta, alpha = call.first, call["beta"], call["alpha"]
    if not has_pattern(call["mat1"]) and not has_pattern(call["mat2"]):
        raise RuntimeError(f"{call.op}(): expected strided result tensor, got tensor with layout {first.layout}")
    result = product(call.op, call["mat1"], call["mat2"])
    if has_pattern(first) != has_pattern(result):
        kind = "sparse" if has_pattern(result) else "strided"
        raise RuntimeError(f"{call.op}(): expected {kind} result tensor, got tensor with layout {first.layout}")
    result = result * alpha if alpha != 1 else result
    return result if beta == 0 else op.add(first * beta if beta != 1 else first, result)


def batch_product(call: Call) -> Any:
    """Each of a batch of sparse matrices times a strided one: one product of larger matrices."""
    sparse, dense = call.first, call["mat2"]
    if not has_pattern(sparse) or has_pattern(dense) or sparse.pattern.sparse_dims != 3 or dense.dim() != 3:
        raise RuntimeError(
            "bmm_sparse: expected a sparse batch of matrices with three sparse dimensions, and a strided one"
        )
    (count, n, k), m = sparse._shape, dense._shape[2]
    if (count, k) != dense._shape[:2]:
        raise RuntimeError(
            "bmm_sparse: 'self.size(0)' and 'mat2.size(0)', 'self.size(2)' and 'mat2.size(1)' must match"
        )
    batch, row, column = sparse.pattern.axes
    result = op.coordinate_mm(
        values_of(sparse), batch * n + row, batch * k + column, count * n, dense.reshape(count * k, m)
    )
    return result.reshape(count, n, m)


def linear_map(call: Call) -> Any:
    """x W^T, and a strided bias."""
    x, weight, bias = call.first, call["weight"], call["bias"]
    if has_pattern(bias):
        raise call.refused()
    if has_pattern(x):
        result = product("linear", x, weight.t())
    else:
        result = product("linear", x.reshape(-1, x.shape[-1]), weight.t()).reshape(*x.shape[:-1], weight._shape[0])
    return result if bias is None else result + bias
