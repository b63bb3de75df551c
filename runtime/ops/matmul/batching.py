"""Matrix products: examples are one more batch dimension of matmul; a matrix that all share stays one."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call, belongs
from ...batching.rules.elementwise import lined_up
from ...namespace import op


def product(call: Call) -> Any:
    """mm, bmm, mv and dot of whole batches."""
    left, right = call.arguments.values()
    return multiplied(call, left, right)


def multiplied(call: Call, left: Any, right: Any) -> Any:
    """The matrix product of two examples, for all examples."""
    ranks = len(left._shape), len(right._shape)
    a, b = call.bare(left), call.bare(right)
    if ranks == (1, 1):
        return (a * b).sum(-1)
    if ranks == (2, 1):
        return a.matmul(b) if not belongs(right, call.level) else times_vectors(a, b, belongs(left, call.level))
    if ranks == (2, 2) and a.ndim == b.ndim == 3:
        return op.bmm(a, b)
    return a.matmul(b)


def times_vectors(matrix: Any, vectors: Any, own: bool) -> Any:
    """Matrix times a vector for each example; a shared matrix multiplies all vectors at once."""
    return matrix.matmul(vectors.unsqueeze(-1)).squeeze(-1) if own else vectors.matmul(matrix.t())


def add_product(call: Call) -> Any:
    """beta * input + alpha * (product), as addmm and its kin compute it."""
    first, left, right = list(call.arguments.values())[:3]
    beta, alpha = call["beta"], call["alpha"]
    result = multiplied(call, left, right)
    if call.op == "addbmm":
        result = result.sum(-3)
    batched = belongs((left, right), call.level)
    result = result if alpha == 1 else result * alpha
    if not batched:
        result = result.expand((call.size, *result._shape))
    if beta != 0:
        added = lined_up(call, first, len(result._shape) - 1)
        result = result + (added if beta == 1 else added * beta)
    return call.whole(first).copy_(result) if call.writes else result
