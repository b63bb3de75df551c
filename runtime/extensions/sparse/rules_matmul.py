"""Rules of products of matrices of which one or both are sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ShapeError
from ...namespace import op
from ...tensor.memory_format import sparse_coo
from .convert import in_layout, row_and_column
from .dispatch import Call, has_pattern
from .graph import added_up, of, values_of
from .pattern import by_coordinates, in_order
from .rules_shape import ranges


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
        return _of_both(a, b)
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


def _of_both(a: Any, b: Any) -> Any:
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
