"""What distances between vectors, and losses of classes and pairs of vectors, are composed of."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def cosine(x1: Tensor, x2: Tensor, dim: int, eps: float) -> Tensor:
    """The product of both vectors, each over its length, or over eps if that is more."""
    unit1 = x1 / x1.norm(2, dim, keepdim=True).clamp(eps)
    return (unit1 * (x2 / x2.norm(2, dim, keepdim=True).clamp(eps))).sum(dim)


def unit_vectors(x: Tensor, p: float, dim: tuple[int, ...], eps: float, out: Tensor | None) -> Tensor:
    """x over its p-norm, or over eps if that is more."""
    length = x.norm(p, dim, keepdim=True).clamp(eps)
    return x / length if out is None else op.div(x, length, out=out)


def triplet_values(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float, p: float, eps: float, swap: bool
) -> Tensor:
    """max(0, margin + d(a, p) - d(a, n)); with swap the negative's distance to the positive counts if it is less."""
    near = op.pairwise_distance(anchor, positive, p, eps)
    far = op.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(op.pairwise_distance(positive, negative, p, eps))
    return (margin + near - far).clamp(0)


def cosine_embedding_values(x1: Tensor, x2: Tensor, target: Tensor, margin: float) -> Tensor:
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1, and 0 elsewhere."""
    squares = ((x1 * x1).sum(-1) + 1e-12) * ((x2 * x2).sum(-1) + 1e-12)
    cos = (x1 * x2).sum(-1) / squares.sqrt()
    return op.where(target == 1, 1 - cos, 0) + op.where(target == -1, (cos - margin).clamp(0), 0)


def class_margins(x: Tensor, target: Tensor, p: int, margin: float, weight: Tensor | None) -> Tensor:
    """The mean over the classes of weight[t] max(0, margin - x[t] + x[i])^p, where the target t itself counts 0."""
    rows, chosen = x.reshape([-1, x._shape[-1]]), target.reshape([-1])
    column = chosen.unsqueeze(1)
    slack = (margin - rows.gather(1, column) + rows).clamp(0)
    slack = slack if p == 1 else slack * slack
    if weight is not None:
        slack = slack * weight.index_select(0, chosen).unsqueeze(1)
    others = op.zeros_like(rows.detach()).scatter(1, column, 1.0) == 0
    return (op.where(others, slack, 0).sum(1) / x._shape[-1]).reshape(target._shape)


def label_margins(x: Tensor, target: Tensor) -> Tensor:
    """The sum over labels j and other classes i of max(0, 1 - x[j] + x[i]), over the number of classes."""
    rows, labels = x.reshape([-1, x._shape[-1]]), target.reshape([-1, x._shape[-1]])
    counted = (labels < 0).cumsum(1) == 0
    chosen = labels * counted
    own = op.zeros_like(rows.detach()).scatter_add(1, chosen, counted.to(x.dtype)) > 0
    slack = (1 - rows.gather(1, chosen).unsqueeze(2) + rows.unsqueeze(1)).clamp(0)
    used = counted.unsqueeze(2) & own.logical_not().unsqueeze(1)
    return (op.where(used, slack, 0).sum([1, 2]) / x._shape[-1]).reshape(x._shape[:-1])


def label_entropies(x: Tensor, target: Tensor, weight: Tensor | None) -> Tensor:
    """The mean over the classes of -(t log sigmoid(x) + (1 - t) log sigmoid(-x)), times their weights."""
    loss = -(target * op.logsigmoid(x) + (1 - target) * op.logsigmoid(-x))
    return (loss if weight is None else loss * weight).sum(-1) / x._shape[-1]
