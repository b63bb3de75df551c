"""Plans of writing by index: into a copy of a tensor, onto zeros, and, where the name ends so, into the tensor itself.

Where the name ends with an underscore the first operand is written to: only the last call of the plan does, and nothing
that raises has been written before.
"""

from __future__ import annotations

from math import prod

from ...kernels.cpu.dtypes.half_plans import UNIT, copied
from ...kernels.cpu.movement.moves import PART, WORK, flat_move, path
from ...kernels.cpu.plan import (
    Ints,
    Layout,
    Plan,
    Step,
    are_contiguous,
    are_masks,
    is_exact,
    of_any_dtype,
    of_any_layout,
    with_whole_numbers,
)
from ...tensor.shapes import contiguous_strides
from .cpu_put_loops import (
    add_rows_at,
    add_rows_onto_zeros,
    look_at,
    put_by_one,
    put_by_two,
    put_rows,
    scatter_into,
    scatter_rows,
    scatter_rows_onto_zeros,
    scatter_value_into,
)
from .cpu_take_back_loops import give_back_by_one
from .cpu_writes import chosen_of, folded_steps_of

COLUMNS = 16  # of what is written belong to one thread
NONE = -1  # of the rows
ELEMENTS = 4096  # of indices that one thread looks at, at least
APART = 64  # elements of a sum that one written by index counts as: each has a cache line of its own
WIDE = 32  # elements of a row from which it costs little that each thread looks at all indices


def copy_(to: Layout, source: Layout, non_blocking: bool) -> Plan | None:
    """Elements copied to where others lie."""
    shape, missing = to.shape, len(to.shape) - len(source.shape)
    if missing < 0 or not prod(shape):
        return None
    steps = (*[0] * missing, *strides_of(source))
    given = tuple([0 if n == 1 else step for n, step in zip((*[1] * missing, *source.shape), steps, strict=True)])
    found = path(shape, strides_of(to), given)
    if found is None:
        return None
    rows, ints = found.outer * found.inner * found.parts, (found.inner, found.size, found.parts)
    every, row = (*found.steps.ravel().tolist(), *ints), min(PART, found.size)
    return (Step(flat_move, (0, 1), (), (), every, (rows, 1), WORK * prod(shape), row=row),)


def scatter_whole(x: Layout, dim: int, index: Layout, src: Layout | float) -> Plan | None:
    """As `scatter`, of bools and integers."""
    return scatter(x, dim, index, src) if isinstance(src, Layout) or is_exact(src) else None


def scatter_whole_(out: Layout, dim: int, index: Layout, src: Layout | float) -> Plan | None:
    """As `scatter_`, of bools and integers."""
    return scatter_(out, dim, index, src) if isinstance(src, Layout) or is_exact(src) else None


@with_whole_numbers(scatter_whole)
def scatter(x: Layout, dim: int, index: Layout, src: Layout | float) -> Plan | None:
    """A copy with elements, or one number, written along a dimension."""
    if isinstance(src, Layout):
        return _scattered(x, dim, index, src, 0)
    if not _are_lines(x, dim, index):
        return None
    _, rows, work, ints = _lines_of(x, dim, index)
    return _copied(x, Step(scatter_value_into, (~0, 2), (), (float(src),), ints, rows, work))


@of_any_dtype
def scatter_add(x: Layout, dim: int, index: Layout, src: Layout) -> Plan | None:
    """A copy with elements added along a dimension."""
    rows = index_of_rows(x, dim, index, src)
    return index_add(x, 0, rows, src, 1.0) if rows else _scattered(x, dim, index, src, 1)


def _scattered(x: Layout, dim: int, index: Layout, src: Layout, add: int) -> Plan | None:
    if not _are_lines(x, dim, index) or src.shape != index.shape or src.strides is not None:
        return None
    _, rows, work, (size, count, after) = _lines_of(x, dim, index)
    if after > 1:
        return _copied(x, Step(scatter_into, (~0, 2, 3), (), (), (size, count, after, add), rows, work))
    ints, work = (size, count, add), work + prod(x.shape)
    return (Step(scatter_rows, (0, 2, 3), ((0, x.shape),), (), ints, rows, work),)


def _copied(x: Layout, *writing: Step) -> Plan:
    """A contiguous tensor copied, and calls that write to the copy."""
    return (Step(copied, (0,), ((0, x.shape),), rows=(prod(x.shape), UNIT), row=1), *writing)


