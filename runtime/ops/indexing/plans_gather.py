"""Plans of reading by index: along one dimension, and whole rows of a table."""

from math import prod

import numpy as np

from ...kernels.cpu.contiguous_copy import merged
from ...kernels.cpu.index_select import take_rows_of
from ...kernels.cpu.operand_copies import copy_step
from ...kernels.cpu.plan import (
    Ints,
    Layout,
    Plan,
    Step,
    are_contiguous,
    are_masks,
    as_vector,
    in_shape,
    of_any_dtype,
    of_any_layout,
    of_chosen,
    strides_of,
)
from . import cpu_gather_loops as loops
from .plans_masks_slices import by_mask

ELEMENTS = 1024  # that one thread reads, at least
MAX_TABLE_INDICES = 1 << 14  # in a table
COLUMNS = 16  # of a table belong to one thread


@of_chosen
@of_any_dtype
def index_select(x: Layout, dim: int, index: Layout) -> Plan | None:
    if not x.shape:  # one number, which the index 0 chooses
        result = index_select(Layout((1,), None, halves=x.halves), 0, index)
        return result and (result[0]._replace(results=((0, ()),)),)
    if not prod(x.shape) or len(index.shape) > 1 or not are_contiguous(index):
        return None  # where nothing is read, the kernel in Python looks at the indices all the same
    count, steps = prod(index.shape), steps_around(x, dim)
    if steps is None:
        return None
    shape, rows, width = (*x.shape[:dim], count, *x.shape[dim + 1 :]), prod(x.shape[:dim]) * count, steps[2]
    ints, parts = (0, x.shape[dim], steps[1], count, steps[0], width, steps[3]), (rows, unit_of(width))
    return (Step(loops.take_by_one, (0, 2), ((0, shape),), (), ints, parts, rows * width, row=width),)


def steps_around(x: Layout, dim: int) -> tuple[int, int, int, int] | None:
    """The steps before a dimension and along it, the elements after it, their step; None where one has no one step."""
    steps = strides_of(x)
    if x.halves and x.strides is not None:  # there is a contiguous copy
        return None
    before, after = merged(x.shape[:dim], steps[:dim]), merged(x.shape[dim + 1 :], steps[dim + 1 :])
    if len(before) > 1 or len(after) > 1 or min(steps, default=0) < 0:
        return None
    (_, outer), (width, inner) = before[0] if before else (1, 0), after[0] if after else (1, 1)
    return outer, steps[dim], width, inner


@of_chosen
@of_any_dtype
def index(x: Layout, indices: tuple[Layout | None, ...]) -> Plan | None:
    """Up to three arrays of indices, or a mask of the first dimensions."""
    if are_masks(indices):
        return by_mask(x, [(dim, result) for dim, result in enumerate(indices) if result is not None])
    dims = [dim for dim, result in enumerate(indices) if result is not None]
    if len(dims) > 3 or not are_contiguous(*indices) or not prod(x.shape):
        return None
    alike = len({result.shape for result in indices if result}) == 1
    return (index_in_own_layout(x, indices, dims) if alike else None) or index_by_tables(x, indices, dims)


def index_in_own_layout(x: Layout, indices: tuple[Layout | None, ...], dims: list[int]) -> Plan | None:
    """Arrays of indices of one shape, of neighbouring dimensions; or two with all others between them."""
    if len(dims) > 1 and x.strides is not None:
        return None
    first, last, common = dims[0], dims[-1], indices[dims[0]].shape  # type: ignore[union-attr]
    is_split = last - first >= len(dims)
    if is_split and (first > 0 or len(dims) != 2 or last < len(x.shape) - 1):
        return None
    before, after = x.shape[:first], x.shape[1:last] if is_split else x.shape[last + 1 :]
    width, count, sizes = prod(after), prod(common), tuple([x.shape[dim] for dim in dims])
    steps = steps_around(x, first)
    if steps is None:
        return None
    if len(dims) == 1:
        kernel, ints = loops.take_by_one, (*sizes, *sizes, steps[1], count, steps[0], *steps[2:])
    elif len(dims) == 2:
        kernel, ints = loops.take_by_two, (*sizes, width, count, int(is_split))
    else:
        kernel, ints = loops.take_by_three, (*sizes, width, count)
    operands, shape, rows = (0, *[1 + dim for dim in dims]), (*before, *common, *after), prod(before) * count
    return (Step(kernel, operands, ((0, shape),), (), ints, (rows, unit_of(width)), rows * width, row=width),)


def index_by_tables(x: Layout, indices: tuple[Layout | None, ...], dims: list[int]) -> Plan | None:
    """Arrays that broadcast, or with others between them: tables say where what is not chosen from lies."""
    common = broadcast_shape_of(tuple([result.shape for result in indices if result is not None]))
    rest = [dim for dim in range(len(x.shape)) if dim not in dims]
    front = dims[0] if dims[-1] - dims[0] < len(dims) else 0  # in front of all, where others lie between them
    before, after = offsets_of(x, rest[:front]), offsets_of(x, rest[front:])
    brought = None if common is None else adjacent_index(indices, dims, common)
    if common is None or before is None or after is None or brought is None:
        return None
    (copies, positions), missing = brought, 3 - len(dims)
    strides = strides_of(x)
    chosen = [number for dim in dims for number in (x.shape[dim], strides[dim])]
    ints = (len(dims), *chosen, *[0, 0] * missing, prod(common))
    shape = (*[x.shape[dim] for dim in rest[:front]], *common, *[x.shape[dim] for dim in rest[front:]])
    operands, rows, width = (0, *positions, *positions[:1] * missing), before.size * prod(common), after.size
    read = Step(loops.take_by_tables, operands, ((0, shape),), (), ints, (rows, unit_of(width)), rows * width)
    return (*copies, read._replace(tables=(before, after)))


