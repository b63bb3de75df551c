"""The gradient and the tangent of scatter_reduce, both from the slope of the result in each element that it reduces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..namespace import op
from .formulas_indexing import filled_up, zeros_of

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Slopes: TypeAlias = tuple[Any, Any]


def scatter_reduce_backward(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Slopes:
    """The gradients of the tensor and of the source, which is zero where the source reaches beyond the index."""
    part = _reached(src, index._shape)
    of_self, of_src = _slopes(self, dim, index, part, reduce, include_self, result)
    found = grad.gather(dim, index) * of_src.conj()
    return grad * of_self.conj(), filled_up(found, src._shape)


def scatter_reduce_forward(
    self: Tensor,
    self_t: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    src_t: Tensor,
    reduce: str,
    include_self: bool,
    result: Tensor,
) -> Tensor:
    """The tangents of all elements, each times its slope, added up."""
    of_self, of_src = _slopes(self, dim, index, _reached(src, index._shape), reduce, include_self, result)
    return (self_t * of_self).scatter_add(dim, index, _reached(src_t, index._shape) * of_src)


def _reached(src: Tensor, shape: Sequence[int]) -> Tensor:
    """The part of the source that the index reaches."""
    for dim, (size, n) in enumerate(zip(src._shape, shape, strict=True)):
        src = src if size == n else src.narrow(dim, 0, n)
    return src


def _slopes(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Slopes:
    """The slopes in the tensor's elements and in the source's; where nothing is reduced into, it is 1."""
    ones = zeros_of(self, self._shape) + 1
    kept = ones if include_self else ones.scatter(dim, index, 0)
    if reduce == "prod":
        return _of_product(self, dim, index, src, include_self, kept)
    if reduce in ("amax", "amin"):
        hit, hits = (self == result) * kept, (src == result.gather(dim, index)).to(src.dtype)
    else:
        hit, hits = kept, zeros_of(src, src._shape) + 1
    if reduce == "sum":
        return hit, hits
    share = 1 / hit.scatter_add(dim, index, hits)
    return hit * share, hits * share.gather(dim, index)


def _of_product(self: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool, kept: Tensor) -> Slopes:
    """The product of all others: of those that are not zero, times the zeros among them.

    One zero stands there as itself, so that differentiating again finds it; two or more have slope 0 too.
    """
    zero, zeros = self == 0, src == 0
    count = op.where(zero, kept, 0).scatter_add(dim, index, zeros.to(kept.dtype))
    total = op.where(zero, self * kept, 0).scatter_add(dim, index, op.where(zeros, src, 0))
    nonzero, others = self.masked_fill(zero, 1), src.masked_fill(zeros, 1)
    product = op.scatter_reduce(nonzero, dim, index, others, "prod", include_self=include_self)
    of_self = _without_one(product / nonzero, count, total, self, zero) * kept
    at = (x.gather(dim, index) for x in (product, count, total))
    return of_self, _without_one(next(at) / others, next(at), next(at), src, zeros)


def _without_one(product: Tensor, count: Tensor, total: Tensor, own: Tensor, zero: Tensor) -> Tensor:
    """A product of what is not zero, times the zeros but one's own; `total` is their sum."""
    left = count - zero.to(count.dtype)
    rest = op.where(zero, total - own, total)
    return product * op.where(left == 0, 1, op.where(left == 1, rest, 0))
