"""Convolution of planes too small to fill vectors: the samples become the last dimension, which no kernel spans.

A plane of 2 x 2 has rows of 2 and as much padding; with 32 samples behind each element its rows have 64. So a
convolution over d dimensions is computed as one over d + 1, of blocks of samples.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.copies import contiguous
from .cpu_geometry import Geometry, Ints
from .cpu_shifted import forward_plan

Array = np.ndarray
Kernel = Callable[..., Array]

VECTOR_BYTES = 64
CACHED_BYTES = 1 << 20  # of a block's planes


def block_of_samples(g: Geometry, itemsize: int) -> int:
    """The number of samples of a block; 0 where planes are large enough as they lie, or samples too few."""
    if g.sizes[0] > 1 or g.kernel[0] > 1 or g.batch < 8 or prod(g.positions) > 32:
        return 0
    plan = forward_plan(g)
    lanes = VECTOR_BYTES // itemsize
    used = prod(g.positions) / (-(-int(plan.tasks[0, 2]) // lanes) * lanes)
    if used > 0.6:
        return 0
    planes = g.channels * int(plan.layout[5] * plan.layout[6]) * itemsize
    blocks = -(-g.batch // max(lanes, min(CACHED_BYTES // max(planes, 1), 64)))
    return -(-g.batch // blocks)


def samples_last(x: Array, block: int) -> Array:
    """(samples, channels, ...) as (blocks, channels, ..., samples of a block); zeros for samples that are missing."""
    missing = -len(x) % block
    if missing:
        x = np.concatenate([x, np.zeros((missing, *x.shape[1:]), x.dtype)])
    blocks = x.reshape(-1, block, prod(x.shape[1:]))
    return contiguous(blocks.transpose(0, 2, 1)).reshape(len(blocks), *x.shape[1:], block)


def samples_first(x: Array, samples: int) -> Array:
    """The inverse of `samples_last`, without the zeros that it added."""
    blocks, *shape, block = x.shape
    return contiguous(x.reshape(blocks, -1, block).transpose(0, 2, 1)).reshape(-1, *shape)[:samples]


def _with_last_dim(stride: Ints, padding: Ints, dilation: Ints, groups: int) -> tuple[Ints, Ints, Ints, int]:
    """The arguments of a convolution with one more dimension, along which the kernel has size 1."""
    return (*stride, 1), (*padding, *(0,) * (len(padding) // len(stride))), (*dilation, 1), groups


def batch_last_convolution(
    kernel: Kernel, block: int, x: Array, weight: Array, bias: Array | None, *rest: Any
) -> Array:
    """The convolution of x, by its `kernel` with one more dimension."""
    return samples_first(kernel(samples_last(x, block), weight[..., None], bias, *_with_last_dim(*rest)), len(x))


def batch_last_input_backward(kernel: Kernel, block: int, grad: Array, weight: Array, shape: Ints, *rest: Any) -> Array:
    """The gradient of the input, by its `kernel` with one more dimension."""
    blocks = samples_last(grad, block)
    result = kernel(blocks, weight[..., None], (len(blocks), *shape[1:], block), *_with_last_dim(*rest))
    return samples_first(result, len(grad))


def batch_last_weight_backward(kernel: Kernel, block: int, grad: Array, x: Array, shape: Ints, *rest: Any) -> Array:
    """The gradient of the weight, by its `kernel` with one more dimension."""
    blocks = samples_last(grad, block), samples_last(x, block)
    return kernel(*blocks, (*shape, 1), *_with_last_dim(*rest)).reshape(shape)
