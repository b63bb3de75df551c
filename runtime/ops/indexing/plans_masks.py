"""Plans of what has as many results as elements are true: they are counted first, then moved."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ...kernels.cpu.movement.gathering import copy_step
from ...kernels.cpu.plan import Layout, Plan, Step, are_contiguous, in_shape, of_any_dtype
from .cpu_mask_loops import (
    BLOCK,
    compress,
    compress_lines,
    compress_rows,
    count_true,
    order_true,
    sum_up,
    true_indices,
    unravel_all,
)
from .cpu_put_loops import put_true
from .plans_writes import MAX_SERIAL_MASK, into_copy

MAX_UNRAVELED = 16 * BLOCK  # elements of more than two dimensions whose places one thread may find


@of_any_dtype
def nonzero(x: Layout) -> Plan | None:
    """The indices of the elements that are not zero."""
    ndim, size = len(x.shape), prod(x.shape)
    if not size or not ndim or not are_contiguous(x) or (ndim > 2 and size > MAX_UNRAVELED):
        return None
    blocks, ints = -(-size // BLOCK), (x.shape[-1], ndim)
    positions = Step(
        true_indices, (0, ~1), ((0, (0, ndim)),), (), ints, (blocks, 1), size * ndim, indices=(0,), counted=((0, 1),)
    )
    return (*counted(0, 1, size), positions, *unraveled(x, positions))


def unraveled(x: Layout, positions: Step) -> Plan:
    """The call that takes the numbers of rows apart, of more than two dimensions."""
    if len(x.shape) < 3:
        return ()
    sizes = np.array(x.shape[:-1], np.int64)
    return (Step(unravel_all, (), positions.results, tables=(sizes,), indices=(0,), counted=positions.counted),)


def counted(operand: int, output: int, size: int) -> Plan:
    """The calls that count in an output of their own how many elements are true up to the end of each block."""
    blocks = -(-size // BLOCK)
    starts = ((output, (blocks + 1,)),)
    first = Step(count_true, (operand,), starts, (), (), (blocks, 1), size, indices=(output,))
    return (first,) if blocks == 1 else (first, Step(sum_up, (), starts, indices=(output,)))


@of_any_dtype
def order_of_true(mask: Layout, available: int, lead: int) -> Plan | None:
    lines, size = prod(mask.shape[:lead]), prod(mask.shape[lead:])
    if not lines * size or not are_contiguous(mask):
        return None
    return (Step(order_true, (0,), ((0, mask.shape),), (), (size, available), (lines, 1), row=size, indices=(0,)),)


@of_any_dtype
def masked_written(x: Layout, mask: Layout, source: Layout) -> Plan | None:
    """A copy with elements of another tensor, one after the other, where a mask is true."""
    available, size = prod(source.shape), prod(x.shape)
    if not available or not 0 < size <= MAX_SERIAL_MASK or not are_contiguous(x, mask, source):
        return None
    broadcast_item = None if mask.shape == x.shape else copy_step(in_shape(mask, x.shape), 1, 1, "B")
    if broadcast_item is None and mask.shape != x.shape:
        return None
    positions, values = (1, 0, available, 0, 1, 1), (0, 1, 1, 0)
    put = Step(put_true, (~0, ~1 if broadcast_item else 1, 2), (), (), (*positions, *values), (1, 1))
    return (*([broadcast_item] if broadcast_item else []), *into_copy(x, put))


def by_mask(x: Layout, indices: Sequence[tuple[int, Layout]]) -> Plan | None:
    """The elements where a mask of all dimensions is true, or the slices where one of some dimensions is; the only one
    of the indices, of which each has its first dimension with it."""
    (first, mask), *others = indices
    last, size, work = first + len(mask.shape), prod(mask.shape), prod(x.shape)
    if others or x.shape[first:last] != mask.shape or not work or not are_contiguous(x, mask):
        return None
    before, rest = x.shape[:first], x.shape[last:]
    kernel = compress_lines if before else compress_rows if rest else compress
    ints, rows = (prod(rest),) if before or rest else (), (prod(before) if before else -(-size // BLOCK), 1)
    operands, result = (0, 1 + first, ~1), ((0, (*before, 0, *rest)),)
    return (*counted(1 + first, 1, size), Step(kernel, operands, result, (), ints, rows, work, counted=((0, 1),)))
