"""Plans of padding contiguous floats by what lies at their borders, resampling, grid sampling, and the transposes.

A copy in which dimensions are taken apart is one of the operand as it lies, seen in parts.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.allocate_and_fill import fill
from ...kernels.cpu.plan import Find, Ints, Layout, Plan, Step, are_contiguous, of_any_dtype
from ...shapes import contiguous_strides, is_contiguous
from ..shape.plans import clone
from . import cpu_grid_sample as grid_loops
from . import cpu_loops as loops
from .cpu_grid_taps import BLOCK, NEAREST, TAPS
from .cpu_pad import box_of, tables_of
from .cpu_resample import Rows, filter_rows, transposed_rows
from .cpu_shuffle import Shuffle, to_channels, to_pixels, to_shuffled_groups


def border_pad(x: Layout, pad: Ints, mode: str) -> Plan | None:
    padded, tables = len(pad) // 2, tables_of(x.shape, pad, mode)
    shape = (*x.shape[:-padded], *map(len, tables[3 - padded : 3]))
    if x.strides is not None or not prod(shape):
        return None
    tables = [*tables, box_of(x.shape[-padded:])]
    rows, row = (prod(x.shape[:-padded]), 1), prod(shape[-padded:])
    return (Step(loops.gathered_boxes, (0,), ((0, shape),), rows=rows, tables=tuple(tables), row=row),)


def border_pad_backward(grad: Layout, input_shape: Ints, pad: Ints, mode: str) -> Plan | None:
    if grad.strides is not None or not prod(grad.shape):
        return None
    padded, shape = len(pad) // 2, tuple(input_shape)
    tables = (*tables_of(shape, pad, mode), box_of(shape[-padded:]))
    rows, row = (prod(shape[:-padded]), 1), prod(shape[-padded:])
    return (Step(loops.collected_boxes, (0,), ((0, shape),), rows=rows, tables=tables, row=row),)


def resample(x: Layout, dim: int, length: int, *kind: Any) -> Plan | None:
    return None if _is_strided(x) else _weighted(x.shape, dim, length, filter_rows(x.shape[dim], length, *kind))


def resample_backward(grad: Layout, dim: int, length: int, *kind: Any) -> Plan | None:
    if _is_strided(grad):
        return None
    return _weighted(grad.shape, dim, length, transposed_rows(length, grad.shape[dim], *kind))


def _is_strided(x: Layout) -> bool:
    return x.strides is not None or not prod(x.shape)


def _weighted(shape: Ints, dim: int, length: int, rows: Rows) -> Plan:
    before, size, behind = shape[:dim], shape[dim], shape[dim + 1 :]
    outer, inner = prod(before), prod(behind)
    weights = np.ascontiguousarray(rows.weights, np.float64).view(np.int64)
    tables = *[np.ascontiguousarray(a, np.int64) for a in (rows.starts, rows.columns)], weights
    parts = -(-outer // loops.LINES) if inner == 1 else outer * length
    result, ints, work = ((0, (*before, length, *behind)),), (size, length, inner), rows.weights.size * outer * inner
    return (Step(loops.resampled, (0,), result, (), ints, (parts, 1), work, tables=tables),)


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
    output_mask: tuple[bool, ...], grad: Layout, x: Layout | None, grid: Layout | None, input_shape: Ints,
    interpolation_mode: int, padding_mode: int, align_corners: bool,
) -> Plan | None:  # fmt: skip
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


def _shuffling(shuffle: Callable[[Ints, int], Shuffle]) -> Find:
    @of_any_dtype
    def find(x: Layout, count: int) -> Plan | None:
        how = shuffle(x.shape, count)
        sizes, steps = sum(how.parts, ()), list[int]()
        for own, step in zip(how.parts, x.strides or contiguous_strides(x.shape), strict=True):
            steps += [step * inner for inner in contiguous_strides(own)]
        shape, strides = (tuple([of[d] for d in how.order]) for of in (sizes, steps))
        result = clone(x._replace(shape=shape, strides=None if is_contiguous(shape, strides) else strides))
        return result and tuple([step._replace(results=((0, how.shape),)) for step in result])

    return find


channels_to_pixels = _shuffling(to_pixels)
pixels_to_channels = _shuffling(to_channels)
shuffled_channels = _shuffling(to_shuffled_groups)
