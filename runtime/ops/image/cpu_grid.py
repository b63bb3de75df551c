"""Sampling images and volumes at the points of a grid, and its gradients."""

from typing import Any

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import Array, Ints, run
from . import plans


def sample_grid(x: Array, grid: Array, *kind: Any) -> Array:
    """x sampled at the coordinates of each point, from -1 to 1, by weights of the pixels around it.

    `kind` is interpolation_mode, padding_mode, align_corners.
    """
    shape = (*x.shape[:2], *grid.shape[1:-1])
    if 0 in shape:
        return np.empty(shape, x.dtype)
    return run(plans.sample_grid, contiguous(x), contiguous(grid), *kind)[0]


def sample_grid_backward(
    output_mask: tuple[bool, ...], grad: Array, x: Array | None, grid: Array, input_shape: Ints, *kind: Any
) -> tuple[Array | None, ...]:
    if not grad.size:
        shapes = tuple(input_shape), grid.shape
        return tuple(np.zeros(s, grad.dtype) if yes else None for s, yes in zip(shapes, output_mask, strict=True))
    arrays = [None if a is None else contiguous(a) for a in (grad, x, grid)]
    result = run(plans.sample_grid_backward, output_mask, *arrays, tuple(input_shape), *kind)
    return *result, *[None] * (len(output_mask) - len(result))
