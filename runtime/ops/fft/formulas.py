"""What Fourier transforms are composed of, and helpers of their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def resized(x: Tensor, sizes: Sequence[int], dims: Sequence[int]) -> Tensor:
    """Cut, or filled up with zeros, to a size along each dimension."""
    for size, dim in zip(sizes, dims, strict=True):
        if size < x._shape[dim]:
            x = x.narrow(dim, 0, size)
    grown = [0] * (2 * x.ndim)
    for size, dim in zip(sizes, dims, strict=True):
        grown[2 * (x.ndim - 1 - dim) + 1] = size - x._shape[dim]
    return op.constant_pad_nd(x, grown) if any(grown) else x


def half_sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the half of a symmetric spectrum: n // 2 + 1 along the last of the dimensions."""
    return (*sizes[:-1], sizes[-1] // 2 + 1)


def scaling(norm: str | None, forward: bool) -> int:
    """0: no scale, 1: over the square root of the size, 2: over the size."""
    if norm == "ortho":
        return 1
    return 2 if forward == (norm == "forward") else 0


def halved_pairs(spectrum: Tensor, dim: int, n: int) -> Tensor:
    """Half of all numbers that stand for a pair, so that real parts of sums over the half are sums over the whole."""
    return spectrum * _pair_weights(spectrum, dim, n, 0.5)


def doubled_pairs(spectrum: Tensor, dim: int, n: int) -> Tensor:
    """Twice all numbers that stand for a pair: the transpose of taking the other half from symmetry."""
    return spectrum * _pair_weights(spectrum, dim, n, 2.0)


def _pair_weights(spectrum: Tensor, dim: int, n: int, of_pairs: float) -> Tensor:
    """1 for the frequency 0 and, of an even n, the highest one; `of_pairs` elsewhere."""
    k = op.arange(n // 2 + 1, device=spectrum.device)
    weights = op.where((k == 0) | (2 * k == n), 1.0, of_pairs).to(spectrum.dtype.to_real())
    return weights.reshape([-1] + [1] * (spectrum.ndim - 1 - dim))


def halves(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    """n // 2 for the size n of each of the dimensions."""
    return tuple(shape[d] // 2 for d in dims)
