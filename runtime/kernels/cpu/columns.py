"""The columns of a convolution: every window of the input, in the layout that a matrix product takes.

Columns have the shape (groups, channels of a group * kernel, samples * positions).
"""

from __future__ import annotations

from math import prod

import numpy as np

from .conv_sizes import Geometry


def columns(x: np.ndarray, plan: Geometry) -> np.ndarray:
    """The columns of a block of samples.

    They are copied twice: first windows along the last dimension, then windows of these along the others, which is
    a copy of long contiguous runs. That is faster than one copy of many short ones.
    """
    if plan.pointwise:
        return to_columns(x, plan.groups)
    padded = np.ascontiguousarray(x)
    if plan.padded != plan.sizes:
        padded = np.zeros((*x.shape[:2], *plan.padded), x.dtype)
        padded[plan.inside] = x
    lines = np.ascontiguousarray(_line_windows(padded, plan))
    planes = np.ascontiguousarray(_plane_windows(lines, plan))
    return planes.reshape(plan.groups, -1, len(x) * prod(plan.positions))


def add_columns(parts: np.ndarray, plan: Geometry) -> np.ndarray:
    """The transpose of `columns`: adds a shifted block per place of the kernel, in a fixed order."""
    if plan.pointwise:
        return to_samples(parts, plan.sizes)
    samples = parts.shape[-1] // prod(plan.positions)
    padded = np.zeros((samples, plan.channels, *plan.padded), parts.dtype)
    windows = _windows(padded, plan)
    blocks = parts.reshape(windows.shape)
    for place in np.ndindex(*plan.kernel):
        at = (slice(None), *place)
        windows[at] += blocks[at]
    return padded[plan.inside]


def to_columns(x: np.ndarray, groups: int) -> np.ndarray:
    """(samples, channels, *positions) as (groups, channels of a group, samples * positions)."""
    samples, channels, *positions = x.shape
    return (
        x.reshape(samples, channels, prod(positions))
        .swapaxes(0, 1)
        .reshape(groups, channels // groups, samples * prod(positions))
    )


def to_samples(product: np.ndarray, positions: tuple[int, ...]) -> np.ndarray:
    """The inverse of `to_columns`, as a view."""
    groups, channels, _ = product.shape
    return product.reshape(groups * channels, -1, *positions).swapaxes(0, 1)


def _line_windows(padded: np.ndarray, plan: Geometry) -> np.ndarray:
    """Windows along the last dimension: (channels, kernel[-1], samples, *padded sizes[:-1], positions[-1])."""
    samples, channels, *between, step = padded.strides
    shape = (plan.channels, plan.kernel[-1], len(padded), *padded.shape[2:-1], plan.positions[-1])
    strides = (channels, step * plan.dilation[-1], samples, *between, step * plan.stride[-1])
    return np.ndarray(shape, padded.dtype, padded, strides=strides)


def _plane_windows(lines: np.ndarray, plan: Geometry) -> np.ndarray:
    """Windows of lines along the other dimensions: (channels, *kernel, samples, *positions)."""
    channels, last, samples, *spatial, step = lines.strides
    within, between = _steps(spatial, plan)
    shape = (plan.channels, *plan.kernel, lines.shape[2], *plan.positions)
    strides = (channels, *within, last, samples, *between, step)
    return np.ndarray(shape, lines.dtype, lines, strides=strides)


def _windows(padded: np.ndarray, plan: Geometry) -> np.ndarray:
    """All windows as a view: (channels, *kernel, samples, *positions)."""
    samples, channels, *spatial = padded.strides
    within, between = _steps(spatial, plan)
    shape = (plan.channels, *plan.kernel, len(padded), *plan.positions)
    return np.ndarray(shape, padded.dtype, padded, strides=(channels, *within, samples, *between))


def _steps(strides: list[int], plan: Geometry) -> tuple[list[int], list[int]]:
    """The strides inside a window and from window to window, of the first len(strides) dimensions."""
    within = [step * d for step, d in zip(strides, plan.dilation, strict=False)]
    return within, [step * s for step, s in zip(strides, plan.stride, strict=False)]
