"""Resampling by the nearest element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.creation import from_numpy


def nearest(input: Tensor, sizes: Sequence[int], scales: Sequence[float | None], exact: bool) -> Tensor:
    """Every spatial dimension read at the nearest places; repeated at once where all grow by whole factors.

    Args:
        input: (N, C, ...).
        sizes: the spatial sizes of the output.
        scales: the scale factors, None where the sizes give them.
        exact: whether the centres of places, and not their first edges, are compared.
    """
    given = zip(input.shape[2:], sizes, scales, strict=True)
    places = [_places(n, m, scale, exact) for n, m, scale in given]
    factors = [m // n for n, m in zip(input.shape[2:], sizes, strict=True)]
    if all(map(_is_repeated, places, factors, input.shape[2:])):
        return _repeated(input, factors)
    for dim, index in enumerate(places, 2):
        input = ops.index_select(input, dim, from_numpy(index))
    return input


def _places(size: int, length: int, scale: float | None, exact: bool) -> np.ndarray:
    """Computed in float32, as PyTorch does it: other bits would sometimes choose the neighbour."""
    step = np.float32(size / length if scale is None else 1 / scale)
    found = np.floor((np.arange(length, dtype=np.float32) + np.float32(0.5 if exact else 0)) * step)
    return np.clip(found, 0, size - 1).astype(np.int64)


def _is_repeated(places: np.ndarray, factor: int, size: int) -> bool:
    """Whether the places are 0, 0, ..., 1, 1, ..., each `factor` times."""
    return places.size == factor * size and bool((places == np.arange(places.size) // max(factor, 1)).all())


def _repeated(input: Tensor, factors: Sequence[int]) -> Tensor:
    """Each element as a block: expanded along a new dimension behind each of its own."""
    lead, spatial = input.shape[:2], input.shape[2:]
    paired = [n for size in spatial for n in (size, 1)]
    expanded = [n for pair in zip(spatial, factors, strict=True) for n in pair]
    blocks = input.reshape((*lead, *paired)).expand((*lead, *expanded)).clone()
    return blocks.reshape((*lead, *(size * f for size, f in zip(spatial, factors, strict=True))))