@of_any_layout
def gather_backward(grad: Layout, shape: Ints, dim: int, index: Layout) -> Plan | None:
    """Gradients added along the last dimension of zeros."""
    x, alike = Layout(shape, None), grad.strides is not None and not any(grad.strides)
    if not _are_lines(x, dim, index) or dim != len(shape) - 1 or not (alike or are_contiguous(grad)):
        return None
    size, count, work = shape[-1], index.shape[-1], APART * prod(index.shape) + prod(shape)
    ints, rows = (size, count, int(alike)), (prod(shape[:-1]), 1)
    return (Step(scatter_rows_onto_zeros, (0, 3), ((0, tuple(shape)),), (), ints, rows, work),)


@with_whole_numbers(scatter_whole_)
def scatter_(out: Layout, dim: int, index: Layout, src: Layout | float) -> Plan | None:
    """Elements, or one number, written along a dimension."""
    if isinstance(src, Layout):
        return _scattered_into(out, dim, index, src, 0)
    if not _are_lines(out, dim, index):
        return None
    looked, rows, work, ints = _lines_of(out, dim, index)
    return (looked, Step(scatter_value_into, (0, 2), (), (float(src),), ints, rows, work))


@of_any_dtype
def scatter_add_(out: Layout, dim: int, index: Layout, src: Layout) -> Plan | None:
    """Elements added along a dimension."""
    rows = index_of_rows(out, dim, index, src)
    return index_add_(out, 0, rows, src, 1.0) if rows else _scattered_into(out, dim, index, src, 1)


def index_of_rows(x: Layout, dim: int, index: Layout, src: Layout) -> Layout | None:
    """The indices of whole rows, of which each was expanded to the elements of its row; None where they are others.

    Behind them other indices may follow in memory, so kernels are told how many there are.
    """
    if dim or len(index.shape) < 2 or index.strides is None or index.shape != src.shape:
        return None
    if index.shape[1:] != x.shape[1:] or index.strides[0] != 1 or any(index.strides[1:]):
        return None
    return Layout(index.shape[:1], None)


def _scattered_into(out: Layout, dim: int, index: Layout, src: Layout, add: int) -> Plan | None:
    if not _are_lines(out, dim, index) or src.shape != index.shape or src.strides is not None:
        return None
    looked, rows, work, ints = _lines_of(out, dim, index)
    return (looked, Step(scatter_into, (0, 2, 3), (), (), (*ints, add), rows, work))


def _are_lines(x: Layout, dim: int, index: Layout) -> bool:
    """Whether both are contiguous, and the index is as long as the tensor but along the dimension."""
    if not x.shape or len(index.shape) != len(x.shape) or not are_contiguous(x, index):
        return False
    alike = all(n == m or d == dim for d, (n, m) in enumerate(zip(x.shape, index.shape, strict=True)))
    return alike and prod(x.shape) > 0 and prod(index.shape) > 0


def _lines_of(x: Layout, dim: int, index: Layout) -> tuple[Step, tuple[int, int], int, Ints]:
    """The call that looks at the indices, and the rows, the work and the ints of the one that writes."""
    elements, after = prod(index.shape), prod(x.shape[dim + 1 :])
    looked = looking(2, 0, x.shape[dim], elements)
    lines, unit = prod(x.shape[:dim]) * after, 1 if after == 1 else COLUMNS
    return looked, (lines, unit), APART * elements, (x.shape[dim], index.shape[dim], after)


def looking(operand: int, least: int, size: int, count: int) -> Step:
    """The call that looks at indices."""
    return Step(look_at, (operand,), (), (), (least, size), (count, ELEMENTS), count)


@of_any_dtype
def index_put_(out: Layout, indices: tuple[Layout | None, ...], values: Layout, accumulate: bool) -> Plan | None:
    """Up to two arrays of indices of one shape, of neighbouring dimensions."""
    return _put_at(out, indices, values, accumulate, 0)


@of_any_dtype
def index_put(x: Layout, indices: tuple[Layout | None, ...], values: Layout, accumulate: bool) -> Plan | None:
    """The same in a copy."""
    found = _put_at(x, indices, values, accumulate, ~0) if are_contiguous(x) else None
    return found and _copied(x, *found)


def _put_at(
    out: Layout, indices: tuple[Layout | None, ...], values: Layout, accumulate: bool, target: int
) -> Plan | None:
    dims = tuple([dim for dim, found in enumerate(indices) if found is not None])
    given = [found for found in indices if found is not None]
    if not 1 <= len(dims) <= 2 or len({found.shape for found in given}) != 1 or not are_contiguous(*given):
        return None
    if (
        are_masks(given)
        or dims[-1] - dims[0] >= len(dims)
        or dims[-1] >= len(out.shape)
        or (len(dims) == 2 and dims[0])
    ):
        return None
    places, least = [3 + dim for dim in dims], [-out.shape[dim] for dim in dims]
    return _put(target, out, dims, given[0].shape, places, (values, 2), least, accumulate)


