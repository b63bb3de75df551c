"""Plans of writing, and joining, at one index along a dimension each, as in plans_index_put.py.

Operands are read as they lie, if the dimensions before the one that is indexed have one step, and those behind it; an
index may be shorter than what it chooses from.
"""

from math import prod

import numpy as np

from ...kernels.cpu.contiguous_copy import merged
from ...kernels.cpu.plan import (
    Ints,
    Layout,
    Plan,
    Step,
    are_contiguous,
    as_vector,
    of_any_dtype,
    of_any_layout,
    of_exact_number,
    strides_of,
    with_integers,
)
from .cpu_put_loops import scatter_rows, scatter_rows_onto_zeros
from .cpu_scatter_loops import AMAX, AMIN, EXCLUDE_SELF, FIRST, LAST, PRODUCT, SUM, fill_along, join_along, share_along
from .plans_index_put import COLUMNS, index_add, index_add_, into_copy, looking

ATOMIC_COST = 64  # elements of a sum that one written by index counts as: each has a cache line of its own
BESIDE = 2  # and one of a slice
BROAD = 128  # columns of slices that belong to one thread: for each part of a slice an index is looked at
JOINS = {"sum": SUM, "mean": SUM, "prod": PRODUCT, "amax": AMAX, "amin": AMIN}


@of_exact_number
def scatter(x: Layout, dim: int, index: Layout, src: Layout | float) -> Plan | None:
    if not isinstance(src, Layout):
        return _in_copy(x, _filling(~0, x, dim, index, src))
    return _in_rows(x, dim, index, src, 0) or _in_copy(x, _joining(~0, x, dim, index, src, LAST))


@of_any_dtype
def scatter_add(x: Layout, dim: int, index: Layout, src: Layout) -> Plan | None:
    rows = index_of_rows(x, dim, index, src)
    if rows:
        return index_add(x, 0, rows, src, 1.0)
    return _in_rows(x, dim, index, src, 1) or _in_copy(x, _joining(~0, x, dim, index, src, SUM))


@of_exact_number
def scatter_(out: Layout, dim: int, index: Layout, src: Layout | float) -> Plan | None:
    if isinstance(src, Layout):
        return _looked_at(out, dim, index, _joining(0, out, dim, index, src, LAST))
    return _looked_at(out, dim, index, _filling(0, out, dim, index, src))


@of_any_dtype
def scatter_add_(out: Layout, dim: int, index: Layout, src: Layout) -> Plan | None:
    rows = index_of_rows(out, dim, index, src)
    if rows:
        return index_add_(out, 0, rows, src, 1.0)
    return _looked_at(out, dim, index, _joining(0, out, dim, index, src, SUM))


def scatter_reduce_full(
    x: Layout, dim: int, index: Layout, src: Layout, reduce: str, include_self: bool
) -> Plan | None:
    return _reduced(x, dim, index, src, reduce, include_self, True)


@with_integers(scatter_reduce_full)
def scatter_reduce(x: Layout, dim: int, index: Layout, src: Layout, reduce: str, include_self: bool) -> Plan | None:
    return _reduced(x, dim, index, src, reduce, include_self, False)


def _reduced(
    x: Layout, dim: int, index: Layout, src: Layout, reduce: str, include_self: bool, full_dims: bool
) -> Plan | None:
    if reduce == "sum" and include_self:
        return scatter_add(x, dim, index, src)
    joining = _joining(~0, x, dim, index, src, JOINS[reduce])
    if joining is None or not are_contiguous(x):
        return None
    steps = [joining] if include_self else _without_self(joining, reduce)
    if reduce == "mean":
        ints = int(include_self), int(full_dims)
        steps.append(joining._replace(kernel=share_along, operands=joining.operands[:2], ints=ints))
    return into_copy(x, *steps)


def _without_self(joining: Step, reduce: str) -> list[Step]:
    """First what changes nothing is written, or the first element that goes there; of whole slices in one call."""
    if reduce not in ("amax", "amin"):
        return [_filled(joining, float(reduce == "prod")), joining]
    *_, out_step, _, _, index_step, _, _, step = joining.tables[0].tolist()
    if (out_step, index_step, step) == (1, 0, 1):
        return [joining._replace(ints=(joining.ints[0] + EXCLUDE_SELF,))]
    return [joining._replace(ints=(FIRST,)), joining]


def _filled(joining: Step, value: float) -> Step:
    return joining._replace(kernel=fill_along, operands=joining.operands[:2], numbers=(value,), ints=())