def adjacent_index(
    indices: tuple[Layout | None, ...], dims: list[int], common: Ints
) -> tuple[list[Step], list[int]] | None:
    """The calls that copy arrays of indices in their common shape, and where these are; None without such calls."""
    copies, positions = list[Step](), list[int]()
    for k, dim in enumerate(dims):
        own = indices[dim]
        if own is None or own.shape == common:
            positions.append(1 + dim)
            continue
        copy = copy_step(in_shape(own, common), 1 + dim, 1 + k, "I")
        if copy is None:
            return None
        copies.append(copy)
        positions.append(~(1 + k))
    return copies, positions


def offsets_of(x: Layout, dims: list[int]) -> np.ndarray | None:
    strides = strides_of(x)
    if prod([x.shape[dim] for dim in dims]) > MAX_TABLE_INDICES:
        return None
    positions = np.zeros(1, np.int64)
    for dim in dims:
        positions = (positions[:, None] + strides[dim] * np.arange(x.shape[dim])).reshape(-1)
    return positions


def broadcast_shape_of(shapes: tuple[Ints, ...]) -> Ints | None:
    try:
        common = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    return common if prod(common) else None


@of_chosen
@of_any_dtype
def take_elements(x: Layout, index: Layout) -> Plan | None:
    size, count = prod(x.shape), prod(index.shape)
    if not size or not are_contiguous(x, index):
        return None
    ints, rows = (size, size, 1, count, 0, 1, 1), (count, unit_of(1))
    return (Step(loops.take_by_one, (0, 1), ((0, index.shape),), (), ints, rows, count, row=1),)


@of_any_layout
def index_backward(grad: Layout, input_sizes: Ints, indices: tuple[Layout | None, ...]) -> Plan | None:
    """Of one array of indices, or of two of one shape for neighbouring dimensions; of gradients all alike, too."""
    dims = [dim for dim, result in enumerate(indices) if result is not None]
    if len({result.shape for result in indices if result}) != 1 or len(dims) > 2 or not are_contiguous(*indices):
        return None
    first, last, common = dims[0], dims[-1], indices[dims[0]].shape  # type: ignore[union-attr]
    alike = grad.strides is not None and not any(grad.strides)
    shape, size = (*input_sizes[:first], *common, *input_sizes[last + 1 :]), prod(input_sizes)
    if last - first >= len(dims) or not size or grad.shape != shape or not (alike or are_contiguous(grad)):
        return None
    width, sizes = prod(input_sizes[last + 1 :]), [input_sizes[dim] for dim in dims]
    kernel = loops.give_back_by_one if len(dims) == 1 else loops.give_back_by_two
    ints = (*sizes, width, prod(common), int(alike))
    operands = (0, *[2 + dim for dim in dims])
    return (Step(kernel, operands, ((0, tuple(input_sizes)),), (), ints, (width, COLUMNS), prod(shape)),)


@of_chosen
@of_any_dtype
def gather(x: Layout, dim: int, index: Layout, sparse_grad: bool) -> Plan | None:
    x, shape, index = as_vector(x), index.shape, as_vector(index)
    around = [[*layout.shape[:dim], *layout.shape[dim + 1 :]] for layout in (x, index)]
    if not prod(x.shape) or around[0] != around[1] or not are_contiguous(x, index):
        return None
    before, after = prod(x.shape[:dim]), prod(x.shape[dim + 1 :])
    size, count = x.shape[dim], index.shape[dim]
    rows = before * count, unit_of(after)
    ints, work = (before, size, count, after), rows[0] * after
    return (Step(loops.gather_of, (0, 2), ((0, shape),), (), ints, rows, work, row=after),)


@of_any_dtype
def checked_indices(index: Layout, dim: int, size: int, op: str, wrap: bool) -> Plan | None:
    if not prod(index.shape) or not are_contiguous(index):
        return None
    ints, rows = (-size if wrap else 0, size), (prod(index.shape), ELEMENTS)
    return (Step(loops.counted_from_front, (0,), ((0, index.shape),), (), ints, rows, row=1, indices=(0,)),)


def unit_of(width: int) -> int:
    return -(-ELEMENTS // max(width, 1))


def table_rows(table: Layout, index: Layout, position: int, shape: Ints) -> Plan:
    rows, width, count = table.shape[0], prod(table.shape[1:]), prod(index.shape)
    ints, work = (rows, width, count), count * width
    return (Step(take_rows_of, (0, position), ((0, shape),), (), ints, (count, 1), work, row=width),)
