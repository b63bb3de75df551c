"""The slopes of scatter_reduce in each element that it reduces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op
from .formulas import zeros_of

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Slopes: TypeAlias = tuple[Any, Any]


def narrowed_to(src: Tensor, shape: Sequence[int]) -> Tensor:
    """The first elements of each dimension, as many as the shape has."""
    for dim, (size, n) in enumerate(zip(src._shape, shape, strict=True)):
        src = src if size == n else src.narrow(dim, 0, n)
    return src


def scatter_reduce_slopes(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Slopes:
    """The slopes of the result in the tensor's elements and in the source's; where nothing is reduced into, it is 1.

    A sum has slope 1, a mean 1 / n, an extremum 1 / n in the n elements that are equal to it, and a product the product
    of the others.
    """
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
