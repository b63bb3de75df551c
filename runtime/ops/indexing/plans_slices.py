"""Plans of slices along a dimension, and of elements of the flattened tensor, written over by index: into a copy, and,
where the name ends with an underscore, into the tensor itself, as in plans_writes.py; and of views written over in a
copy."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.movement.contiguous import along_path
from ...kernels.cpu.plan import (
    Layout,
    Plan,
    Step,
    are_contiguous,
    as_vector,
    is_exact,
    of_any_dtype,
    with_integers,
)
from ...tensor import views
from ...tensor.shapes import contiguous_strides
from .cpu_put_loops import fill_by_one
from .cpu_writes import WORK, chosen_of
from .plans_writes import into_copy, looking, shared_lines, strides_of, writing_at


@of_any_dtype
def index_copy(x: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    result = _copying(~0, as_vector(x), dim, index, source) if are_contiguous(x) else None
    return result and into_copy(x, *result)


@of_any_dtype
def index_copy_(out: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    return _copying(0, as_vector(out), dim, index, source)


def _copying(target: int, out: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    if not are_contiguous(index):
        return None
    return writing_at(target, out, (dim,), (prod(index.shape),), [2], (source, 3), [0], False)


def index_fill_full(x: Layout, dim: int, index: Layout, value: Layout | float) -> Plan | None:
    return index_fill(x, dim, index, value) if isinstance(value, Layout) or is_exact(value) else None


def index_fill_full_(out: Layout, dim: int, index: Layout, value: Layout | float) -> Plan | None:
    return index_fill_(out, dim, index, value) if isinstance(value, Layout) or is_exact(value) else None


@with_integers(index_fill_full)
def index_fill(x: Layout, dim: int, index: Layout, value: Layout | float) -> Plan | None:
    """A copy with one value, which may be that of a tensor, written to slices."""
    result = _filling_slices(~0, as_vector(x), dim, index, value) if are_contiguous(x) else None
    return result and into_copy(x, *result)


@with_integers(index_fill_full_)
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
    result = _putting(~0, x, index, source, accumulate)
    return result and into_copy(x, *result)


@of_any_dtype
def put_flat_(out: Layout, index: Layout, source: Layout, accumulate: bool) -> Plan | None:
    return _putting(0, out, index, source, accumulate)


def _putting(target: int, out: Layout, index: Layout, source: Layout, accumulate: bool) -> Plan | None:
    size, count = prod(out.shape), prod(index.shape)
    if not are_contiguous(out, index, source):
        return None
    line = Layout((size,), None)
    return writing_at(target, line, (0,), (count,), [1], (Layout((count,), None), 2), [-size], accumulate)


@of_any_dtype
def select_scatter(x: Layout, src: Layout, dim: int, index: int) -> Plan | None:
    return _with_view(x, src, views.select(x.shape, contiguous_strides(x.shape), 0, dim, index))


@of_any_dtype
def slice_scatter(x: Layout, src: Layout, dim: int, start: int, end: int, step: int) -> Plan | None:
    return _with_view(x, src, views.slice(x.shape, contiguous_strides(x.shape), 0, dim, start, end, step))


@of_any_dtype
def diagonal_scatter(x: Layout, src: Layout, offset: int, dim1: int, dim2: int) -> Plan | None:
    return _with_view(x, src, views.diagonal(x.shape, contiguous_strides(x.shape), 0, offset, dim1, dim2))


def _with_view(x: Layout, src: Layout, layout: views.Layout) -> Plan | None:
    if not are_contiguous(x) or not prod(src.shape):
        return None
    _, steps, first = layout
    writing = along_path(src, x.shape, tuple(steps), first)
    return writing and into_copy(x, writing._replace(operands=(1,)))
