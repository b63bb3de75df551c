"""Helpers of the formulas of products of matrices, vectors and tensors."""

import functools
from collections.abc import Sequence
from math import prod

from ...namespace import Tensor, op
from ...shapes import Shape, broadcast_shapes
from ...tensor.dtypes import promote_types
from ...tensor.tensor import no_view


def adjoint(x: Tensor) -> Tensor:
    transposed = x.transpose(-2, -1)
    return transposed.conj_physical() if transposed.is_complex() else transposed


def scaled(grad: Tensor, factor: complex) -> Tensor:
    """grad conj(factor): what comes through a multiplication by a number."""
    return grad if factor == 1 else grad * factor.conjugate()


def expand_batch(grad: Tensor, batch_shape: Sequence[int]) -> Tensor:
    return grad.unsqueeze(0).expand((batch_shape[0], *grad._shape))


def matmul_by_rank(self: Tensor, other: Tensor) -> Tensor:
    ranks = left, right = len(self._shape), len(other._shape)
    if ranks == (2, 2):
        return op.mm(self, other)
    if ranks == (1, 1):
        return self.dot(other)
    if ranks == (2, 1):
        return self.mv(other)
    if ranks == (1, 2):
        return other.t().mv(self)
    if left == 1:
        return no_view(_batched(self.unsqueeze(0), other).squeeze(-2))
    if right == 1:
        return no_view(_folded(self, other.unsqueeze(1)).squeeze(-1))
    return _folded(self, other) if right == 2 else _batched(self, other)


def _folded(self: Tensor, other: Tensor) -> Tensor:
    """A batch times one matrix: the rows of all its matrices in one product; of floats that is what a layer does."""
    if self._dtype.kind == "f":
        return op.linear(self, other.t())
    rows = self.reshape((prod(self._shape[:-1]), self._shape[-1]))
    return no_view(rows.mm(other).reshape((*self._shape[:-1], other._shape[1])))


def _batched(self: Tensor, other: Tensor) -> Tensor:
    batch, merged, result = _batch_of(self._shape, other._shape)
    return no_view(op.reshape(op.bmm(_as_batch(self, batch, merged), _as_batch(other, batch, merged)), result))


@functools.lru_cache(maxsize=4096)
def _batch_of(left: Shape, right: Shape) -> tuple[Shape, int, Shape]:
    batch = broadcast_shapes("matmul", left[:-2], right[:-2])
    return batch, prod(batch), (*batch, left[-2], right[-1])


def _as_batch(x: Tensor, batch: Shape, merged: int) -> Tensor:
    *own, rows, columns = x._shape
    full = x if tuple(own) == batch else x.expand((*batch, rows, columns))
    return op.reshape(full, (merged, rows, columns))


def rows_times(rows: Tensor, weight: Tensor) -> Tensor:
    """rows @ weight, or the outer product with a 1-d weight: the transpose of linear in its input."""
    return rows.matmul(weight) if weight.ndim == 2 else rows.unsqueeze(-1) * weight


def kronecker_product(a: Tensor, b: Tensor) -> Tensor:
    """(a x b)_{i m + k, j n + l} = a_ij b_kl, b of m rows and n columns, in any number of dimensions."""
    ndim = max(a.ndim, b.ndim)
    left, right = ((*[1] * (ndim - x.ndim), *x._shape) for x in (a, b))
    rows = a.reshape([n for size in left for n in (size, 1)])
    columns = b.reshape([n for size in right for n in (1, size)])
    return no_view((rows * columns).reshape([m * n for m, n in zip(left, right, strict=True)]))


def matrix_chain_product(matrices: Sequence[Tensor]) -> Tensor:
    first, last = matrices[0], matrices[-1]
    factors = list(matrices)
    factors[0] = first.unsqueeze(0) if first.ndim == 1 else first
    factors[-1] = last.unsqueeze(1) if last.ndim == 1 else last
    sizes = [factors[0]._shape[0], *(x._shape[1] for x in factors)]
    result = _multiplied(factors, _splits(sizes), 0, len(factors) - 1)
    result = result.squeeze(-1) if last.ndim == 1 else result
    return result.squeeze(0) if first.ndim == 1 else result


def _splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to split the product of matrices i to j: matrix i is sizes[i] by sizes[i + 1]."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            work = {k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)}
            split[i, j] = min(work, key=lambda k: work[k])
            cost[i, j] = work[split[i, j]]
    return split


def _multiplied(factors: Sequence[Tensor], split: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    if i == j:
        return factors[i]
    k = split[i, j]
    return _multiplied(factors, split, i, k).mm(_multiplied(factors, split, k + 1, j))


def sum_of_scaled(first: Tensor, product: Tensor, beta: complex, alpha: complex) -> Tensor:
    dtype = promote_types(first.dtype, product.dtype)
    first, product = first.to(dtype), product.to(dtype)
    result = product if alpha == 1 else product * alpha
    if beta == 0:
        return result
    return result + (first if beta == 1 else first * beta)
