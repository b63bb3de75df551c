"""Plans of slices and elements written over by index or mask, as in plans_index_put.py, of views written over, and of
what has as many results as elements are true: they are counted first, then moved.
"""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from ...kernels.cpu.contiguous_copy import along_path
from ...kernels.cpu.operand_copies import copy_step
from ...kernels.cpu.plan import (
    Find,
    Layout,
    Plan,
    Step,
    are_contiguous,
    as_vector,
    in_shape,
    of_any_dtype,
    of_exact_number,
    strides_of,
)
from ...shapes import contiguous_strides
from ...tensor import view_shapes
from . import cpu_mask as loops
from .cpu_index_put import WORK, chosen_of
from .cpu_mask import BLOCK
from .cpu_put_loops import fill_by_one, put_true
from .plans_index_put import MAX_SERIAL_MASK, in_copy, into_copy, looking, shared_lines, writing_at


@of_any_dtype
def index_copy(x: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    return in_copy(x, _copying(~0, as_vector(x), dim, index, source))


@of_any_dtype
def index_copy_(out: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    return _copying(0, as_vector(out), dim, index, source)


def _copying(target: int, out: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    if not are_contiguous(index):
        return None
    return writing_at(target, out, (dim,), (prod(index.shape),), [2], (source, 3), [0], False)


@of_exact_number
def index_fill(x: Layout, dim: int, index: Layout, value: Layout | float) -> Plan | None:
    return in_copy(x, _filling_slices(~0, as_vector(x), dim, index, value))


@of_exact_number
def index_fill_(out: Layout, dim: int, index: Layout, value: Layout | float) -> Plan | None:
    return _filling_slices(0, as_vector(out), dim, index, value)


def _filling_slices(target: int, out: Layout, dim: int, index: Layout, value: Layout | float) -> Plan | None:
    count, size, strides = prod(index.shape), out.shape[dim], strides_of(out)
    if not are_contiguous(index):
        return None
    if isinstance(value, Layout):
        return writing_at(target, out, (dim,), (count,), [2], (value, 3), [-size], False)
    shape, _, (step, width, along) = chosen_of(out.shape, strides, 1, (dim,), (count,))
    if not prod(shape) or step is None or width is None or along is None:
        return None
    looked = [looking(2, -size, size, count)] if target == 0 else []
    ints = size, strides[dim], -size, count, step, width, along
    rows = shared_lines(prod(shape) // count, along, width)
    return (*looked, Step(fill_by_one, (target, 2), (), (float(value),), ints, rows, WORK * prod(shape)))


@of_any_dtype
def put_flat(x: Layout, index: Layout, source: Layout, accumulate: bool) -> Plan | None:
    return in_copy(x, _putting(~0, x, index, source, accumulate))


@of_any_dtype
def put_flat_(out: Layout, index: Layout, source: Layout, accumulate: bool) -> Plan | None:
    return _putting(0, out, index, source, accumulate)


def _putting(target: int, out: Layout, index: Layout, source: Layout, accumulate: bool) -> Plan | None:
    size, count = prod(out.shape), prod(index.shape)
    if not are_contiguous(out, index, source):
        return None
    line = Layout((size,), None)
    return writing_at(target, line, (0,), (count,), [1], (Layout((count,), None), 2), [-size], accumulate)


def _over(view: Callable[..., view_shapes.Layout]) -> Find:
    @of_any_dtype
    def find(x: Layout, src: Layout, *where: int) -> Plan | None:
        if not are_contiguous(x) or not prod(src.shape):
            return None
        _, steps, first = view(x.shape, contiguous_strides(x.shape), 0, *where)
        writing = along_path(src, x.shape, tuple(steps), first)
        return writing and into_copy(x, writing._replace(operands=(1,)))

    return find


select_scatter = _over(view_shapes.select)
slice_scatter = _over(view_shapes.slice)
diagonal_scatter = _over(view_shapes.diagonal)


MAX_UNRAVELED = 16 * BLOCK  # elements of more than two dimensions whose places one thread may find


@of_any_dtype
def nonzero(x: Layout) -> Plan | None:
    ndim, size = len(x.shape), prod(x.shape)
    if not size or not ndim or not are_contiguous(x) or (ndim > 2 and size > MAX_UNRAVELED):
        return None
    blocks, ints = -(-size // BLOCK), (x.shape[-1], ndim)
    results, rows = ((0, (0, ndim)),), (blocks, 1)
    positions = Step(loops.true_indices, (0, ~1), results, (), ints, rows, size * ndim, indices=(0,), counted=((0, 1),))
    return (*counted(0, 1, size), positions, *unraveled(x, positions))


def unraveled(x: Layout, positions: Step) -> Plan:
    if len(x.shape) < 3:
        return ()
    sizes = np.array(x.shape[:-1], np.int64)
    return (Step(loops.unravel_all, (), positions.results, tables=(sizes,), indices=(0,), counted=positions.counted),)


def counted(operand: int, output: int, size: int) -> Plan:
    blocks = -(-size // BLOCK)
    starts = ((output, (blocks + 1,)),)
    first = Step(loops.count_true, (operand,), starts, (), (), (blocks, 1), size, indices=(output,))
    return (first,) if blocks == 1 else (first, Step(loops.sum_up, (), starts, indices=(output,)))


@of_any_dtype
def order_of_true(mask: Layout, available: int, lead: int) -> Plan | None:
    lines, size = prod(mask.shape[:lead]), prod(mask.shape[lead:])
    if not lines * size or not are_contiguous(mask):
        return None
    ints, rows = (size, available), (lines, 1)
    return (Step(loops.order_true, (0,), ((0, mask.shape),), (), ints, rows, row=size, indices=(0,)),)


@of_any_dtype
def masked_written(x: Layout, mask: Layout, source: Layout) -> Plan | None:
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
    """The elements, or slices, where the only index, which comes with its first dimension, is a true mask."""
    (first, mask), *others = indices
    last, size, work = first + len(mask.shape), prod(mask.shape), prod(x.shape)
    if others or x.shape[first:last] != mask.shape or not work or not are_contiguous(x, mask):
        return None
    before, rest = x.shape[:first], x.shape[last:]
    kernel = loops.compress_lines if before else loops.compress_rows if rest else loops.compress
    ints, rows = (prod(rest),) if before or rest else (), (prod(before) if before else -(-size // BLOCK), 1)
    operands, result = (0, 1 + first, ~1), ((0, (*before, 0, *rest)),)
    return (*counted(1 + first, 1, size), Step(kernel, operands, result, (), ints, rows, work, counted=((0, 1),)))
