"""Calls of the loops of Fourier transforms, in either precision: what they take besides memory."""

import functools
import math
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.plan import Array, Ints, Step
from . import cpu_loops as loops
from .cpu_loops import BATCH_ELEMENTS, COMPLEX, FULL_SPECTRUM, HALF, vector_lanes
from .cpu_radices import half_angle_twiddles, table
from .cpu_real_loops import transform_either_matrices, transform_odd_rows

LINE = 8  # integers of a line of the cache, at which each part of a table begins
WORK = 4  # elements of other work, that a number takes as long as
CHARS = "fd"  # of the precisions


def scale_of(sizes: Sequence[int], normalization: int) -> float:
    n = prod(sizes)
    return (1.0, 1 / math.sqrt(n), 1 / n)[normalization]


def rows_step(
    operand: int, output: int, shape: Ints, n: int, kind: int, scale: float, forward: bool, pairs: float = 1.0
) -> Step:
    count, tables, ints, unit = prod(shape[:-1]), list[Array](), [n], 1
    for char in CHARS:
        steps, factors, twiddles, block, twiddled = row_tables(count, n, kind, char, forward)
        tables += [steps.reshape(-1), factors.view(np.int64), twiddles.view(np.int64)]
        ints += [block, int(twiddled)]
        unit = max(unit, block)
    numbers, values = (scale, pairs), (*ints, kind, int(not forward))
    step = Step(
        loops.transform_either, (operand,), ((output, shape),), numbers, values, (count, unit), WORK * count * n
    )
    return step._replace(tables=tuple(tables), complexes=() if kind == FULL_SPECTRUM else (output,))


def real_rows_step(
    operand: int, output: int, shape: Ints, n: int, kind: int, scale: float, forward: bool, pairs: float
) -> Step:
    if n % 2 == 0:
        return rows_step(operand, output, shape, n // 2, kind, scale, forward, pairs)
    count, tables, blocks = prod(shape[:-1]), list[Array](), list[int]()
    for char in CHARS:
        steps, factors, _, block, _ = row_tables(count, n, COMPLEX, char, forward)
        tables += [steps.reshape(-1), factors.view(np.int64)]
        blocks.append(block)
    ints, rows = (n, *blocks, int(kind == HALF), int(not forward)), (count, max(blocks))
    step = Step(transform_odd_rows, (operand,), ((output, shape),), (scale, pairs), ints, rows, WORK * count * n)
    return step._replace(tables=tuple(tables), complexes=(output,) if kind == HALF else ())


def row_tables(count: int, n: int, kind: int, char: str, forward: bool) -> tuple[Array, Array, Array, int, bool]:
    """Steps, factors, turns, how many of `count` rows are transformed together, and whether they lie as columns."""
    reals = np.dtype(char)
    steps, factors, twiddled = table(n, reals, False, forward)
    block = max(1, BATCH_ELEMENTS // n)
    if twiddled:
        lanes = vector_lanes(reals.type(0))
        block = min(-block // lanes, -count // lanes, key=abs) * -lanes
    twiddles = half_angle_twiddles(n, reals, forward == (kind == HALF)) if kind in (HALF, FULL_SPECTRUM) else factors
    return steps, factors, twiddles, block, twiddled


def columns_step(operand: int | None, output: int, shape: Ints, d: int, kind: int, scale: float, forward: bool) -> Step:
    """The call for columns along a dimension that others follow; without an operand, in the place of the result."""
    n, after, tables, lanes = shape[d], prod(shape[d + 1 :]), list[Array](), list[int]()
    for char in CHARS:
        steps, factors, _ = table(n, np.dtype(char), True, forward)
        tables += [steps.reshape(-1), factors.view(np.int64)]
        lanes.append(vector_lanes(np.dtype(char).type(0)))
    batch = min(BATCH_ELEMENTS // n // lanes[0], -(-after // lanes[0]))
    block = lanes[0] * max(1, batch)
    ints = n, after, block, block if batch else lanes[1], kind, int(not forward)
    operands, rows = (~output if operand is None else operand,), (prod(shape[:d]) * -(-after // block), 1)
    step = Step(loops.transform_either_columns, operands, ((output, shape),), (scale,), ints, rows, WORK * prod(shape))
    return step._replace(tables=tuple(tables), complexes=(output,))


def each_along(
    operand: int | None, output: int, shape: Ints, dim: Sequence[int], kind: int, scale: float, forward: bool
) -> list[Step]:
    """The calls for one dimension after the other, the last of the shape first; the result of the first goes on."""
    steps = list[Step]()
    for d in sorted(dim, reverse=True):
        if d == len(shape) - 1 and operand is not None:
            steps.append(rows_step(operand, output, shape, shape[d], kind, scale, forward))
        else:
            steps.append(columns_step(operand, output, shape, d, kind, scale, forward))
        operand, kind, scale = None, COMPLEX, 1.0
    return steps


def mirror_step(half: int, shape: Ints, dim: Sequence[int], forward: bool) -> Step:
    partners = opposite_rows(tuple(shape[:-1]), tuple(dim)) if dim else np.empty(0, np.int64)
    ints, rows = (shape[-1] // 2, int(not forward)), (prod(shape[:-1]), 1)
    return Step(
        loops.mirror_rows, (~half,), ((0, shape),), (), ints, rows, prod(shape), tables=(partners,), complexes=(0,)
    )


@functools.lru_cache(maxsize=64)
def opposite_rows(shape: Ints, dim: Ints) -> Array:
    positions = np.arange(prod(shape)).reshape(shape)
    for d in dim:
        positions = np.roll(np.flip(positions, d), 1, d)
    return positions.reshape(-1)


def matrices_step(operand: int, shape: Ints, scale: float, forward: bool) -> Step:
    columns, steps, tables, ints = shape[-1], list[Array](), list[Array](), list[int]()
    for char in CHARS:
        along, factors, across, more, twiddles, n, _, block, twiddled = matrix_tables(*shape[-2:], char, forward)
        full, positions = in_lines(factors, more, twiddles)
        steps, tables = [*steps, along.reshape(-1)], [*tables, full]
        ints += [block, int(twiddled), *positions]
    values, rows = (n, columns, int(not forward), *ints), (prod(shape[:-2]), 1)
    step = Step(transform_either_matrices, (operand,), ((0, shape),), (scale,), values, rows, WORK * prod(shape))
    return step._replace(tables=(*steps, across.reshape(-1), *tables), complexes=(0,))


@functools.lru_cache(maxsize=64)
def matrix_tables(rows: int, columns: int, char: str, forward: bool) -> tuple[Any, ...]:
    reals, n = np.dtype(char), rows // 2
    along, along_table, twiddled = table(columns, reals, False, forward)
    across, across_table, _ = table(n, reals, True, forward)
    lanes = vector_lanes(reals.type(0))
    block = -(-n // lanes) * lanes if twiddled else n
    return along, along_table, across, across_table, half_angle_twiddles(n, reals, True), n, columns, block, twiddled


def in_lines(*parts: Array) -> tuple[Array, list[int]]:
    """Parts one behind the other as integers, each from a multiple of LINE on, and where those behind the first are."""
    packed_parts = [part.view(np.int64) for part in parts]
    padded = [np.append(part, np.zeros(-len(part) % LINE, np.int64)) for part in packed_parts]
    positions = np.cumsum([len(part) for part in padded])[:-1].tolist()
    return np.concatenate(padded), positions
