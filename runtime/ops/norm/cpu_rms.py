"""Division by the root mean square of rows: the kernels of RMS norm, for arrays in any layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...kernels.cpu.movement.copies import contiguous
from ...kernels.cpu.plan import run
from . import plans

Array = np.ndarray
Ints = tuple[int, ...]


def normalize_rms(input: Array, weight: Array | None, dim: Ints, eps: float) -> tuple[Array, Array]:
    """x r weight with r = 1 / sqrt(mean(x^2) + eps) over the last dimensions, `dim`; and r."""
    if not input.size:
        shape = (*input.shape[: -len(dim)], *[1] * len(dim))
        return np.empty_like(input), np.full(shape, np.nan, input.dtype)
    result, scales = run(plans.normalize_rms, contiguous(input), _weights(weight, input, dim), dim, eps)
    return result, scales


def normalize_rms_backward(
    output_mask: Sequence[bool], grad: Array, input: Array, weight: Array | None, scales: Array, dim: Ints
) -> tuple[Array | None, Array | None]:
    """r (c - h mean(c h)) with c = grad weight and h = x r, and the sum of grad h; of which those that are `wanted`."""
    weights = _weights(weight, input, dim)
    if input.size:
        arrays = contiguous(grad), contiguous(input), weights, contiguous(scales)
        result, sums = run(plans.normalize_rms_backward, tuple(output_mask), *arrays, dim)[:2]
    else:
        result, sums = np.empty_like(input), np.zeros_like(weights)
    return result if output_mask[0] else None, sums if output_mask[1] else None


def _weights(weight: Array | None, x: Array, dim: Ints) -> Array:
    return np.ones(x.shape[-len(dim) :], x.dtype) if weight is None else contiguous(weight)
