"""Plans of sampling contiguous images at the points of contiguous grids, and of its gradients."""

from __future__ import annotations

from math import prod

import numpy as np

from ...kernels.cpu.filling.fills import fill
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous
from . import cpu_grid_loops as grid_loops
from .cpu_grid_taps import BLOCK, NEAREST, TAPS

CHANNELS = 4  # for which one thread finds what points read, at least


def sample_grid(
    x: Layout, grid: Layout, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Plan | None:
    """Blocks of points, which threads share; the channels of a block read the same pixels."""
    shape = (*x.shape[:2], *grid.shape[1:-1])
    if not are_contiguous(x, grid) or not prod(shape):
        return None
    ints, tables = (interpolation_mode, padding_mode, int(align_corners), x.shape[1], prod(shape[2:])), _sizes(x.shape)
    work = prod(shape) * _taps(x.shape, interpolation_mode)
    return (Step(grid_loops.sampled_points, (0, 1), ((0, shape),), (), ints, _blocks(grid.shape), work, tables=tables),)


def sample_grid_backward(
    output_mask: tuple[bool, ...],
    grad: Layout,
    x: Layout | None,
    grid: Layout | None,
    input_shape: Ints,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> Plan | None:
    """The gradient of x by planes, and that of the grid by blocks of points; nearest pixels do not change with it."""
    shape = tuple(input_shape)
    if grid is None or not are_contiguous(grad, x, grid) or not prod(grad.shape):
        return None
    ints = interpolation_mode, padding_mode, int(align_corners), shape[1], prod(grad.shape[2:])
    tables, work, steps = _sizes(shape), prod(grad.shape) * _taps(shape, interpolation_mode), []
    if output_mask[0]:
        planes = prod(shape[:2]), min(CHANNELS, shape[1])
        steps += [Step(grid_loops.scatter_point_grads, (1, 3), ((0, shape),), (), ints, planes, work, tables=tables)]
    if output_mask[1] and interpolation_mode == NEAREST:
        steps += [Step(fill, (), ((1, grid.shape),), (0.0,))]
    elif output_mask[1] and x is None:
        return None
    elif output_mask[1]:
        blocks, result = _blocks(grid.shape), (1, grid.shape)
        steps += [Step(grid_loops.sloping_points, (1, 2, 3), (result,), (), ints, blocks, work, tables=tables)]
    return tuple(steps)


def _sizes(shape: Ints) -> tuple[np.ndarray]:
    return (np.array(shape[:1:-1], np.int64),)


def _taps(shape: Ints, interpolation: int) -> int:
    return int(TAPS[interpolation] ** (len(shape) - 2))


def _blocks(grid: Ints) -> tuple[int, int]:
    return grid[0] * -(-prod(grid[1:-1]) // BLOCK), 1
