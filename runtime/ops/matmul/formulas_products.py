"""What the less common products of vectors, matrices and tensors are composed of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...tensor.dtypes import promote_types

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def kronecker_product(a: Tensor, b: Tensor) -> Tensor:
    """(a x b)_{i m + k, j n + l} = a_ij b_kl, b of m rows and n columns; likewise in any number of dimensions."""
    ndim = max(a.ndim, b.ndim)
    left, right = ((*[1] * (ndim - x.ndim), *x._shape) for x in (a, b))
    rows = a.reshape([n for size in left for n in (size, 1)])
    columns = b.reshape([n for size in right for n in (1, size)])
    return (rows * columns).reshape([m * n for m, n in zip(left, right, strict=True)])


def matrix_chain_product(matrices: Sequence[Tensor]) -> Tensor:
    """A_1 A_2 ... A_n, of which the first may be a row and the last a column, multiplied in the cheapest order."""
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
    """The product of the factors i to j."""
    if i == j:
        return factors[i]
    k = split[i, j]
    return _multiplied(factors, split, i, k).mm(_multiplied(factors, split, k + 1, j))


def sum_of_scaled(first: Tensor, product: Tensor, beta: complex, alpha: complex) -> Tensor:
    """beta first + alpha product; `first` is not read when beta is 0."""
    dtype = promote_types(first.dtype, product.dtype)
    first, product = first.to(dtype), product.to(dtype)
    result = product if alpha == 1 else product * alpha
    if beta == 0:
        return result
    return result + (first if beta == 1 else first * beta)