@of_any_dtype
def index_add_(out: Layout, dim: int, index: Layout, source: Layout, alpha: float) -> Plan | None:
    """Slices added along a dimension."""
    return _added(0, out, dim, index, source) if alpha == 1 and out.shape and are_contiguous(index) else None


def _added(target: int, out: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    return _put(target, out, (dim,), (prod(index.shape),), [2], (source, 3), [0], True)


def _put(
    target: int,
    out: Layout,
    dims: Ints,
    common: Ints,
    places: list[int],
    given: tuple[Layout, int],
    least: list[int],
    add: bool,
) -> Plan | None:
    """Values written, or added, at indices of some shape; the places are those of the call's operands.

    The target is the first operand, for which all indices are looked at before any is written to, or a result.
    """
    strides, count = strides_of(out), prod(common)
    shape, front, (step, width, along) = chosen_of(out.shape, strides, 1, dims, common)
    steps = _steps_of(given[0], shape, (front, front + len(common)))
    if steps is None or not prod(shape) or not count or step is None or width is None or along is None:
        return None
    looked = [looking(places[i], least[i], out.shape[dim], count) for i, dim in enumerate(dims) if target == 0]
    ints = [value for dim in dims for value in (out.shape[dim], strides[dim])]
    operands, work = (target, *places, given[1]), WORK * prod(shape)
    if dims == (0,) and along == 1 and width >= WIDE and steps[2] in (0, 1):
        ints += [least[0], count, width, *steps[1:], int(add)]
        return (*looked, Step(put_rows, operands, (), (), tuple(ints), (out.shape[0], 1), work))
    kernel, ints = (put_by_one, [*ints, least[0]]) if len(dims) == 1 else (put_by_two, ints)
    ints += [count, step, width, along, *(steps if len(dims) == 1 else steps[1:]), int(add)]
    rows = (prod(shape) // count, COLUMNS if along == 1 and width > 1 else 1)
    return (*looked, Step(kernel, operands, (), (), tuple(ints), rows, work))


def _steps_of(values: Layout, shape: Ints, chosen: tuple[int, int]) -> Ints | None:
    """The steps of values that broadcast to a shape, before, from and behind two numbers of its dimensions, each folded
    into one; None where they do not broadcast, or have no one step."""
    missing = len(shape) - len(values.shape)
    sizes, strides = (*[1] * missing, *values.shape), (*[0] * missing, *strides_of(values))
    if missing < 0 or any(n not in (1, m) for n, m in zip(sizes, shape, strict=True)):
        return None
    spread = tuple([step if n == m else 0 for n, m, step in zip(sizes, shape, strides, strict=True)])
    folded = [step for step in folded_steps_of(shape, spread, 1, chosen) if step is not None]
    return tuple(folded) if len(folded) == 3 else None


@of_any_dtype
def index_add(x: Layout, dim: int, index: Layout, source: Layout, alpha: float) -> Plan | None:
    """A copy with slices added."""
    if alpha != 1 or not x.shape or not prod(x.shape) or not are_contiguous(x, index):
        return None
    if dim or not are_contiguous(source):
        found = _added(~0, x, dim, index, source)
        return found and _copied(x, *found)
    rows, width, count = x.shape[0], prod(x.shape[1:]), prod(index.shape)
    work = prod(x.shape) + prod(source.shape)
    return (Step(add_rows_at, (0, 2, 3), ((0, x.shape),), (), (rows, width, count), (rows, 1), work),)


@of_any_layout
def index_select_backward(grad: Layout, sizes: Ints, dim: int, index: Layout) -> Plan | None:
    """Slices of gradients added to zeros; of gradients all alike, too."""
    alike = grad.strides is not None and not any(grad.strides)
    if not sizes or not prod(sizes) or not are_contiguous(index) or not (alike or are_contiguous(grad)):
        return None
    if not dim and not alike:
        return rows_onto_zeros(sizes, (0, 3), prod(index.shape), NONE)
    width, count = prod(sizes[dim + 1 :]), prod(index.shape)
    ints = (sizes[dim], width, count, int(alike))
    work = prod(sizes[:dim]) * count * width
    return (Step(give_back_by_one, (0, 3), ((0, tuple(sizes)),), (), ints, (width, COLUMNS), work),)


def rows_onto_zeros(sizes: Ints, operands: Ints, count: int, ignored: int) -> Plan:
    """Rows, the first of the operands, added to zeros at the indices that are the second, but to one row."""
    rows, width = sizes[0], prod(sizes[1:])
    work, ints = prod(sizes) + count * width, (rows, width, count, ignored)
    return (Step(add_rows_onto_zeros, operands, ((0, tuple(sizes)),), (), ints, (rows, 1), work),)


def strides_of(layout: Layout) -> Ints:
    """The strides of an operand."""
    return contiguous_strides(layout.shape) if layout.strides is None else layout.strides
