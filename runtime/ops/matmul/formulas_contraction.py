"""Sums of products over named dimensions as matrix products: helpers of einsum, tensordot and inner."""

import functools
from collections.abc import Sequence

from ...namespace import Tensor
from .einsum_plan import Plan, Product, Side, Simplified, contraction_plan
from .einsum_subscripts import parsed


def contracted(equation: str, operands: Sequence[Tensor]) -> Tensor:
    shapes = tuple([tuple(x.shape) for x in operands])
    subscripts = parsed("einsum", equation, shapes)
    return _contracted(contraction_plan("einsum", subscripts.operands, subscripts.output, shapes), operands)


def contracted_over(a: Tensor, b: Tensor, dims_a: Sequence[int], dims_b: Sequence[int]) -> Tensor:
    """y_ij = sum_k a_ik b_kj, with k for the pairs of dimensions, i and j for the others of `a` and `b`."""
    return _contracted(_plan_over(tuple(a.shape), tuple(b.shape), tuple(dims_a), tuple(dims_b)), (a, b))


@functools.lru_cache(maxsize=1024)
def _plan_over(a: tuple[int, ...], b: tuple[int, ...], dims_a: tuple[int, ...], dims_b: tuple[int, ...]) -> Plan:
    labels_a = tuple(range(len(a)))
    pairs = {d % len(b): c % len(a) for c, d in zip(dims_a, dims_b, strict=True)}
    labels_b = tuple(pairs.get(d, len(a) + d) for d in range(len(b)))
    output = tuple(label for label in (*labels_a, *labels_b) if label not in pairs.values())
    return contraction_plan("tensordot", (labels_a, labels_b), output, (a, b))


def _contracted(plan: Plan, operands: Sequence[Tensor]) -> Tensor:
    tensors = [_simplified(x, todo) for x, todo in zip(operands, plan.operands, strict=True)]
    for product in plan.products:
        i, j = product.operand_pair
        b, a = tensors.pop(j), tensors.pop(i)
        tensors.append(_multiplied(a, b, product))
    return tensors[0].permute(plan.output) if plan.output else tensors[0]


def _simplified(x: Tensor, todo: Simplified) -> Tensor:
    for pair in todo.diagonals:
        x = x.diagonal(0, *pair)
    x = x.squeeze(todo.squeezed) if todo.squeezed else x
    return x.sum(todo.summed) if todo.summed else x


def _multiplied(a: Tensor, b: Tensor, product: Product) -> Tensor:
    x, y = _with_strides(a, product.left), _with_strides(b, product.right)
    if product.kind == "mul":
        return x * y
    if x.dtype != y.dtype:  # integers, of which one is a sum already
        x, y = x.long(), y.long()
    result = x.mm(y) if product.kind == "mm" else x.bmm(y)
    return result if result.shape == product.shape else result.reshape(product.shape)


def _with_strides(x: Tensor, side: Side) -> Tensor:
    x = x.permute(side.order) if side.order else x
    return x if x.shape == side.shape else x.reshape(side.shape)