def _filling(target: int, x: Layout, dim: int, index: Layout, value: float) -> Step | None:
    result = _joining(target, x, dim, index, index, LAST)
    return result and _filled(result, float(value))


def _joining(target: int, x: Layout, dim: int, index: Layout, src: Layout, how: int) -> Step | None:
    """The call that joins elements with those of the target, which lies as `x`; None where the steps are too many."""
    x, index, src = as_vector(x), as_vector(index), as_vector(src)
    shape = index.shape
    if len(shape) != len(x.shape) or not prod(x.shape) or not prod(shape):
        return None
    steps = [step for layout in (x, index, src) for step in _steps_along(layout, shape, dim)]
    if len(steps) < 9:
        return None
    before, after = prod(shape[:dim]), prod(shape[dim + 1 :])
    table = np.array([x.shape[dim], shape[dim], after, *steps], np.int64)
    slices = after > 1 and steps[5] == 0
    unit = BROAD if slices else COLUMNS if after > 1 else 1
    rows, work = (before * after, unit), (BESIDE if slices else ATOMIC_COST) * prod(shape)
    return Step(join_along, (target, 2, 3), (), (), (how,), rows, work, tables=(table,))


def _steps_along(layout: Layout, shape: Ints, dim: int) -> Ints:
    """The steps of an operand before a dimension, along it and behind it; none where they are not one each."""
    steps = strides_of(layout)
    if layout.halves and layout.strides is not None:  # there is a contiguous copy
        return ()
    before, after = merged(shape[:dim], steps[:dim]), merged(shape[dim + 1 :], steps[dim + 1 :])
    if len(before) > 1 or len(after) > 1:
        return ()
    return before[0][1] if before else 0, steps[dim], after[0][1] if after else 0


def _in_rows(x: Layout, dim: int, index: Layout, src: Layout, add: int) -> Plan | None:
    """The plan that copies a row and writes to it at once, where nothing lies behind the dimension."""
    if not _are_lines(x, dim, index) or src.shape != index.shape or src.strides is not None:
        return None
    size, count, lines = x.shape[dim], index.shape[dim], prod(x.shape[:dim])
    if prod(x.shape[dim + 1 :]) > 1:
        return None
    work = ATOMIC_COST * prod(index.shape) + prod(x.shape)
    return (Step(scatter_rows, (0, 2, 3), ((0, x.shape),), (), (size, count, add), (lines, 1), work),)


def _in_copy(x: Layout, writing: Step | None) -> Plan | None:
    return into_copy(x, writing) if writing is not None and are_contiguous(x) else None


def _looked_at(out: Layout, dim: int, index: Layout, writing: Step | None) -> Plan | None:
    """The call that looks at all indices, and the one that writes; None where memory between indices is not theirs."""
    steps = strides_of(index)
    sizes = [(n, step) for n, step in zip(index.shape, steps, strict=True) if step]
    read_extent = 1 + sum((n - 1) * step for n, step in sizes)
    if writing is None or read_extent != prod(n for n, _ in sizes):
        return None
    return looking(2, 0, as_vector(out).shape[dim], read_extent), writing


def index_of_rows(x: Layout, dim: int, index: Layout, src: Layout) -> Layout | None:
    """The indices of whole rows, expanded to elements, or None; others may follow, so kernels are told how many."""
    if dim or len(index.shape) < 2 or index.strides is None or index.shape != src.shape:
        return None
    if index.shape[1:] != x.shape[1:] or index.strides[0] != 1 or any(index.strides[1:]):
        return None
    return Layout(index.shape[:1], None)


@of_any_layout
def gather_backward(grad: Layout, shape: Ints, dim: int, index: Layout) -> Plan | None:
    x, alike = Layout(shape, None), grad.strides is not None and not any(grad.strides)
    if not _are_lines(x, dim, index) or dim != len(shape) - 1 or not (alike or are_contiguous(grad)):
        return None
    size, count, work = shape[-1], index.shape[-1], ATOMIC_COST * prod(index.shape) + prod(shape)
    ints, rows = (size, count, int(alike)), (prod(shape[:-1]), 1)
    return (Step(scatter_rows_onto_zeros, (0, 3), ((0, tuple(shape)),), (), ints, rows, work),)


def _are_lines(x: Layout, dim: int, index: Layout) -> bool:
    if not x.shape or len(index.shape) != len(x.shape) or not are_contiguous(x, index):
        return False
    alike = all(n == m or d == dim for d, (n, m) in enumerate(zip(x.shape, index.shape, strict=True)))
    return alike and prod(x.shape) > 0 and prod(index.shape) > 0
