"""Convolution of pictures too small to fill vectors: the samples become the last dimension, which no kernel spans.

A plane of 2 x 2 has rows of 2 and as much padding; with 32 samples behind each place its rows have 64. So a convolution
over d dimensions is done as one over d + 1, of blocks of samples.
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
Convolve = Callable[..., Array]

VECTOR_BYTES = 64
CACHED_BYTES = 1 << 20  # of a block's pictures


def block_of_samples(g: Geometry, itemsize: int) -> int:
    """How many samples a block has; 0 where the pictures are large enough as they lie, or there are too few of them."""
    if g.sizes[0] > 1 or g.kernel[0] > 1 or g.batch < 8 or prod(g.positions) > 32:
        return 0
    plan = forward_plan(g)
    lanes = VECTOR_BYTES // itemsize
    used = prod(g.positions) / (-(-int(plan.tasks[0, 2]) // lanes) * lanes)
    if used > 0.6:
        return 0
    pictures = g.channels * int(plan.layout[5] * plan.layout[6]) * itemsize
    blocks = -(-g.batch // max(lanes, min(CACHED_BYTES // max(pictures, 1), 64)))
    return -(-g.batch // blocks)


def turned(x: Array, block: int) -> Array:
    """(samples, channels, ...) as (blocks, channels, ..., samples of a block); zeros for samples that are missing."""
    missing = -len(x) % block
    if missing:
        x = np.concatenate([x, np.zeros((missing, *x.shape[1:]), x.dtype)])
    blocks = x.reshape(-1, block, prod(x.shape[1:]))
    return contiguous(blocks.transpose(0, 2, 1)).reshape(len(blocks), *x.shape[1:], block)


def turned_back(x: Array, samples: int) -> Array:
    """The inverse of `turned`."""
    blocks, *shape, block = x.shape
    return contiguous(x.reshape(blocks, -1, block).transpose(0, 2, 1)).reshape(-1, *shape)[:samples]


def _deeper(stride: Ints, padding: Ints, dilation: Ints, groups: int) -> tuple[Ints, Ints, Ints, int]:
    """The same convolution with a dimension more, along which the kernel has size 1."""
    return (*stride, 1), (*padding, *(0,) * (len(padding) // len(stride))), (*dilation, 1), groups


def turned_convolution(
    convolve: Convolve, block: int, x: Array, weight: Array, bias: Array | None, *rest: Any
) -> Array:
    """The convolution, by one with a dimension more."""
    return turned_back(convolve(turned(x, block), weight[..., None], bias, *_deeper(*rest)), len(x))


def turned_input_grad(convolve: Convolve, block: int, grad: Array, weight: Array, shape: Ints, *rest: Any) -> Array:
    """The gradient of the input, likewise."""
    slopes = turned(grad, block)
    result = convolve(slopes, weight[..., None], (len(slopes), *shape[1:], block), *_deeper(*rest))
    return turned_back(result, len(grad))


def turned_weight_grad(convolve: Convolve, block: int, grad: Array, x: Array, shape: Ints, *rest: Any) -> Array:
    """The gradient of the weight, likewise."""
    return convolve(turned(grad, block), turned(x, block), (*shape, 1), *_deeper(*rest)).reshape(shape)
