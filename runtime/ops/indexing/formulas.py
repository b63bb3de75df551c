"""Helpers of the formulas and composites of indexing ops.

Those of composites in place are found by the name of the op, `write_` and that: they get what has been checked as the
composite's arguments, write to the tensor itself where the composite would copy all of it, and return the tensor. In
the graph there are the nodes of the ops that they call.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

from ...autograd.locally_constant import step_function_of
from ...device.device import CPU
from ...kernels.declarations import writes
from ...namespace import Tensor, op
from ...shapes import broadcast_shapes
from ...tensor import dtypes

Ints: TypeAlias = Sequence[int]
Derivatives: TypeAlias = tuple[Any, Any]


def zeros_of(like: Tensor, shape: Ints) -> Tensor:
    return op.zeros(shape, dtype=like.dtype, device=like.device)


def zero_at(grad: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    return op.index_put(grad, indices, zeros_of(grad, ()))


def padded_to(x: Tensor, shape: Ints) -> Tensor:
    if tuple(x._shape) == tuple(shape):
        return x
    missing = [n - m for n, m in zip(shape, x._shape, strict=True)]
    return op.constant_pad_nd(x, [side for n in reversed(missing) for side in (0, n)], 0)


def added_at(grad: Tensor, shape: Ints, index: Tensor) -> Tensor:
    """Zeros of a shape to which elements are added at places of the flattened tensor: the transpose of `take`."""
    return op.index_backward(grad, (prod(shape),), [index]).view(shape)


def unraveled(indices: Tensor, shape: Ints) -> tuple[Tensor, ...]:
    """Indices along each dimension, from the last one: remainders, and what is left over for those before."""
    matches = []
    for size in reversed(shape):
        matches.append(op.remainder(indices, max(size, 1)))
        indices = op.floor_divide(indices, max(size, 1))
    return tuple(reversed(matches))


def broadcast_beside(op_name: str, dim: int, first: Ints, second: Ints) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both shapes broadcast with each other in all dimensions but `dim`, where each keeps its own size."""
    if first == second:
        return tuple(first), tuple(second)
    alone = ((*shape[:dim], 1, *shape[dim + 1 :]) for shape in (first, second))
    common = broadcast_shapes(op_name, *alone)
    return (*common[:dim], first[dim], *common[dim + 1 :]), (*common[:dim], second[dim], *common[dim + 1 :])


def slice_mask(self: Tensor, dim: int, index: Tensor) -> Tensor:
    size = self._shape[dim] if self.ndim else 1
    positions = op.checked_indices(index.reshape((-1,)), dim, size, "index_fill", True)
    no = op.zeros((size,), dtype=dtypes.bool_, device=self.device)
    mask = op.index_put(no, [positions], op.ones((), dtype=dtypes.bool_, device=self.device))
    return along_dim(mask, dim, self.ndim)


def full_of(like: Tensor, shape: Ints, value: Any) -> Tensor:
    return op.full(tuple(shape), value, dtype=like.dtype, device=like.device)


def along_dim(x: Tensor, dim: int, ndim: int) -> Tensor:
    return x.reshape((-1, *(1,) * (ndim - dim - 1)) if ndim else ())


def scattered_where(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Elements written where a mask is true, by the kernel of the host if they lie there, and there are any."""
    if self._device is CPU and source.numel():
        return op.masked_written(self, mask, source)
    where = mask.expand(self._shape)
    if not source.numel():
        op.order_of_true(where, 0, 0)
        return self.clone()
    return op.where(where, op.index(source.flatten(), [op.order_of_true(where, source.numel(), 0)]), self)


def masked_scatter_grad(grad: Tensor, mask: Tensor, shape: Ints) -> Tensor:
    """Of elements that were written where a mask is true the gradients, zeros for those that were not."""
    count = prod(shape)
    if not count:
        return zeros_of(grad, shape)
    order = op.order_of_true(mask.expand(grad._shape), count, 0)
    return op.index_backward(grad.masked_fill(mask.logical_not(), 0), (count,), [order]).view(shape)


def trues_like(x: Tensor) -> Tensor:
    return op.ones(x._shape, dtype=dtypes.bool_, device=x.device)


def narrowed_to(src: Tensor, shape: Sequence[int]) -> Tensor:
    for dim, (size, n) in enumerate(zip(src._shape, shape, strict=True)):
        src = src if size == n else src.narrow(dim, 0, n)
    return src


def scatter_reduce_derivatives(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, result: Tensor
) -> Derivatives:
    """Of the result by both: of a sum 1, of a mean 1 / n, of an extremum 1 / n for the n equal elements, of a product
    that of the others; 1 where nothing is reduced into.
    """
    ones = zeros_of(self, self._shape) + 1
    remaining_sizes = ones if include_self else ones.scatter(dim, index, 0)
    if reduce == "prod":
        return _of_product(self, dim, index, src, include_self, remaining_sizes)
    if reduce in ("amax", "amin"):
        hit = step_function_of((self == result) * remaining_sizes, self, src)
        hits = step_function_of((src == result.gather(dim, index)).to(src.dtype), self, src)
    else:
        hit, hits = remaining_sizes, zeros_of(src, src._shape) + 1
    if reduce == "sum":
        return hit, hits
    share = 1 / hit.scatter_add(dim, index, hits)
    return hit * share, hits * share.gather(dim, index)


def _of_product(
    self: Tensor, dim: int, index: Tensor, src: Tensor, include_self: bool, remaining_sizes: Tensor
) -> Derivatives:
    """The product of all others that are not zero, times the zeros among them.

    One zero stands there as itself, so that differentiating again finds it; two or more have derivative 0 too.
    """
    zero, zeros = self == 0, src == 0
    count = op.where(zero, remaining_sizes, 0).scatter_add(dim, index, zeros.to(remaining_sizes.dtype))
    total = op.where(zero, self * remaining_sizes, 0).scatter_add(dim, index, op.where(zeros, src, 0))
    nonzero, others = self.masked_fill(zero, 1), src.masked_fill(zeros, 1)
    product = op.scatter_reduce(nonzero, dim, index, others, "prod", include_self=include_self)
    of_self = _without_one(product / nonzero, count, total, self, zero) * remaining_sizes
    at = (x.gather(dim, index) for x in (product, count, total))
    return of_self, _without_one(next(at) / others, next(at), next(at), src, zeros)


def _without_one(product: Tensor, count: Tensor, total: Tensor, own: Tensor, zero: Tensor) -> Tensor:
    left = count - zero.to(count.dtype)
    rest = op.where(zero, total - own, total)
    return product * op.where(left == 0, 1, op.where(left == 1, rest, 0))


@writes("masked_scatter")
def write_masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of `source`, one after the other, written where `mask` is true."""
    if self._device is not CPU or not self.ndim:
        return self.copy_(op.masked_scatter(self, mask, source))
    where = mask.expand(self._shape)
    count = int(op.count_nonzero(where).item())
    if not count or count > source.numel():  # nothing to write, or too little: the composite says so
        return self.copy_(op.masked_scatter(self, mask, source))
    values = op.clone(source) if source._storage is self._storage else source  # lies where it is to be written
    return op.index_put_(self, [where], values.flatten().narrow(0, 0, count))
