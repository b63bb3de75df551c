"""Batching rules of matrix products, linear layers and distances: examples are one more batch dimension."""

from __future__ import annotations

from math import prod
from typing import Any

from ...namespace import op
from .op_call import Call, belongs
from .rules_general import lined_up, padded, shaped


def product(call: Call) -> Any:
    """mm, bmm, mv and dot of whole batches."""
    left, right = call.arguments.values()
    return multiplied(call, left, right)


def multiplied(call: Call, left: Any, right: Any) -> Any:
    """The matrix product of two examples, for all examples."""
    ranks = len(left._shape), len(right._shape)
    a, b = call.batch_first_if_batched(left), call.batch_first_if_batched(right)
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
    """beta * input + alpha * (product): addmm, addmv, baddbmm and addbmm."""
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
    return call.batch_first(first).copy_(result) if call.writes else result


def linear(call: Call) -> Any:
    """x W^T + b; rows of all examples together where they share the weight."""
    x, weight, bias = call.arguments.values()
    if len(weight._shape) == 1:
        return with_bias(call, multiplied(call, x, weight), bias, len(x._shape) - 1)
    if not call.is_batched("weight"):
        fits = not call.is_batched("bias")
        result = op.linear(call.batch_first_if_batched(x), weight, bias if fits else None)
        return result if fits else with_bias(call, result, bias, len(x._shape))
    rows, columns = flat_rows(call, call.batch_first_if_batched(x), x), call.batch_first(weight).transpose(1, 2)
    if not call.is_batched("input"):
        result = with_bias(call, rows.matmul(columns), bias, 2)
    elif bias is None:
        result = op.bmm(rows, columns)
    else:
        result = op.baddbmm(call.batch_first_if_batched(bias.unsqueeze(0)), rows, columns)
    return shaped(result, (call.size, *x._shape[:-1], weight._shape[0]))


def with_bias(call: Call, result: Any, bias: Any, rank: int) -> Any:
    if bias is None:
        return result
    return result + (padded(call.batch_first(bias), rank) if call.is_batched("bias") else bias)


def flat_rows(call: Call, value: Any, example: Any) -> Any:
    size = (call.size,) if belongs(example, call.level) else ()
    return shaped(value, (*size, prod(example._shape[:-1]), example._shape[-1]))


def linear_weight_backward(call: Call) -> Any:
    """The gradient of a weight: grad^T x over all rows of an example."""
    grad, x = call["grad_output"], call["input"]
    vector = len(grad._shape) < len(x._shape)  # that of a weight with one dimension
    rows = call.batch_first_if_batched(grad.unsqueeze(-1) if vector else grad)
    size = (call.size,) if belongs(grad, call.level) else ()
    rows = rows.reshape((*size, prod(x._shape[:-1]), rows._shape[-1]))
    result = rows.transpose(-2, -1).matmul(flat_rows(call, call.batch_first_if_batched(x), x))
    return result.squeeze(-2) if vector else result


def pairs_of_rows_each(call: Call) -> Any:
    """Distances of all pairs of rows of each example, and of these the ones above the diagonal."""
    x = call.batch_first(call.first)
    rows = op.arange(x._shape[1], device="cpu")
    above = (rows.unsqueeze(1) < rows).reshape(-1).nonzero().reshape(-1).to(x.device)
    p = call["p"]
    return op.row_distances(x, x, p).flatten(1).index_select(1, above)
